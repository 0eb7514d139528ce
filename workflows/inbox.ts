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
import { excessOf, measured } from '../src/engine/payload.js';
import type { GuardedRun } from '../src/engine/read-guard.js';
import type { Run } from '../src/engine/run.js';
import { projection, statusOfRun } from '../src/engine/status.js';
import { Submissions } from '../src/engine/submissions.js';
import { keepsWithin, takesJsonAlone } from '../src/engine/version.js';
import { jsonBytes, payloadBytes } from '../src/json/size.js';
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
import { Lateness, settled } from './lateness.js';
import type { Room } from './room.js';
import { isReadable } from './unreadable-signals.js';

/** How long a caller is kept waiting for the run to come to rest. */
const patienceMs = 25_000;
/** The server allows ten updates in flight; beyond this many, callers get the status of the moment. */
const waitersAtOnce = 6;
const keysKept = 100;
/** The most bytes of keyed steps' answers, and of early signals, that a run takes into a fresh execution. */
const keptBytes = 256_000;
/** An outcome larger than this is not in the answers of updates. */
const answeredBytes = 256_000;

/** Everything that reaches a run from outside: submissions, signals named after steps, and questions. */
export class Inbox {
  private readonly submissions: Submissions;
  private readonly answers: Map<string, KeyedAnswer>;
  private readonly pending = new Map<string, { hash: string; answer: Promise<StepView> }>();
  private readonly lateness: Lateness | undefined;
  private waiting = 0;
  private outcome: Outcome | undefined;
  private outcomeBytes = 0;

