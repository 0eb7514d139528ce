import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
} from '@temporalio/client';
import {
  type JourneyInput,
  type JourneyView,
  type JourneyWorkflow,
  type KeyedAnswer,
  names,
  type StepSubmission,
  type StepView,
} from '../../workflows/input.js';
import { keys } from '../../workflows/search-attributes.js';
import type { Config } from '../config/config.js';
import { secretReader } from '../config/secret.js';
import type { Definition, InboundBinding } from '../definition/definition.js';
import type { Signature } from '../definition/signature.js';
import type { Outcome } from '../engine/outcome.js';
import type { GuardedRun } from '../engine/read-guard.js';
import type { StepRequest } from '../engine/steps.js';
import { type Json, own } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { type Access, everything } from '../service/access.js';
import { stepRequest } from '../service/inbound.js';
import type { LibraryEntry } from '../service/library.js';
import type { KeptRequests } from '../service/requests.js';
import type { GoAgain, GoneAgain, MovedRun } from '../service/run-again.js';
import type { HistoryLine, RunHistory } from '../service/run-history.js';
import type { Admit, ListRuns, Runs, RunView, StartRun, SubmitStep, SubmittedRun } from '../service/runs.js';
import { isSigned, type SignedRequest } from '../service/signature.js';
import { callbackUrls, isCallbackToken } from './callbacks.js';
import { asProblem, isAway, isCutOff, isNotFound, isRunUnknown, isUnanswered } from './failures.js';
import { keeping } from './keeping.js';
import { isReached, listRuns } from './list-runs.js';
import { listedNow, whyUnreadable } from './listed.js';
import { keySecrets } from './namespace-secret.js';
import { outcomeOf } from './outcomes.js';
import { checkSize } from './payloads.js';
import { goAgain } from './run-again.js';
import { followRun, runHistory } from './run-history.js';
import { keyedJourneyId, newJourneyId, payloadHash } from './run-ids.js';
import { moveRun } from './run-move.js';
import { readSource } from './schedules/action.js';
import { Shared } from './shared.js';
import { type StartOptions, startOptions } from './start-options.js';
import { describedView, isGuarded, type RunMemo, viewOf } from './views.js';

/** A run answers its callers after 25 s at the latest; a worker that does not answer gets a little longer. */
const updateMs = 28_000;
/** How long a repeated start waits for the run to end or rest. */
const settleMs = 25_000;
const queryMs = 3_000;
const cancelMs = 10_000;

/** Journeys on Temporal, for the gateway. */
export class TemporalRuns implements Runs {
  private readonly starts = new Shared<RunView>();

  constructor(
    private readonly client: Client,
    private readonly config: Config,
    /** Keeps requests for the runs that look at them; without it there are none to look at. */
    private readonly requests?: KeptRequests,
    private readonly access: Access = everything('journeyman'),
    private readonly whole?: TemporalRuns,
  ) {}

  as(access: Access): TemporalRuns {
    return new TemporalRuns(this.client, this.config, this.requests, access, this.whole ?? this);
  }

  async start(request: StartRun): Promise<RunView> {
    // What a caller starts is its own, also when a key stands for a run from before owners were recorded.
    if (this.whole) return await this.whole.start(request);
    if (request.idempotencyKey === undefined) return await this.startAs(newJourneyId(), request);
    const id = await this.keyedId(request, request.idempotencyKey);
    // Each caller of a guarded run is looked at by its guard.
    if (request.definition.access) return await this.startAs(id, request);
    return await this.starts.share(`${id} ${payloadHash(request.body)}`, () => this.startAs(id, request));
  }

