import { type ExecutionFacts, startOfRun } from '../../../../workflows/journey/build-engine-input.js';
import { HistoryBudget } from '../../../../workflows/journey/history-budget.js';
import {
  type JourneyInput,
  names,
  ownTimers,
  type StepSubmission,
} from '../../../../workflows/journey/workflow-contract.js';
import { maxPayloadBytes } from '../../../base/json/size.js';
import type { Json } from '../../../base/json/value.js';
import { compensationRun, type DueCompensation, dueCompensation } from '../../../engine/compensation.js';
import type { Host } from '../../../engine/host.js';
import { LocalScope } from '../../../engine/local-cancellation-scope.js';
import type { Outcome } from '../../../engine/outcome.js';
import { type Position, Run } from '../../../engine/run.js';
import { type KeptSubmission, type OpenStep, Submissions } from '../../../engine/step-submissions.js';
import { vocabulary } from '../../../language/state-types-and-task-kinds.js';
import { stepUses } from '../../../language/states/graph-traversal.js';
import type { RecordedEvent } from './decode-history-events.js';
import { observed, type ReplayListener, visitId } from './observe-replayed-states.js';
import { RecordedWorld, WorkflowRandom } from './replayed-clock-and-effects.js';

/** Activities of a scheduled run itself. */
export const ownActivities = { admits: 'scheduleAdmits', finished: 'scheduleFinished' };
const keysKept = 100;

/** A workflow task of the history that completed: what arrived before it, and what the run requested in it. */
export interface RecordedTask {
  readonly at: number;
  readonly historyLength: number;
  readonly historySize: number;
  readonly continueAsNewSuggested: boolean;
  readonly arrivals: readonly RecordedEvent[];
  readonly commands: readonly RecordedEvent[];
}

/** The history requires something that the engine did not do, or the other way round. */
export class ReplayDiffers extends Error {
  override readonly name = 'ReplayDiffers';
}

/**
 * Replays one execution of a run through the pure engine, outside the workflow. The effects, timers and messages of its history take the
 * place of the world; the clock and random numbers are those of the workflow. Each execution starts from the position in its own input, so
 * that differences do not accumulate.
 */
export class ReplayedExecution {
  private readonly run: Run;
  private readonly host: Host & { scope: LocalScope };
  private readonly world: RecordedWorld;
  private readonly random: WorkflowRandom;
  private readonly submissions: Submissions;
  private readonly budget: HistoryBudget;
  private readonly keys: Set<string>;
  private task: Pick<RecordedTask, 'historyLength' | 'historySize' | 'continueAsNewSuggested'> = {
    historyLength: 0,
    historySize: 0,
    continueAsNewSuggested: false,
  };
  private begun = false;
  private admission: number | undefined;
  private crash: unknown;
  /** Callers that wait until the run is idle. */
  private callers = 0;
  private answerTimers = new Set<number>();
  private late: { readonly submission: StepSubmission; readonly at: number }[] = [];
  private readonly yields = {
    yields: 0,
    waiting: [] as (() => void)[],
    isOpen: false,
    timer: undefined as number | undefined,
  };
  private visits = 0;
  /** Submissions that steps have accepted. */
  private taken = 0;
  private isCompensating = false;
  outcome: Outcome | undefined;
  /** The position from which the run continues as new. */
  continuedAt: Position | undefined;

  constructor(
    private readonly input: JourneyInput,
    facts: ExecutionFacts,
    seed: string,
    private readonly listener: ReplayListener,
  ) {
    this.random = new WorkflowRandom(seed);
    this.budget = new HistoryBudget(input.limits.historyEvents, this.yields, () => this.task);
    this.world = new RecordedWorld(listener, (bytes) => this.budget.addCall(bytes));
    this.world.now = facts.startTime;
    const { definition, info, position } = startOfRun(input, facts);
    const { carried } = input;
    this.submissions = new Submissions(() => stepUses(definition), carried?.kept);
    this.keys = new Set(carried?.answers.map(([key]) => key));
    this.host = this.newHost();
    const number = () => (this.isCompensating ? undefined : this.visits - 1);
    const words = observed(vocabulary, { world: this.world, listener, number });
    this.run = new Run(definition, info, position, this.host, words);
    if (carried) this.run.updatedAt = carried.updatedAt;
    this.run.trail.onEntry = () => {
      this.visits += 1;
    };
    const open = this.run.steps.open.bind(this.run.steps);
    this.run.steps.open = (step) => open(this.heard(step));
  }

