import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { type JourneyView, names } from '../../workflows/input.js';
import { keys } from '../../workflows/search-attributes.js';
import type { Outcome } from '../engine/outcome.js';
import type { GuardedRun } from '../engine/read-guard.js';
import { refuse } from '../problems/problem.js';
import type { Access } from '../service/access.js';
import type { Admit, RunView } from '../service/runs.js';
import { asProblem, isNotFound, isUnanswered } from './failures.js';
import { isReached } from './list-runs.js';
import { listedNow, whyUnreadable } from './listed.js';
import { outcomeOf } from './outcomes.js';
import { describedView, isGuarded } from './views.js';

/** A run answers its callers after 25 s at the latest; a worker that does not answer gets a little longer. */
export const updateMs = 28_000;
/** How long a run may take to answer a question about itself. */
export const queryMs = 3_000;

/** What can be known of one run: Temporal's description, what it answers itself, and its outcome. */
export class RunReader {
  constructor(
    readonly client: Client,
    private readonly access: Access,
  ) {}

  async status(id: string, admit?: Admit): Promise<RunView> {
    const description = await this.describe(id);
    if (admit) await this.guard(id, description, admit);
    if (description.status.name !== 'RUNNING') {
      return describedView(description, await this.outcome(id, description));
    }
    try {
      const view = await this.within(queryMs, () => this.handle(id).query<JourneyView>(names.status));
      return { ...describedView(description), resting: true, ...view };
    } catch (error) {
      if (!isUnanswered(error) && !isNotFound(error)) throw asProblem(error);
      return describedView(description);
    }
  }

  /**
   * A run that was started or given a step, and whose answer this process has no key for, as Temporal describes it: a problem would make
   * its caller do it once more. Any other error stays one.
   */
  async seen(id: string, error: unknown): Promise<RunView> {
    const unread = whyUnreadable(error);
    const found = unread && (await listedNow(this.client, id));
    if (!found) throw error;
    return { ...describedView(found), unread };
  }

  async result(id: string, admit?: Admit): Promise<RunView & { outcome: Outcome }> {
    const description = await this.describe(id);
    if (admit) await this.guard(id, description, admit);
    if (description.status.name === 'RUNNING') refuse('RESULT_NOT_READY', 'The journey is still running.');
    const outcome = await this.outcome(id, description);
    return { ...describedView(description, outcome), outcome };
  }

  /** Has a run that is guarded looked at first. Only the run knows its context, so without a worker nobody reads it. */
  async guard(id: string, description: WorkflowExecutionDescription, admit: Admit): Promise<void> {
    if (!isGuarded(description)) return;
    const asked = this.within(queryMs, () => this.handle(id).query<GuardedRun>(names.guarded));
    const run = await asked.catch((error) => {
      if (isUnanswered(error)) refuse('RUN_UNRESPONSIVE', 'No worker answered in time.');
      throw asProblem(error);
    });
    await admit(run);
  }

  async describe(id: string): Promise<WorkflowExecutionDescription> {
    const description = await this.handle(id)
      .describe()
      .catch((error) => Promise.reject(asProblem(error)));
    return isRun(description) && isReached(this.access, description) ? description : refuse('RUN_UNKNOWN');
  }

  outcome(id: string, description: WorkflowExecutionDescription): Promise<Outcome> {
    return outcomeOf(this.handle(id), description).catch((error) => Promise.reject(asProblem(error)));
  }

  handle(id: string): WorkflowHandle {
    return this.client.workflow.getHandle(id);
  }

  within<T>(ms: number, call: () => Promise<T>): Promise<T> {
    return this.client.withDeadline(Date.now() + ms, call);
  }
}

/** The run has ended with an outcome too large for its answer. */
export function lacksOutcome(view: JourneyView): boolean {
  return view.phase !== 'RUNNING' && view.outcome === undefined;
}

/** Runs of earlier versions all had one type; what has neither that nor a journey's name is another workflow. */
function isRun({ type, typedSearchAttributes }: WorkflowExecutionDescription): boolean {
  return type === 'journey' || typedSearchAttributes.get(keys.JourneyName) !== undefined;
}
