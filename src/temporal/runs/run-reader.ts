import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { type JourneyView, names } from '../../../workflows/journey/workflow-contract.js';
import { keys } from '../../../workflows/shared/run-search-attributes.js';
import { refuse } from '../../base/problems/problem.js';
import type { GuardedRun } from '../../engine/evaluate-read-guard.js';
import type { Outcome } from '../../engine/outcome.js';
import type { Access } from '../../service/access.js';
import type { Admit, RunView } from '../../service/runs-interface.js';
import { asProblem, isNotFound, isUnanswered } from '../classify-temporal-errors.js';
import { runOutcome } from './read-run-outcome.js';
import { type DescribedRun, describedView, isGuarded } from './run-views.js';
import { isReached } from './run-visibility-query.js';
import { missingKeyReason, newestEntry } from './visibility-entry.js';

/** A run answers within 25 s; the timeout for a silent worker is a little longer. */
export const updateMs = 28_000;
/** Timeout of a query. */
export const queryMs = 3_000;

/** Reads a run: Temporal's description, its own answers, and its outcome. */
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
    return (await this.ownView(description)) ?? describedView(description);
  }

  /** The view of a running run from its own answer; undefined if no worker answers in time. */
  async ownView(info: DescribedRun): Promise<RunView | undefined> {
    try {
      const view = await this.within(queryMs, () => this.handle(info.workflowId).query<JourneyView>(names.status));
      return { ...describedView(info), resting: true, ...view };
    } catch (error) {
      if (!isUnanswered(error) && !isNotFound(error)) throw asProblem(error);
      return undefined;
    }
  }

  /**
   * The view of a run whose answer to a start or submission cannot be decrypted here, from Temporal's description: an error would make the
   * caller repeat the request. Rethrows any other error.
   */
  async seen(id: string, error: unknown): Promise<RunView> {
    const unread = missingKeyReason(error);
    const found = unread && (await newestEntry(this.client, id));
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

  /** Evaluates the read guard of a run. Only the run knows its context, so it cannot be read without a worker. */
  async guard(id: string, description: WorkflowExecutionDescription, admit: Admit): Promise<void> {
    if (!isGuarded(description)) return;
    const asked = this.within(queryMs, () => this.handle(id).query<GuardedRun>(names.guarded));
    const run = await asked.catch((error) => {
      if (isUnanswered(error)) refuse('RUN_UNRESPONSIVE', 'No worker responded in time.');
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
    return runOutcome(this.handle(id), description).catch((error) => Promise.reject(asProblem(error)));
  }

  handle(id: string): WorkflowHandle {
    return this.client.workflow.getHandle(id);
  }

  within<T>(ms: number, call: () => Promise<T>): Promise<T> {
    return this.client.withDeadline(Date.now() + ms, call);
  }
}

/** Reports whether the outcome is too large for the answer of the run. */
export function lacksOutcome(view: JourneyView): boolean {
  return view.phase !== 'RUNNING' && view.outcome === undefined;
}

/** Reports whether an execution is a run of a journey. */
function isRun({ typedSearchAttributes }: WorkflowExecutionDescription): boolean {
  return typedSearchAttributes.get(keys.JourneyName) !== undefined;
}