  /** Whether the engine has nothing more to do in this execution. */
  get hasEnded(): boolean {
    return this.outcome !== undefined || this.continuedAt !== undefined || !this.begun;
  }

  /** Replays a workflow task. */
  async replay(task: RecordedTask): Promise<void> {
    this.world.now = Math.max(this.world.now, task.at);
    this.task = task;
    if (!this.begun) this.begin(task);
    const messages = [...task.arrivals.filter(isSignal), ...task.commands.filter(isUpdate)];
    for (const message of messages) this.deliver(message);
    for (const arrival of task.arrivals) this.resolve(arrival);
    await this.settle();
    await this.replayLocals(task.commands);
    const isMigrated = task.commands.some((it) => it.kind === 'update' && it.name === names.migrate);
    if (isMigrated && task.commands.some((it) => it.kind === 'continued')) {
      this.run.parking.stop();
      await untilIdle();
    }
    for (const command of task.commands) this.expect(command);
  }

  /** A reset continues with other random numbers. */
  reseed(runId: string): void {
    this.random.reseed(runId);
  }

  attempted(of: number, attempt: number): void {
    this.world.attempted(of, attempt);
  }

  /** Starts the engine, in a scheduled run only once its schedule admits it. */
  private begin({ commands, arrivals }: RecordedTask): void {
    const asking = commands.find((it) => it.kind === 'effect' && it.name === ownActivities.admits);
    if (asking && this.admission === undefined) {
      this.admission = asking.id;
      return;
    }
    const answer = arrivals.find((it) => it.kind === 'answered' && it.of === this.admission);
    if (this.admission !== undefined && !(answer?.kind === 'answered' && answer.result === true)) return;
    this.begun = true;
    this.main().catch((error) => {
      this.crash = error;
    });
  }

  private async main(): Promise<void> {
    const { run, input } = this;
    const { carried } = input;
    if (carried?.compensation) return await this.compensate(carried.compensation, carried.compensation.outcome);
    const result = await run.execute();
    if ('continueAt' in result) {
      this.continuedAt = result.continueAt;
      return;
    }
    const { outcome, context } = result;
    const due = await dueCompensation(run, outcome, context, run.info.id);
    if (due?.mode === 'sync') await this.compensate(due, outcome);
    else this.outcome = outcome;
  }

  private async compensate(at: DueCompensation | { position: Position }, outcome: Outcome): Promise<void> {
    this.isCompensating = true;
    const host: Host = {
      ...this.host,
      scope: new LocalScope(this.world),
      wantsContinue: () => this.budget.isSpent && this.callers === 0,
    };
    const result = await compensationRun(this.run, host, at, this.input.limits.duration).execute();
    if ('continueAt' in result) this.continuedAt = result.continueAt;
    else this.outcome = outcome;
  }

  private newHost(): Host & { scope: LocalScope } {
    const { limits, timezone, interpreter } = this.input;
    const { world, budget, random } = this;
    const scope = new LocalScope(world);
    return {
      now: () => world.now,
      uuid: random.uuid,
      random: random.random,
      limits: limits.expression,
      maxStates: limits.steps,
      interpreter,
      metadata: limits.metadata,
      ...(timezone !== undefined && { timezone }),
      scope,
      keptSubmission: (stepId, schema) => this.takeKept(stepId, schema),
      wantsContinue: () => budget.isSpent && this.callers === 0 && this.late.length === 0 && !scope.interruption,
      mustContinue: () => budget.isLarge,
      itemsAtOnce: () => budget.callsAtOnce,
      yield: () => this.yield(),
      maxPayloadBytes: maxPayloadBytes,
      calls: limits.calls,
    };
  }

  /** Waits for the timer of a yield, which all branches share. */
  private yield(): Promise<void> {
    this.openYield();
    return new Promise((resolve) => this.yields.waiting.push(resolve));
  }

  private openYield(): void {
    if (!this.yields.isOpen) this.yields.yields += 1;
    this.yields.isOpen = true;
  }

  /** Reports the submissions that a step accepts. */
  private heard(step: OpenStep): OpenStep {
    const { take } = step;
    step.take = (payload, request) => {
      this.taken += 1;
      this.listener.submitted(visitId(step.frame), this.world.now, payload);
      take(payload, request);
    };
    return step;
  }

