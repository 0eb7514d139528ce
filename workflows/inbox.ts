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
import { statusFields } from '../src/definition/reserved.js';
import type { Frame } from '../src/engine/frame.js';
import type { Outcome } from '../src/engine/outcome.js';
import type { Run } from '../src/engine/run.js';
import { projection, statusOfRun } from '../src/engine/status.js';
import { Submissions } from '../src/engine/submissions.js';
import type { Json, JsonObject } from '../src/json/value.js';
import { type Problem, problem } from '../src/problems/problem.js';
import { stepIds } from '../src/states/graphs.js';
import {
  type Carried,
  type JourneyInput,
  type JourneyView,
  type KeyedAnswer,
  names,
  type StepSubmission,
  type StepView,
} from './input.js';

/** How long a caller is kept waiting for the run to come to rest. */
const patienceMs = 25_000;
/** The server allows ten updates in flight; beyond this many, callers get the status of the moment. */
const waitersAtOnce = 6;
const keysKept = 100;

/** Everything that reaches a run from outside: submissions, signals named after steps, and questions. */
export class Inbox {
  private readonly submissions: Submissions;
  private readonly answers: Map<string, KeyedAnswer>;
  private readonly pending = new Map<string, { hash: string; answer: Promise<StepView> }>();
  private waiting = 0;
  private outcome: Outcome | undefined;

  constructor(
    private readonly run: Run,
    notes: string[],
    input: JourneyInput,
  ) {
    this.submissions = new Submissions(
      () => stepIds(run.definition),
      input.carried?.kept,
      (text) => notes.push(text),
    );
    this.answers = new Map(input.carried?.answers);
    setHandler(defineQuery<JourneyView>(names.status), () => ({ ...this.view(), resting: this.atRest() }), {
      description: 'Where the journey stands',
    });
    setHandler(defineQuery<JsonObject>(names.context), () => run.position.root.context, {
      description: 'The journey’s context',
    });
    setHandler(defineQuery<KeyedAnswer | null, [string]>(names.answer), (key) => this.answers.get(key) ?? null, {
      description: 'What a submission with this Idempotency-Key was answered',
    });
    setHandler(defineUpdate<JourneyView>(names.settled), () => this.settled(), {
      description: 'Answers when the journey has ended or rests',
    });
    setHandler(defineUpdate<StepView, [StepSubmission]>(names.submitStep), (it) => this.submit(it), {
      validator: (it) => this.check(it),
      description: 'Submits a step: {stepId, payload}',
    });
    setDefaultSignalHandler((name, ...args) => this.submissions.signal(run.steps, name, (args[0] ?? null) as Json));
  }

  /** No caller waits for an answer. */
  get idle(): boolean {
    return this.waiting === 0;
  }

  end(outcome: Outcome): void {
    this.outcome = outcome;
  }

  carried(): Pick<Carried, 'kept' | 'answers'> {
    return { kept: this.submissions.kept(), answers: [...this.answers] };
  }

  /** The oldest valid submission that was kept for this step. */
  takeKept(stepId: string, schema: Json): Json | undefined {
    return this.submissions.takeKept(stepId, schema);
  }

  private view(): JourneyView {
    const { outcome } = this;
    return {
      phase: outcome?.phase ?? 'RUNNING',
      status: { ...statusOfRun(this.run), ...(outcome && { currentState: outcome.terminatedAtState }) },
      steps: this.run.steps.all().map(({ id }) => id),
      ...(outcome && { outcome }),
    };
  }

  private async settled(): Promise<JourneyView> {
    await this.untilRest();
    return this.view();
  }

  /** Waits until the run has ended or rests, not longer than a caller should; a cancel request does not cut it short. */
  private async untilRest(): Promise<void> {
    if (this.waiting >= waitersAtOnce) return;
    this.waiting += 1;
    try {
      await CancellationScope.nonCancellable(async () => {
        await restOfActivation();
        if (!this.atRest()) await this.untilRestOrImpatience();
      });
    } finally {
      this.waiting -= 1;
    }
  }

  private atRest(): boolean {
    return this.outcome !== undefined || this.run.movement.quiescent;
  }

  private async untilRestOrImpatience(): Promise<void> {
    const patience = new CancellationScope();
    const expired = patience.run(() => sleep(patienceMs, { summary: 'answer the caller' })).catch(() => undefined);
    await Promise.race([condition(() => this.atRest()), expired]);
    patience.cancel();
  }

  private check(submission: StepSubmission): void {
    const refused = this.refusal(submission);
    if (refused)
      throw ApplicationFailure.create({
        type: refused.code,
        message: refused.title,
        nonRetryable: true,
        details: [refused],
      });
  }

  private refusal({ stepId, payload, key, hash }: StepSubmission): Problem | undefined {
    const before = key === undefined ? undefined : (this.answers.get(key) ?? this.pending.get(key));
    if (before)
      return before.hash === hash
        ? undefined
        : problem('IDEMPOTENCY_KEY_REUSED', 'The key was used with another step or body.');
    return this.submissions.refusal(this.run.steps, stepId, payload);
  }

  private async submit(submission: StepSubmission): Promise<StepView> {
    const { key, hash } = submission;
    if (key === undefined || hash === undefined) return this.ingest(submission);
    const answered = this.answers.get(key)?.view ?? this.pending.get(key)?.answer;
    if (answered) return answered;
    const answer = this.ingest(submission);
    this.pending.set(key, { hash, answer });
    const view = await answer.finally(() => this.pending.delete(key));
    this.answers.set(key, { hash, view });
    if (this.answers.size > keysKept) this.answers.delete(this.answers.keys().next().value!);
    return view;
  }

  private async ingest({ stepId, payload, ...request }: StepSubmission): Promise<StepView> {
    const step = this.run.steps.get(stepId);
    // Between the validator and here another submission may have been taken in the same activation.
    if (!step)
      throw ApplicationFailure.create({
        type: 'STEP_NOT_ACTIVE',
        nonRetryable: true,
        details: [problem('STEP_NOT_ACTIVE')],
      });
    const { frame, state } = step;
    step.take(payload, request);
    await this.untilRest();
    return { ...this.view(), projection: this.projected(frame, state.response?.outputVar) };
  }

  private projected(frame: Frame, outputVar: string | undefined): JsonObject {
    return outputVar === undefined ? {} : projection(frame.context, outputVar, statusFields);
  }
}

/** Resolves when everything this activation can do without waiting is done; costs no history, unlike a timer. */
function restOfActivation(): Promise<void> {
  let asked = false;
  return condition(() => {
    const again = asked;
    asked = true;
    return again;
  });
}
