import { setTimeout as delay } from 'node:timers/promises';
import {
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { WorkflowIdReusePolicy } from '@temporalio/common';
import {
  type JourneyView,
  type JourneyWorkflow,
  names,
  type StepSubmission,
  type StepView,
} from '../../../workflows/journey/workflow-contract.js';
import { canonical } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import type { Definition } from '../../engine/definition/definition.js';
import { keyedRunId } from '../../engine/definition/keyed-run-id.js';
import type { RunInfo } from '../../engine/run.js';
import { type Access, fullAccess } from '../../service/access.js';
import { stepRequest } from '../../service/inbound-request.js';
import type { KeptRequests } from '../../service/kept-request-store.js';
import { runKeyOf } from '../../service/keys/evaluate-run-key.js';
import type { RunView, StartRun, SubmitStep, SubmittedRun } from '../../service/runs-interface.js';
import { checkSize } from '../check-payload-size.js';
import {
  asProblem,
  endedDuringUpdate,
  isNotFound,
  isRunUnknown,
  isServerAway,
  isUnanswered,
  isUnprocessedUpdate,
} from '../classify-temporal-errors.js';
import { keySecrets } from '../namespace-secret.js';
import { callbackUrls } from './callback-urls.js';
import { withRequest } from './keep-request-for-run.js';
import { keyedJourneyId, newJourneyId, payloadHash } from './run-ids.js';
import { lacksOutcome, queryMs, type RunReader, updateMs } from './run-reader.js';
import { type RunStartOptions, requestHash, startOptions } from './run-start-options.js';
import { describedView, type RunMemo, runView } from './run-views.js';
import { isReached } from './run-visibility-query.js';
import { submissionOf, submittedRequest } from './submit-and-signal.js';
import { missingKeyReason } from './visibility-entry.js';

/** Deduplicates concurrent work by key. */
class SharedWork<T> {
  private readonly running = new Map<string, Promise<T>>();

  share(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.running.get(key);
    if (running) return running;
    const begun = work().finally(() => this.running.delete(key));
    this.running.set(key, begun);
    return begun;
  }
}

/** Timeout of a repeated start for the run to end or park. */
const settleMs = 25_000;

/** Timeout of a start for the run of its key to close. */
const closeMs = 10_000;
/** How often a start is tried again because the run of its key has ended meanwhile. */
const mostTries = 5;

/** The id of a new run, and the answer if it is taken. */
interface NewRunId extends Pick<RunInfo, 'id' | 'nonce'> {
  taken?(): Promise<RunView>;
  /** An ended run may have the same id. */
  afterEnded?: true;
}

/** Starts runs: with a generated id, an idempotency key or a business key. */
export class RunStarter {
  private readonly starts = new SharedWork<RunView>();

  constructor(
    private readonly runs: RunReader,
    private readonly config: Config,
    private readonly requests: KeptRequests | undefined,
  ) {}

  async start(request: StartRun, access: Access): Promise<RunView> {
    const { definition, body, caller, idempotencyKey } = request;
    const key = await runKeyOf(definition, body, { limits: this.config.limits.expression });
    if (key !== undefined) {
      const id = keyedRunId(definition.name, key);
      const work = () => this.startWithKey(id, request, access);
      // A start that must not find a run is not the same request as another one.
      if (definition.access || (definition.key!.onExisting === 'reject' && idempotencyKey === undefined))
        return await work();
      return await this.starts.share(canonical([id, caller, idempotencyKey ?? null, payloadHash(body)]), work);
    }
    if (idempotencyKey === undefined) return await this.startAs({ id: newJourneyId() }, request);
    const id = await this.keyedId(request, idempotencyKey);
    const work = () => this.startAs({ id, taken: () => this.repeated(id, request) }, request);
    // The guard is evaluated for each caller.
    if (definition.access) return await work();
    return await this.starts.share(`${id} ${payloadHash(body)}`, work);
  }

  /**
   * Starts the run with a business key. A key that was never used costs one round trip; the run that has one is looked at before anything
   * else, because it may belong to somebody else.
   */
  private async startWithKey(id: string, request: StartRun, access: Access, tries = 0): Promise<RunView> {
    const { once, onExisting } = request.definition.key!;
    const again = () => this.startWithKey(id, request, access, tries + 1);
    const taken = async (): Promise<RunView> => {
      const description = await this.runs.describe(id).catch((error) => {
        if (isRunUnknown(error)) return undefined;
        throw error;
      });
      if (!description) return tries < mostTries ? await again() : refuse('KEY_IN_USE');
      if (!isReached(access, description)) refuse('KEY_IN_USE');
      const memo = description.memo?.journey as RunMemo | undefined;
      if (request.idempotencyKey !== undefined && memo?.request === requestHash(request))
        return await this.attach(description, request, 'IDEMPOTENCY_KEY_REUSED');
      if (!once && (await this.isOver(description))) return tries < mostTries ? await again() : refuse('KEY_IN_USE');
      if (onExisting === 'reject') refuse('KEY_IN_USE', undefined, { journeyId: id });
      return await this.attach(description, request, 'KEY_INPUT_DIFFERS');
    };
    return await this.startAs({ id, nonce: newJourneyId(), taken, ...(tries > 0 && { afterEnded: true }) }, request);
  }

  /**
   * Starts the run of a key together with its first submission, in one step. Undefined if another run has the key by now. A key whose last run
   * belongs to somebody else is taken.
   */
  async startWithStep(request: StartRun, submission: SubmitStep): Promise<SubmittedRun | undefined> {
    const { definition, caller } = request;
    const { id, stepId } = submission;
    const before = await this.runs
      .describe(id)
      .catch((error) => (isRunUnknown(error) ? undefined : Promise.reject(error)));
    if (before) {
      if (!isReached({ ...fullAccess(caller), runs: 'own' }, before)) refuse('KEY_IN_USE');
      if (!(await this.isOver(before))) return undefined;
      if (definition.key!.once)
        refuse('RUN_UNKNOWN', 'The run with this key has ended, and its key is not used again.');
    }
    const run = { id, nonce: newJourneyId(), ...(before && { afterEnded: true as const }) };
    const args: [StepSubmission] = [
      submissionOf(submission, stepRequest(definition.http.steps, stepId, submittedRequest(submission))),
    ];
    checkSize(args);
    try {
      return await this.withOptions(run, request, async (options) => {
        const startWorkflowOperation = new WithStartWorkflowOperation<JourneyWorkflow>(definition.name, options);
        const view = await this.runs.within(updateMs, () =>
          this.runs.client.workflow.executeUpdateWithStart<JourneyWorkflow, StepView, [StepSubmission]>(
            names.submitStep,
            { args, startWorkflowOperation },
          ),
        );
        const { projection, kept } = view;
        return { ...runView(id, definition, view), projection, ...(kept && { kept }) };
      });
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
      if (endedDuringUpdate(error)) return { ...(await this.runs.status(id)), projection: {} };
      if (isUnanswered(error) && !isServerAway(error))
        refuse('RUN_UNRESPONSIVE', 'No worker accepted the submission in time; it may still be accepted.');
      throw asProblem(error);
    }
  }

  /** Reports whether a run has ended. One that has told its outcome to a caller is awaited: it closes once all callers have their answers. */
  private async isOver({ workflowId: id, status }: WorkflowExecutionDescription): Promise<boolean> {
    if (status.name !== 'RUNNING') return true;
    const { phase } = await this.runs.status(id);
    if (phase === 'RUNNING') return false;
    await this.runs.within(closeMs, () => this.runs.handle(id).result()).catch(() => undefined);
    return true;
  }

  /** One round trip if the run is new. */
  private async startAs(run: NewRunId, request: StartRun): Promise<RunView> {
    const { definition, mode } = request;
    return await this.withOptions(run, request, async (options) => {
      try {
        return mode === 'sync'
          ? await this.startAndSettle(run.id, definition, options)
          : await this.startOnly(run.id, definition, options);
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError && run.taken)
          return { ...(await run.taken()), ignored: true };
        throw asProblem(error);
      }
    });
  }

  /** Starts a run with the options that its request and the configuration determine. */
  private async withOptions<T extends RunView>(
    { id, nonce, afterEnded }: NewRunId,
    request: StartRun,
    start: (options: RunStartOptions) => Promise<T & { ignored?: true }>,
  ): Promise<T> {
    const { definition, inbound, caller } = request;
    const run = { id, ...(nonce !== undefined && { nonce }) };
    const callbacks = await callbackUrls(this.runs.client, this.config, run, definition);
    const incoming = {
      run: id,
      caller,
      inbound: definition.looksAtRequests && inbound,
      binding: definition.http.start,
    };
    return await withRequest(this.requests, incoming, async (kept) => {
      return await start({
        ...startOptions(run, request, this.config, { callbacks, request: kept }),
        ...(afterEnded && { workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE }),
      });
    });
  }

  private async startAndSettle(id: string, definition: Definition, options: RunStartOptions): Promise<RunView> {
    const operation = new WithStartWorkflowOperation<JourneyWorkflow>(definition.name, options);
    try {
      const view = await this.runs.within(updateMs, () =>
        this.runs.client.workflow.executeUpdateWithStart<JourneyWorkflow, JourneyView, []>(names.settled, {
          startWorkflowOperation: operation,
        }),
      );
      return lacksOutcome(view) ? await this.runs.status(id) : runView(id, definition, view);
    } catch (error) {
      if (missingKeyReason(error)) return await this.runs.seen(id, error);
      // The run exists in both cases: its update ended with it, or was not processed.
      if (endedDuringUpdate(error) || isUnprocessedUpdate(error)) return await this.runs.status(id);
      if (!isUnanswered(error) || isServerAway(error)) throw error;
      // Without a run, the error of the start is the relevant one. If the server does not answer, the caller has waited long
      // enough.
      return await this.runs
        .within(queryMs, () => this.runs.status(id))
        .catch((problem) => Promise.reject(isRunUnknown(problem) ? error : problem));
    }
  }

  /** Answers for the run of an Idempotency-Key. */
  private async repeated(id: string, request: StartRun): Promise<RunView> {
    return await this.attach(await this.runs.describe(id), request, 'IDEMPOTENCY_KEY_REUSED');
  }

  /**
   * Answers for the existing run of a key; refuses another input. The run is only queried: an update per repetition would use up the server's
   * limit of updates per run and block submissions.
   */
  private async attach(
    description: WorkflowExecutionDescription,
    { body, mode, admit }: StartRun,
    otherwise: 'IDEMPOTENCY_KEY_REUSED' | 'KEY_INPUT_DIFFERS',
  ): Promise<RunView> {
    const { workflowId: id } = description;
    if (admit) await this.runs.guard(id, description, admit);
    const known = (description.memo?.journey as RunMemo | undefined)?.inputHash;
    if (known !== undefined && known !== payloadHash(body)) refuse(otherwise);
    if (mode === 'async') return describedView(description);
    const until = Date.now() + settleMs;
    for (let pause = 50; ; pause = Math.min(2 * pause, 1_000)) {
      const view = await this.runs.status(id).catch((error) => this.runs.seen(id, error));
      if (view.unread || view.phase !== 'RUNNING' || view.resting || Date.now() + pause > until) return view;
      await delay(pause);
    }
  }

  /** Starts a run without waiting for it. */
  private async startOnly(id: string, definition: Definition, options: RunStartOptions): Promise<RunView> {
    await this.runs.client.workflow.start<JourneyWorkflow>(definition.name, options);
    const { tags = [], attributes = {} } = options.args[1];
    const status = {
      currentState: definition.start,
      activeStates: [],
      updatedAt: new Date().toISOString(),
      tags,
      attributes,
    };
    return runView(id, definition, { phase: 'RUNNING', status, steps: [], working: true });
  }

  /** The id of a caller's key, also of a run that was started with the previous secret. */
  private async keyedId({ definition, caller }: StartRun, key: string): Promise<string> {
    const { current, previous } = await keySecrets(this.runs.client, this.config);
    const idWith = (secret: string) => keyedJourneyId(secret, caller, definition.name, key);
    if (previous !== undefined && (await this.isThere(idWith(previous)))) return idWith(previous);
    return idWith(current);
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
