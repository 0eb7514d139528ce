import {
  ApplicationFailure,
  CancellationScope,
  condition,
  defineQuery,
  defineUpdate,
  setDefaultSignalHandler,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { jsonBytes, maxPayloadBytes } from '../../src/base/json/size.js';
import type { Json, JsonObject } from '../../src/base/json/value.js';
import { type Problem, problem } from '../../src/base/problems/problem.js';
import { responseFields, statusFields } from '../../src/engine/definition/response-fields-and-projection.js';
import type { GuardedRun } from '../../src/engine/evaluate-read-guard.js';
import type { Frame } from '../../src/engine/frame.js';
import type { Outcome } from '../../src/engine/outcome.js';
import { checkedSize, sizeProblem } from '../../src/engine/payload-limits.js';
import type { Run } from '../../src/engine/run.js';
import { statusOfRun } from '../../src/engine/run-status.js';
import { type KeptSubmission, Submissions } from '../../src/engine/step-submissions.js';
import { AnsweredKeys } from '../../src/engine/steps/answered-keys.js';
import { stepUses } from '../../src/language/states/graph-traversal.js';
import { isReadable } from '../shared/check-external-payloads.js';
import type { HistoryBudget } from './history-budget.js';
import { activationSettled, DueOrder } from './timers-before-updates.js';
import {
  type CarriedState,
  type JourneyInput,
  type JourneyView,
  type KeyedAnswer,
  names,
  ownTimers,
  type StepSubmission,
  type StepView,
} from './workflow-contract.js';
import type { WorkflowTaskBudget } from './workflow-task-budget.js';

/** Maximum time for which a caller waits for the run to become idle. */
const longestWaitMs = 25_000;
/** Maximum number of waiting callers. The server allows ten updates in flight; further callers get the current status. */
const waitersAtOnce = 6;
/** Maximum size of keyed answers, and of early submissions, that continue-as-new carries over, in bytes. */
const keptBytes = 256_000;
/** The most active states, and steps, in the answer to an update: each answer is in the history. The status query returns all. */
const answeredStates = 100;
/** The largest outcome, in bytes, in the answer to an update. */
const answeredBytes = 256_000;

/** Parts of an execution that its inbox needs. */
export interface InboxDeps {
  readonly run: Run;
  readonly notes: string[];
  readonly input: JourneyInput;
  readonly taskBudget: WorkflowTaskBudget;
  readonly historyBudget: HistoryBudget;
}

/** Handles all messages to a run: submissions, signals named after steps, and queries. */
export class Inbox {
  private readonly submissions: Submissions;
  private readonly answers: AnsweredKeys<StepView>;
  private readonly dueOrder: DueOrder;
  private waiting = 0;
  /** The run takes no further submissions. */
  private closed = false;
  private outcome: Outcome | undefined;
  private outcomeBytes = 0;

  constructor(private readonly deps: InboxDeps) {
    const { run, notes, input } = deps;
    this.submissions = new Submissions(
      () => stepUses(run.definition),
      input.carried?.kept,
      (text) => notes.push(text),
      keptBytes,
    );
    this.dueOrder = new DueOrder(run);
    this.answers = new AnsweredKeys(input.carried?.answers);
    this.handleQueries();
    this.handleSignals();
    setHandler(defineUpdate<JourneyView>(names.settled), () => this.settled(), {
      description: 'Answers when the journey has ended or is idle',
    });
    // A submission may precede the first workflow task: the SDK holds it back until there is a handler, when the run has reached its first steps.
    void CancellationScope.nonCancellable(activationSettled).then(() => this.handleSubmissions());
  }

  private handleQueries(): void {
    setHandler(defineQuery<JourneyView>(names.status), () => ({ ...this.view(), resting: this.atRest() }), {
      description: 'Status of the journey',
    });
    setHandler(defineQuery<JsonObject>(names.context), () => this.context(), {
      description: 'The journey’s context',
    });
    setHandler(defineQuery<GuardedRun>(names.guarded), () => this.guarded(), {
      description: 'Input of the journey’s read guard',
    });
    setHandler(defineQuery<KeyedAnswer | null, [string]>(names.answer), (key) => this.answers.get(key) ?? null, {
      description: 'Answer to the submission with this Idempotency-Key',
    });
  }

  private handleSubmissions(): void {
    setHandler(defineUpdate<StepView, [StepSubmission]>(names.submitStep), (it) => this.submit(it), {
      validator: (it) => this.check(it),
      description: 'Submits a step: {stepId, payload}',
    });
  }

  private handleSignals(): void {
    setDefaultSignalHandler((name, argument = null) => {
      if (!isReadable(argument)) {
        this.deps.notes.push(`A signal \`${name}\` was dropped: it is not JSON.`);
        return;
      }
      this.submissions.signal(this.run.steps, name, argument as Json);
    });
  }

  private get run(): Run {
    return this.deps.run;
  }

  /** Whether no caller waits for an answer. */
  get idle(): boolean {
    return this.waiting === 0 && this.dueOrder.idle;
  }

  /** Rejects further submissions: no step of the run can become active again, though it may still be compensated. */
  close(): void {
    this.closed = true;
  }

  /** Records the outcome of the run. Returns its size in bytes. */
  end(outcome: Outcome): number {
    this.outcome = outcome;
    this.outcomeBytes = jsonBytes(outcome as unknown as Json);
    return this.outcomeBytes;
  }

  carried(): Pick<CarriedState, 'kept' | 'answers'> {
    return { kept: this.submissions.kept(), answers: newest(this.answers.all()) };
  }

  /** The oldest valid submission that was stored for this step. */
  takeKept(stepId: string, schema: Json): KeptSubmission | undefined {
    return this.submissions.takeKept(stepId, schema);
  }

  /** The context, if it is not too large; otherwise the error would appear only in the worker's log. */
  private context(): JsonObject {
    const { context } = this.run.position.root;
    checkedSize('The context', context, maxPayloadBytes);
    return context;
  }

  private guarded(): GuardedRun {
    const { definition, info, position } = this.run;
    const { tags, attributes } = position;
    return { definition, info, context: this.context(), tags, attributes };
  }

  private view(most?: number): JourneyView {
    const { outcome, run } = this;
    return {
      phase: outcome?.phase ?? 'RUNNING',
      status: { ...statusOfRun(run, most), ...(outcome && { currentState: outcome.terminatedAtState }) },
      steps: run.steps
        .all()
        .slice(0, most)
        .map(({ id }) => id),
      ...(outcome && { outcome }),
      ...(this.deps.input.carried?.migratedFrom !== undefined && { journeyVersion: run.definition.version }),
    };
  }

  private async settled(): Promise<JourneyView> {
    await this.untilRest();
    return this.answer();
  }

  /** The view as the answer to an update. Many updates may be answered together, so callers read a large outcome themselves. */
  private answer(): JourneyView {
    const { outcome, ...view } = this.view(answeredStates);
    if (this.run.definition.looksAtRequests && !this.atRest()) return { ...view, working: true };
    return outcome && this.outcomeBytes <= answeredBytes ? { ...view, outcome } : view;
  }

  /** Waits until the run has ended or is idle, up to the caller's time limit. A cancel request does not interrupt it. */
  private async untilRest(): Promise<void> {
    if (this.waiting >= waitersAtOnce) return;
    this.waiting += 1;
    try {
      await CancellationScope.nonCancellable(async () => {
        await activationSettled();
        if (!this.mayAnswer()) await this.untilRestOrTimeout();
      });
    } finally {
      this.waiting -= 1;
    }
  }

  private atRest(): boolean {
    return this.outcome !== undefined || this.run.parking.quiescent;
  }

  private mayAnswer(): boolean {
    return this.atRest() || this.deps.historyBudget.isUrgent;
  }

  private async untilRestOrTimeout(): Promise<void> {
    const timer = new CancellationScope();
    const expired = timer
      .run(() => sleep(longestWaitMs, { summary: ownTimers.answer }))
      .then(
        () => this.untilNoLocalCall(),
        () => undefined,
      );
    await Promise.race([condition(() => this.mayAnswer()), expired]);
    timer.cancel();
  }

  /**
   * Resolves when the run has gone on from a local call that was in flight as the timer fired. A worker that performs the call learns of its
   * end after the timer, a worker that replays it learns of both at once; the answer has the same place among the commands in both.
   */
  private async untilNoLocalCall(): Promise<void> {
    await activationSettled();
    await condition(() => !this.deps.taskBudget.hasLocalCall);
  }

  private check(submission: StepSubmission): void {
    const refused = this.refusal(submission);
    if (refused) throw refusal(refused);
  }

  private refusal(submission: StepSubmission): Problem | undefined {
    const { stepId, payload, key, hash, dropRepeats, early } = submission;
    if (this.answers.has(key)) return dropRepeats ? problem('DELIVERY_REPEATED') : this.answers.refusal(key, hash);
    const { steps } = this.run;
    const step = steps.get(stepId);
    const late = step && this.dueOrder.refusal(step);
    if (late || !early) return late ?? this.submissions.refusal(steps, stepId, payload);
    return this.earlyRefusal(submission);
  }

  private earlyRefusal(submission: StepSubmission): Problem | undefined {
    if (this.closed) return problem('RUN_UNKNOWN', 'The run has ended.');
    return this.submissions.earlyRefusal(this.run.steps, submission.stepId, keptOf(submission));
  }

  private async submit(submission: StepSubmission): Promise<StepView> {
    const { key, hash } = submission;
    if (key === undefined || hash === undefined) return this.ingest(submission);
    return await this.answers.answer(key, hash, () => this.ingest(submission));
  }

  private async ingest(submission: StepSubmission): Promise<StepView> {
    const { stepId, payload, early, answerAtOnce, ...request } = submission;
    const timersFired = this.dueOrder.untilTimersFired();
    if (timersFired) await timersFired;
    const step = this.run.steps.get(stepId);
    // Other submissions may have been accepted since the validator ran.
    const refused = step ? undefined : early ? this.earlyRefusal(submission) : problem('STEP_NOT_ACTIVE');
    if (refused) throw refusal(refused);
    const { taskBudget } = this.deps;
    taskBudget.arrived();
    // The history has an accepted update with its request.
    taskBudget.add(jsonBytes(payload));
    if (!step) {
      this.submissions.keep(stepId, keptOf(submission));
      return await this.fitting({ ...this.answer(), projection: {}, kept: true });
    }
    const { frame, state } = step;
    step.take(payload, request);
    if (!answerAtOnce) await this.untilRest();
    return await this.fitting({ ...this.answer(), projection: this.projected(frame, state.response?.outputVar) });
  }

  /** The answer, once the task budget has space for it. An answer that is too large is rejected; the submission stays accepted. */
  private async fitting(view: StepView): Promise<StepView> {
    const bytes = jsonBytes(view as unknown as Json);
    const excess = sizeProblem('The step was submitted; its response', bytes, maxPayloadBytes);
    if (excess) throw refusal(excess);
    const space = this.deps.taskBudget.reserve(bytes);
    if (space) await space;
    return view;
  }

  private projected(frame: Frame, outputVar: string | undefined): JsonObject {
    return outputVar === undefined ? {} : responseFields(frame.context, outputVar, statusFields);
  }
}

function keptOf({ payload, fields, traceparent }: StepSubmission): KeptSubmission {
  return { payload, ...(fields && { fields }), ...(traceparent !== undefined && { traceparent }) };
}

/** A problem as the answer to an update. */
export function refusal(it: Problem): ApplicationFailure {
  return ApplicationFailure.create({ type: it.code, message: it.title, nonRetryable: true, details: [it] });
}

/** The newest answers that fit into the input of the next execution. */
function newest(answers: [string, KeyedAnswer][]): [string, KeyedAnswer][] {
  let bytes = 0;
  const first = answers.findLastIndex(([, answer]) => {
    bytes += jsonBytes(answer as unknown as Json);
    return bytes > keptBytes;
  });
  return answers.slice(first + 1);
}