  private takeKept(stepId: string, schema: Json): KeptSubmission | undefined {
    const kept = this.submissions.takeKept(stepId, schema);
    if (kept && this.world.entered !== undefined)
      this.listener.submitted(this.world.entered, this.world.now, kept.payload);
    return kept;
  }

  private deliver(event: Extract<RecordedEvent, { kind: 'signal' | 'update' }>): void {
    if (event.kind === 'signal') {
      const { taken } = this;
      if (event.payload !== undefined) this.submissions.signal(this.run.steps, event.name, event.payload);
      if (taken === this.taken) this.listener.unclaimed(event.at, event);
      return;
    }
    if (event.name === names.settled) this.callers += 1;
    if (event.name !== names.submitStep) return;
    const submission = event.args[0] as StepSubmission;
    if (submission.key !== undefined && this.keys.has(submission.key)) return;
    if (submission.key !== undefined) this.keep(submission.key);
    const { now } = this.world;
    if (this.run.isDue(now)) this.late.push({ submission, at: now });
    else this.submit(submission);
  }

  private keep(key: string): void {
    this.keys.add(key);
    if (this.keys.size > keysKept) this.keys.delete(this.keys.values().next().value!);
  }

  private submit({ stepId, payload, fields, traceparent, request, early, answerAtOnce }: StepSubmission): void {
    const step = this.run.steps.get(stepId);
    const more = { ...(fields && { fields }), ...(traceparent !== undefined && { traceparent }) };
    if (step && !answerAtOnce) this.callers += 1;
    if (step) step.take(payload, { ...more, ...(request && { request }) });
    else if (early) this.submissions.keep(stepId, { payload, ...more });
  }

  private resolve(event: RecordedEvent): void {
    const { world } = this;
    if (event.kind === 'answered') world.answered(event.of, event.result);
    else if (event.kind === 'failed') world.failed(event.of, event.failure);
    else if (event.kind === 'childStarted') world.childStarted(event);
    else if (event.kind === 'cancel' && this.run.definition.lifecycle.cancellable) this.host.scope.interrupt('cancel');
    else if (event.kind === 'fired') this.fired(event.of);
  }

  private fired(timer: number): void {
    if (this.answerTimers.delete(timer)) {
      this.callers = Math.max(0, this.callers - 1);
      return;
    }
    if (timer !== this.yields.timer) {
      this.world.fired(timer);
      return;
    }
    const { waiting } = this.yields;
    Object.assign(this.yields, { isOpen: false, timer: undefined, waiting: [] });
    for (const resolve of waiting) resolve();
  }

  /** Replays local activities, each as soon as the engine has requested it. */
  private async replayLocals(commands: readonly RecordedEvent[]): Promise<void> {
    for (const command of commands) {
      if (command.kind !== 'local') continue;
      if (!this.world.local(command))
        throw new ReplayDiffers(`It did not call ${command.label} (event ${command.id}).`);
      await this.settle();
    }
  }

  /** Finds the request of the engine for a command of the history. */
  private expect(command: RecordedEvent): void {
    const { world } = this;
    const isKnown =
      command.kind === 'timerSet'
        ? this.expectTimer(command)
        : command.kind === 'effect'
          ? Object.values(ownActivities).includes(command.name) || world.schedule(command)
          : true;
    if (!isKnown) throw new ReplayDiffers(`The history has a request that the replay has not (event ${command.id}).`);
  }

  private expectTimer(event: Extract<RecordedEvent, { kind: 'timerSet' }>): boolean {
    if (event.label === ownTimers.answer) this.answerTimers.add(event.id);
    else if (event.label === ownTimers.yield) {
      this.openYield();
      this.yields.timer = event.id;
    } else return this.world.start(event);
    return true;
  }

  /** Lets the engine do everything that it can do now. */
  private async settle(): Promise<void> {
    await untilIdle();
    while (this.late.length > 0 && !this.run.isDue(this.late[0]!.at)) {
      this.submit(this.late.shift()!.submission);
      await untilIdle();
    }
    if (this.crash !== undefined) throw new ReplayDiffers(`The engine failed: ${String(this.crash)}`);
    if (this.run.parking.quiescent || this.hasEnded || this.budget.isUrgent) this.callers = 0;
  }
}

function isSignal(event: RecordedEvent): event is Extract<RecordedEvent, { kind: 'signal' }> {
  return event.kind === 'signal';
}

function isUpdate(event: RecordedEvent): event is Extract<RecordedEvent, { kind: 'update' }> {
  return event.kind === 'update';
}

/** Resolves when no promise can continue. */
function untilIdle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
