import { setTimeout as delay } from 'node:timers/promises';
import { WithStartWorkflowOperation, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { type JourneyView, type JourneyWorkflow, names } from '../../workflows/input.js';
import type { Config } from '../config/config.js';
import type { Definition } from '../definition/definition.js';
import { refuse } from '../problems/problem.js';
import type { KeptRequests } from '../service/requests.js';
import type { RunView, StartRun } from '../service/runs.js';
import { callbackUrls } from './callbacks.js';
import { asProblem, isAway, isCutOff, isNotFound, isRunUnknown, isUnanswered } from './failures.js';
import { keeping } from './keeping.js';
import { whyUnreadable } from './listed.js';
import { keySecrets } from './namespace-secret.js';
import { keyedJourneyId, newJourneyId, payloadHash } from './run-ids.js';
import { lacksOutcome, queryMs, type RunReader, updateMs } from './run-reader.js';
import { Shared } from './shared.js';
import { type StartOptions, startOptions } from './start-options.js';
import { describedView, type RunMemo, viewOf } from './views.js';

/** How long a repeated start waits for the run to end or rest. */
const settleMs = 25_000;

/** Starts runs, at once or as what an idempotency key stands for. */
export class RunStarter {
  private readonly starts = new Shared<RunView>();

  constructor(
    private readonly runs: RunReader,
    private readonly config: Config,
    private readonly requests: KeptRequests | undefined,
  ) {}

  async start(request: StartRun): Promise<RunView> {
    if (request.idempotencyKey === undefined) return await this.startAs(newJourneyId(), request);
    const id = await this.keyedId(request, request.idempotencyKey);
    // Each caller of a guarded run is looked at by its guard.
    if (request.definition.access) return await this.startAs(id, request);
    return await this.starts.share(`${id} ${payloadHash(request.body)}`, () => this.startAs(id, request));
  }

  /** One round trip if the run is new. */
  private async startAs(id: string, request: StartRun): Promise<RunView> {
    const { definition, inbound, mode, caller } = request;
    const callbacks = await callbackUrls(this.runs.client, this.config, id, definition);
    const incoming = {
      run: id,
      caller,
      inbound: definition.looksAtRequests && inbound,
      binding: definition.http.start,
    };
    return await keeping(this.requests, incoming, async (kept) => {
      const options = startOptions(id, request, this.config, { callbacks, request: kept });
      try {
        return mode === 'sync'
          ? await this.startAndSettle(id, definition, options)
          : await this.startOnly(id, definition, options);
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError)
          return { ...(await this.attach(id, request)), ignored: true };
        throw asProblem(error);
      }
    });
  }

  private async startAndSettle(id: string, definition: Definition, options: StartOptions): Promise<RunView> {
    const operation = new WithStartWorkflowOperation<JourneyWorkflow>(definition.name, options);
    try {
      const view = await this.runs.within(updateMs, () =>
        this.runs.client.workflow.executeUpdateWithStart<JourneyWorkflow, JourneyView, []>(names.settled, {
          startWorkflowOperation: operation,
        }),
      );
      return lacksOutcome(view) ? await this.runs.status(id) : viewOf(id, definition, view);
    } catch (error) {
      if (whyUnreadable(error)) return await this.runs.seen(id, error);
      if (isCutOff(error)) return await this.runs.status(id);
      if (!isUnanswered(error) || isAway(error)) throw error;
      // If there is no run, what went wrong is the start, not the question about it. And if it is the server that does not answer, the
      // caller has waited long enough already.
      return await this.runs
        .within(queryMs, () => this.runs.status(id))
        .catch((problem) => Promise.reject(isRunUnknown(problem) ? error : problem));
    }
  }

  /**
   * The run that a key stands for exists already. It is only queried: an update for each repetition would use up the updates that the
   * server allows a run, and then no submission would reach it any more.
   */
  private async attach(id: string, { body, mode, admit }: StartRun): Promise<RunView> {
    const description = await this.runs.describe(id);
    if (admit) await this.runs.guard(id, description, admit);
    const known = (description.memo?.journey as RunMemo | undefined)?.inputHash;
    if (known !== undefined && known !== payloadHash(body)) refuse('IDEMPOTENCY_KEY_REUSED');
    if (mode === 'async') return describedView(description);
    const until = Date.now() + settleMs;
    for (let pause = 50; ; pause = Math.min(2 * pause, 1_000)) {
      const view = await this.runs.status(id).catch((error) => this.runs.seen(id, error));
      if (view.unread || view.phase !== 'RUNNING' || view.resting || Date.now() + pause > until) return view;
      await delay(pause);
    }
  }

  /** Answers as soon as the server has the run; nobody asks the run itself. */
  private async startOnly(id: string, definition: Definition, options: StartOptions): Promise<RunView> {
    await this.runs.client.workflow.start<JourneyWorkflow>(definition.name, options);
    const { tags, attributes } = options.args[1];
    const status = {
      currentState: definition.start,
      activeStates: [],
      updatedAt: new Date().toISOString(),
      tags,
      attributes,
    };
    return viewOf(id, definition, { phase: 'RUNNING', status, steps: [], working: true });
  }

  /** The id that a caller's key stands for, even if its run was started before the current secret. */
  private async keyedId({ definition, caller }: StartRun, key: string): Promise<string> {
    const { current, earlier } = await keySecrets(this.runs.client, this.config);
    const idWith = (secret: string) => keyedJourneyId(secret, caller, definition.name, key);
    const before = earlier.map(idWith);
    const there = await Promise.all(before.map((id) => this.isThere(id)));
    return before.find((_, i) => there[i]) ?? idWith(current);
  }

  private async isThere(id: string): Promise<boolean> {
    return await this.runs
      .handle(id)
      .describe()
      .then(
        () => true,
        (error) => {
          if (isNotFound(error)) return false;
          throw asProblem(error);
        },
      );
  }
}