  constructor(
    private readonly run: Run,
    notes: string[],
    private readonly input: JourneyInput,
    private readonly room: Room | undefined,
  ) {
    this.submissions = new Submissions(
      () => stepIds(run.definition),
      input.carried?.kept,
      (text) => notes.push(text),
      room && keptBytes,
    );
    this.lateness = room && new Lateness(run, room);
    this.answers = new Map(input.carried?.answers);
    setHandler(defineQuery<JourneyView>(names.status), () => ({ ...this.view(), resting: this.atRest() }), {
      description: 'Where the journey stands',
    });
    setHandler(defineQuery<JsonObject>(names.context), () => this.context(), {
      description: 'The journey’s context',
    });
    setHandler(defineQuery<GuardedRun>(names.guarded), () => this.guarded(), {
      description: 'What the journey’s read guard looks at',
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
    setDefaultSignalHandler((name, argument = null) => {
      if (takesJsonAlone(input.interpreter) && !isReadable(argument)) {
        notes.push(`A signal \`${name}\` was dropped: it is not JSON.`);
        return;
      }
      const take = () => this.submissions.signal(run.steps, name, argument as Json);
      if (this.lateness) this.lateness.signal(name, take);
      else take();
    });
  }

  /** No caller waits for an answer. */
  get idle(): boolean {
    return this.waiting === 0 && (this.lateness?.idle ?? true);
  }

  /** The run has its outcome; returns its size in bytes. */
  end(outcome: Outcome): number {
    this.outcome = outcome;
    this.outcomeBytes = jsonBytes(outcome as unknown as Json);
    return this.outcomeBytes;
  }

  carried(): Pick<Carried, 'kept' | 'answers'> {
    return { kept: this.submissions.kept(), answers: this.room ? newest([...this.answers]) : [...this.answers] };
  }

  /** The oldest valid submission that was kept for this step. */
  takeKept(stepId: string, schema: Json): Json | undefined {
    return this.submissions.takeKept(stepId, schema);
  }

  /** A query whose answer is too large would show only in the worker's log. */
  private context(): JsonObject {
    const { context } = this.run.position.root;
    measured('The context', context, payloadBytes);
    return context;
  }

  private guarded(): GuardedRun {
    const { definition, info, position } = this.run;
    const { tags, attributes } = position;
    return { definition, info, context: this.context(), tags, attributes };
  }

  private view(): JourneyView {
    const { outcome, run, input } = this;
    return {
      phase: outcome?.phase ?? 'RUNNING',
      status: { ...statusOfRun(run), ...(outcome && { currentState: outcome.terminatedAtState }) },
      steps: run.steps.all().map(({ id }) => id),
      ...(outcome && { outcome }),
      ...(input.carried?.moved !== undefined && { journeyVersion: run.definition.version }),
    };
  }

  private async settled(): Promise<JourneyView> {
    await this.untilRest();
    return this.answer();
  }

  /** The view as the answer to an update. Many may be answered at once, so a large outcome is left for its caller to read. */
  private answer(): JourneyView {
    const { outcome, ...view } = this.view();
    if (this.run.definition.looksAtRequests && !this.atRest()) return { ...view, working: true };
    return outcome && this.outcomeBytes <= answeredBytes ? { ...view, outcome } : view;
  }

  /** Waits until the run has ended or rests, but no longer than a caller should; a cancel request does not cut it short. */
  private async untilRest(): Promise<void> {
    if (this.waiting >= waitersAtOnce) return;
    this.waiting += 1;
    try {
      await CancellationScope.nonCancellable(async () => {
        await settled();
        if (!this.mayAnswer()) await this.untilRestOrImpatience();
      });
    } finally {
      this.waiting -= 1;
    }
  }

  private atRest(): boolean {
    return this.outcome !== undefined || this.run.movement.quiescent;
  }

  private mayAnswer(): boolean {
    return this.atRest() || (this.room?.isUrgent === true && keepsWithin(this.input.interpreter));
  }

  private async untilRestOrImpatience(): Promise<void> {
    const patience = new CancellationScope();
    const expired = patience.run(() => sleep(patienceMs, { summary: 'answer the caller' })).catch(() => undefined);
    await Promise.race([condition(() => this.mayAnswer()), expired]);
    patience.cancel();
  }

  private check(submission: StepSubmission): void {
    const refused = this.refusal(submission);
    if (refused) throw refusal(refused);
  }

  private refusal({ stepId, payload, key, hash }: StepSubmission): Problem | undefined {
    const before = key === undefined ? undefined : (this.answers.get(key) ?? this.pending.get(key));
    if (before)
      return before.hash === hash
        ? undefined
        : problem('IDEMPOTENCY_KEY_REUSED', 'The key was used with another step or body.');
    const step = this.run.steps.get(stepId);
    return (step && this.lateness?.refusal(step)) ?? this.submissions.refusal(this.run.steps, stepId, payload);
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
    const due = this.lateness?.pass();
    if (due) await due;
    const step = this.run.steps.get(stepId);
    // Between the validator and here another submission may have been taken in the same activation.
    if (!step) throw refusal(problem('STEP_NOT_ACTIVE'));
    const { frame, state } = step;
    this.room?.arrived();
    // An accepted update stands in the history with its request.
    this.room?.add(jsonBytes(payload));
    step.take(payload, request);
    await this.untilRest();
    return await this.fitting({ ...this.answer(), projection: this.projected(frame, state.response?.outputVar) });
  }

  /** The answer, once there is room for it. One that is too large is refused; what was submitted stays taken. */
  private async fitting(view: StepView): Promise<StepView> {
    if (!this.room) return view;
    const bytes = jsonBytes(view as unknown as Json);
    const excess = excessOf('The step was taken; its answer', bytes, payloadBytes);
    if (excess) throw refusal(excess);
    const space = this.room.take(bytes);
    if (space) await space;
    return view;
  }

  private projected(frame: Frame, outputVar: string | undefined): JsonObject {
    return outputVar === undefined ? {} : projection(frame.context, outputVar, statusFields);
  }
}

/** A problem as the answer to an update. */
export function refusal(it: Problem): ApplicationFailure {
  return ApplicationFailure.create({ type: it.code, message: it.title, nonRetryable: true, details: [it] });
}

/** As many of the newest answers as fit into what a fresh execution goes on with. */
function newest(answers: [string, KeyedAnswer][]): [string, KeyedAnswer][] {
  let bytes = 0;
  const first = answers.findLastIndex(([, answer]) => {
    bytes += jsonBytes(answer as unknown as Json);
    return bytes > keptBytes;
  });
  return answers.slice(first + 1);
}