  /** One round trip if the run is new. */
  private async startAs(id: string, request: StartRun): Promise<RunView> {
    const { definition, inbound, mode, caller } = request;
    const callbacks = await callbackUrls(this.client, this.config, id, definition);
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
      const view = await this.within(updateMs, () =>
        this.client.workflow.executeUpdateWithStart<JourneyWorkflow, JourneyView, []>(names.settled, {
          startWorkflowOperation: operation,
        }),
      );
      return lacksOutcome(view) ? await this.status(id) : viewOf(id, definition, view);
    } catch (error) {
      if (whyUnreadable(error)) return await this.seen(id, error);
      if (isCutOff(error)) return await this.status(id);
      if (!isUnanswered(error) || isAway(error)) throw error;
      // If there is no run, what went wrong is the start, not the question about it. And if it is the server that does not answer, the
      // caller has waited long enough already.
      return await this.within(queryMs, () => this.status(id)).catch((problem) =>
        Promise.reject(isRunUnknown(problem) ? error : problem),
      );
    }
  }

  /**
   * The run that a key stands for exists already. It is only queried: an update for each repetition would use up the updates that the
   * server allows a run, and then no submission would reach it any more.
   */
  private async attach(id: string, { body, mode, admit }: StartRun): Promise<RunView> {
    const description = await this.describe(id);
    if (admit) await this.guard(id, description, admit);
    const known = (description.memo?.journey as RunMemo | undefined)?.inputHash;
    if (known !== undefined && known !== payloadHash(body)) refuse('IDEMPOTENCY_KEY_REUSED');
    if (mode === 'async') return describedView(description);
    const until = Date.now() + settleMs;
    for (let pause = 50; ; pause = Math.min(2 * pause, 1_000)) {
      const view = await this.status(id).catch((error) => this.seen(id, error));
      if (view.unread || view.phase !== 'RUNNING' || view.resting || Date.now() + pause > until) return view;
      await delay(pause);
    }
  }

  /** Answers as soon as the server has the run; nobody asks the run itself. */
  private async startOnly(id: string, definition: Definition, options: StartOptions): Promise<RunView> {
    await this.client.workflow.start<JourneyWorkflow>(definition.name, options);
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
  private async seen(id: string, error: unknown): Promise<RunView> {
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
  private async guard(id: string, description: WorkflowExecutionDescription, admit: Admit): Promise<void> {
    if (!isGuarded(description)) return;
    const asked = this.within(queryMs, () => this.handle(id).query<GuardedRun>(names.guarded));
    const run = await asked.catch((error) => {
      if (isUnanswered(error)) refuse('RUN_UNRESPONSIVE', 'No worker answered in time.');
      throw asProblem(error);
    });
    await admit(run);
  }

  async submit(request: SubmitStep): Promise<SubmittedRun> {
    const { id, stepId, headers, certificate, caller, admit } = request;
    const description = await this.describe(id);
    const memo = description.memo?.journey as RunMemo | undefined;
    const signature = own(memo?.signatures as Json | undefined, stepId) as Signature | undefined;
    if (signature) this.checkSignature(signature, { headers, body: request.body ?? new Uint8Array() });
    const inbound = {
      headers,
      query: request.query ?? new URLSearchParams(),
      ...(certificate !== undefined && { certificate }),
    };
    const binding = own(memo?.steps as Json | undefined, stepId) as InboundBinding | undefined;
    const incoming = { run: id, caller, inbound: memo?.requests && inbound, binding };
    const run = await keeping(this.requests, incoming, (kept) =>
      this.submitTo(description, request, {
        ...stepRequest(memo?.steps ?? {}, stepId, inbound),
        ...(kept && { request: kept }),
      }),
    );
    // The step is taken, so a guard that cannot be asked is no failure of the submission: it admits nobody.
    const readable =
      !admit ||
      (await this.guard(id, description, admit).then(
        () => true,
        () => false,
      ));
    return readable ? run : { ...run, unreadable: true };
  }

  private async submitTo(
    description: WorkflowExecutionDescription,
    { id, stepId, payload, caller, idempotencyKey }: SubmitStep,
    more: StepRequest,
  ): Promise<SubmittedRun> {
    const hash = payloadHash([stepId, payload]);
    const key = idempotencyKey === undefined ? undefined : payloadHash([caller, idempotencyKey]);
    const submission: StepSubmission = {
      stepId,
      payload,
      ...more,
      ...(key !== undefined && { key, hash }),
    };
    checkSize(submission);
    const updateId = key === undefined ? randomUUID() : payloadHash([key, hash]);
    try {
      const view = await this.within(updateMs, () =>
        this.handle(id).executeUpdate<StepView, [StepSubmission]>(names.submitStep, {
          args: [submission],
          updateId,
        }),
      );
      const whole = lacksOutcome(view) ? await this.status(id) : undefined;
      const { working, ...seen } = view;
      return { ...describedView(description), ...seen, resting: working !== true, ...whole };
    } catch (error) {
      if (isNotFound(error)) {
        const before = key === undefined ? undefined : await this.answered(id, key);
        if (before?.hash === hash) return { ...describedView(description), ...before.view };
        if (before) refuse('IDEMPOTENCY_KEY_REUSED', 'The key was used with another step or body.');
        refuse('STEP_NOT_ACTIVE', 'The journey has ended.');
      }
      // The step was taken; then somebody ended the run.
      if (isCutOff(error)) return { ...(await this.status(id)), projection: {} };
      if (isUnanswered(error))
        refuse('RUN_UNRESPONSIVE', 'No worker took the submission in time; it may still be taken.');
      if (whyUnreadable(error) && (await this.isTaken(id, updateId)))
        return { ...(await this.seen(id, error)), projection: {} };
      throw asProblem(error);
    }
  }

  /** Whether a run did what an update asked, whatever it answered. */
  private async isTaken(workflowId: string, updateId: string): Promise<boolean> {
    const { namespace } = this.client.options;
    const updateRef = { workflowExecution: { workflowId }, updateId };
    const asked = this.client.workflowService.pollWorkflowExecutionUpdate({ namespace, updateRef });
    // One that was refused leaves no trace.
    const answer = await asked.catch((error) => (isNotFound(error) ? undefined : Promise.reject(asProblem(error))));
    return answer?.outcome?.success != null;
  }

  /** Refuses a request that nobody with one of the step's secrets has signed. */
  private checkSignature(signature: Signature, request: SignedRequest): void {
    const secret = secretReader(this.config.secrets);
    const keys = signature.secretRefs.map((ref) => secret(ref).reveal());
    if (!isSigned(signature, keys, request, new Date())) refuse('SIGNATURE_INVALID');
  }

  /** What an ended run answered to a step's key; also undefined if nobody can tell. */
  private async answered(id: string, key: string): Promise<KeyedAnswer | undefined> {
    const asked = this.within(queryMs, () => this.handle(id).query<KeyedAnswer | null, [string]>(names.answer, key));
    return (await asked.catch(() => undefined)) ?? undefined;
  }

  async cancel(id: string, admit?: Admit): Promise<RunView & { changed: boolean }> {
    const description = await this.describe(id);
    // The answer tells the run's status: whoever may not read that cancels nothing.
    if (admit) await this.guard(id, description, admit);
    const unchanged = async () => ({ ...(await this.status(id)), changed: false });
    if (description.status.name !== 'RUNNING') return await unchanged();
    if (!describedView(description).cancellable) refuse('STEP_UNKNOWN', 'This journey cannot be cancelled.');
    const handle = this.handle(id);
    try {
      await handle.cancel();
      await this.within(cancelMs, () => handle.result()).catch(() => undefined);
    } catch (error) {
      if (isNotFound(error)) return await unchanged();
      throw asProblem(error);
    }
    return { ...(await this.status(id)), changed: true };
  }

  async isCallback(id: string, stepId: string, token: string): Promise<boolean> {
    return await isCallbackToken(this.client, this.config, { id, stepId, token });
  }

  async list(query: ListRuns): Promise<{ items: RunView[]; nextPageToken?: string }> {
    return await listRuns(this.client, query, this.access).catch((error) => Promise.reject(asProblem(error)));
  }

  async history(id: string, limit: number): Promise<RunHistory> {
    const { runId } = await this.describe(id);
    return await runHistory(this.client, id, runId, limit);
  }

  async again(request: GoAgain): Promise<GoneAgain> {
    const description = await this.describe(request.id);
    if (description.status.name === 'RUNNING')
      refuse('RESULT_NOT_READY', 'Only a run that has ended can be gone on with.', { hint: 'Cancel it first.' });
    const outcome = await this.outcome(request.id, description);
    return await goAgain(this.client, this.config, { description, outcome }, request);
  }

  async move(id: string, to: LibraryEntry): Promise<MovedRun> {
    const description = await this.describe(id);
    const from = describedView(description).journeyVersion;
    if (description.status.name !== 'RUNNING')
      refuse('MOVE_NOT_POSSIBLE', 'The run has ended.', { hint: 'Retry or reset it, by the current definition.' });
    const changed = await moveRun(this.client, this.config, description, to);
    return { run: await this.status(id), from, changed };
  }

  /** The history of a run as it happens, until it has ended. */
  async *follow(id: string): AsyncGenerator<HistoryLine> {
    const { runId } = await this.describe(id);
    yield* followRun(this.client, id, runId);
  }

  /** What a run was started with: its definition above all. */
  async input(id: string): Promise<JourneyInput> {
    const { runId } = await this.describe(id);
    const source = readSource(this.client, { workflowId: id, runId }, this.config.temporal.taskQueue);
    return (await source.catch((error) => Promise.reject(asProblem(error)))).input;
  }

  private async describe(id: string): Promise<WorkflowExecutionDescription> {
    const description = await this.handle(id)
      .describe()
      .catch((error) => Promise.reject(asProblem(error)));
    return isRun(description) && isReached(this.access, description) ? description : refuse('RUN_UNKNOWN');
  }

  private outcome(id: string, description: WorkflowExecutionDescription): Promise<Outcome> {
    return outcomeOf(this.handle(id), description).catch((error) => Promise.reject(asProblem(error)));
  }

  private handle(id: string): WorkflowHandle {
    return this.client.workflow.getHandle(id);
  }

  private within<T>(ms: number, call: () => Promise<T>): Promise<T> {
    return this.client.withDeadline(Date.now() + ms, call);
  }

  /** The id that a caller's key stands for, even if its run was started before the current secret. */
  private async keyedId({ definition, caller }: StartRun, key: string): Promise<string> {
    const { current, earlier } = await keySecrets(this.client, this.config);
    const idWith = (secret: string) => keyedJourneyId(secret, caller, definition.name, key);
    const before = earlier.map(idWith);
    const there = await Promise.all(before.map((id) => this.isThere(id)));
    return before.find((_, i) => there[i]) ?? idWith(current);
  }

  private async isThere(id: string): Promise<boolean> {
    return await this.handle(id)
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

/** The run has ended with an outcome too large for its answer. */
function lacksOutcome(view: JourneyView): boolean {
  return view.phase !== 'RUNNING' && view.outcome === undefined;
}

/** Runs of earlier versions all had one type; what has neither that nor a journey's name is another workflow. */
function isRun({ type, typedSearchAttributes }: WorkflowExecutionDescription): boolean {
  return type === 'journey' || typedSearchAttributes.get(keys.JourneyName) !== undefined;
}
