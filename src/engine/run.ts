import { emptyObject, type Json, type JsonObject } from '../base/json/value.js';
import { type Problem, refuse } from '../base/problems/problem.js';
import type { Bindings, SiteKind } from '../expressions/expression-engine-interface.js';
import {
  type Budgets,
  type BudgetUsage,
  consume,
  Turn,
  unusedBudgets,
  type WorkSinceWait,
  workCosts,
} from './budgets.js';
import type { Definition, Expression } from './definition/definition.js';
import { type Encode, Evaluator, interpolate } from './evaluate-expressions.js';
import { executeGraph } from './execute-graph.js';
import { type Frame, type Item, newFrame, type RequestRef } from './frame.js';
import { type Host, Interrupted, type Interruption, type Scope } from './host.js';
import { interpreterVersion } from './interpreter-version.js';
import { type End, failure, type Outcome, outcomeOf, runtimeFailure } from './outcome.js';
import { ParkedFrames } from './parked-frames.js';
import { type ItemProgress, VisitedStates } from './run-status.js';
import type { Vocabulary } from './runner-interfaces.js';
import { OpenSteps } from './step-submissions.js';
import { visibleCallbacks } from './steps/item-callback-urls.js';
import { OpenSpans, type TraceContext } from './trace-context-and-run-spans.js';

/** Facts about a run, fixed at its start; bound as `platform` in its expressions. */
export interface RunInfo {
  id: string;
  startedAt: number;
  environment: string;
  traceparent?: string;
  /** The parent of the run's span; absent if the run starts a trace. */
  trace?: TraceContext;
  config: JsonObject;
  /** How calls to an origin, or to `METHOD origin`, run. Overrides the choice by safety. */
  callModes?: Record<string, 'local' | 'activity'>;
  /** True for scheduled runs, which must not reach a state that waits for input. */
  scheduled?: boolean;
  /** Callback URLs by step, and for steps in items by `itemsKey`; absent unless the journey uses them. */
  callbacks?: JsonObject;
  /** Limits of the schedules that the run creates. */
  schedules?: ScheduleLimits;
  /** Prefix of the idempotency keys of its calls; its own id unless the run is a rerun of a failed one. */
  keys?: string;
  /** The journeys that started one another up to this run, if another run started it. */
  callers?: string[];
  /** True if a pipeline started it. */
  handler?: true;
  /** Tells the runs of one key apart, which have the same id. */
  nonce?: string;
}

/** Limits of the schedules that a run creates; fixed at the start of the run. */
export interface ScheduleLimits {
  /** The shortest interval, in seconds. */
  minIntervalSec: number;
  /** The largest context that a run may pass on to the next, in bytes of JSON. */
  contextBytes: number;
}

export const defaultScheduleLimits: ScheduleLimits = { minIntervalSec: 60, contextBytes: 262_144 };

/** A run's cookie jar: its changes, sealed, and the number of responses that changed it. */
export interface JarState {
  changes: string[];
  version: number;
}

/** An unsafe call with an unknown result: the service may have processed it. A type, not an interface, so that it counts as plain JSON. */
export type UncertainCall = InterruptedCall & {
  /** The path of branches, items and subjourneys around the state; absent at the top. */
  within?: string;
  /** The key that the service received with each attempt. */
  idempotencyKey: string;
  reason: UncertainReason;
};

/** The subset that a pipeline stores. */
export type InterruptedCall = {
  state: string;
  /** The call in a few words, such as `POST mail.example.com/send`. */
  call: string;
  /** The error that interrupted it. */
  error: string;
};

/**
 * `NO_ANSWER`: the call timed out, or the connection broke. `LOST`: the process that made it is gone, and it was not repeated. `REPEATED`:
 * the process is gone, and the call was repeated.
 */
export type UncertainReason = 'NO_ANSWER' | 'LOST' | 'REPEATED';

/** The whole position of a run, as plain JSON. */
export interface Position {
  root: Frame;
  deadlineAt?: number;
  attributes: JsonObject;
  tags: string[];
  /** One jar for the whole run, branches included. */
  cookies?: JarState;
  /** Additional bindings of its expressions; those of a compensation include the outcome of the compensated run. */
  bindings?: JsonObject;
  /** Unsafe calls for which it is unknown whether, or how often, they happened; at most the first 100. */
  uncertain?: UncertainCall[];
  /** Consumed budget of the run, if bounded. */
  spent?: Budgets & { work: BudgetUsage };
}

/** The result of `engine.run`: an outcome, or the position from which to continue as new. */
export type RunResult = { outcome: Outcome; context: JsonObject } | { continueAt: Position };

const defaultMaxStates = 10_000;
const mostUncertain = 100;
const endless = 'A cycle needs a timer, a wait or a bound.';

/** A position at the start of a journey (or at another of its top-level states). */
export function startPosition(
  definition: Definition,
  context: JsonObject,
  now: number,
  metadata: { tags: string[]; attributes: JsonObject } = { tags: definition.tags, attributes: emptyObject() },
  at = definition.start,
  request?: RequestRef,
): Position {
  return {
    root: newFrame('', at, context, request && { request }),
    ...(definition.execution && { deadlineAt: now + definition.execution.maxDurationSec * 1000 }),
    ...metadata,
  };
}

/** Limits how many items of one map run at once. An item that waits for submissions only does not count. */
export interface ItemSlots {
  /** Parks a frame that waits for a submission. */
  park(frame: Frame): void;
  /** Called when a frame of an item has ended, while it still counts as working. */
  left(frame: Frame): void;
  /** Takes a slot for the item of this frame. Undefined if there is one; otherwise resolves once there is. */
  take(frame: Frame): Promise<void> | undefined;
}

/**
 * One run of a journey: the interpreter's shared state. States reach expressions, steps, scopes and metadata through it.
 * Create it with a position, call `execute` once, and hand submissions to `steps`.
 */
export class Run {
  readonly steps = new OpenSteps();
  readonly trail = new VisitedStates();
  readonly spans = new OpenSpans();
  /** Progress counters of states that work through a list, by frame. */
  readonly tallies = new Map<Frame, ItemProgress>();
  /** The items of the maps that are running, by the beginning of their frames' ids. */
  readonly itemSlots = new Map<string, ItemSlots>();
  readonly parking: ParkedFrames;
  readonly turn: Turn;
  updatedAt: number;
  platform: JsonObject;
  private readonly itemPlatforms = new WeakMap<Item, { of: JsonObject; platform: JsonObject }>();
  private readonly evaluator: Evaluator;
  private readonly segment: WorkSinceWait;
  /** Interrupts the whole walk, and its end. */
  private walking: { scope: Scope; end: Promise<unknown> } | undefined;

  constructor(
    readonly definition: Definition,
    public info: RunInfo,
    readonly position: Position,
    readonly host: Host,
    readonly vocabulary: Vocabulary,
  ) {
    const { work: account, segment } = host.yield ? this.spent : nothingSpent(0);
    this.turn = new Turn(host, account);
    this.segment = segment;
    this.evaluator = new Evaluator(host, (fuel) => this.turn.spend(fuel / workCosts.fuelPerUnit));
    this.parking = new ParkedFrames(host, (frame) => this.newSegment(frame));
    this.updatedAt = host.now();
    this.platform = platformBinding(definition, info);
  }

  /** The interpreter version that the run started with. */
  get interpreter(): number {
    return this.host.interpreter ?? interpreterVersion;
  }

  /** Runs to the end, or to the position from which to continue as new. Never rejects because of an error that a journey can cause. */
  async execute(): Promise<RunResult> {
    const { root, deadlineAt } = this.position;
    const scope = deadlineAt === undefined ? this.host.scope : this.host.scope.fork();
    const alarm = deadlineAt === undefined ? undefined : this.setAlarm(deadlineAt, scope);
    const first = await new Promise<End | RunResult>((resolve, reject) => {
      this.parking.begin(root, scope, () => resolve({ continueAt: this.position }));
      let interruption: Interruption | undefined;
      const end = scope.inside(() =>
        executeGraph(this.definition, root, scope, this, () => {
          interruption = scope.interruption;
          this.parking.end();
        }),
      );
      this.walking = { scope, end };
      const cutShort = (it: End) => (interruption ? this.interruptedEnd(interruption, it.context) : it);
      end.then(
        (it) => resolve(cutShort(it)),
        (error) => {
          if (error instanceof Interrupted) return resolve(this.interruptedEnd(error.cause, root.context));
          // A bug of ours: the run is about to end without an outcome and must not count as parked.
          this.parking.end();
          reject(error);
        },
      );
    });
    alarm?.interrupt('superseded');
    return 'phase' in first ? { outcome: await outcomeOf(this, first), context: first.context } : first;
  }

  /**
   * Ends a run whose position is too large to continue as new. Interrupts everything in progress, as a cancel does: steps close, and a map
   * leaves the results of its items.
   */
  async refused(problem: Problem): Promise<{ outcome: Outcome; context: JsonObject }> {
    await this.interrupt();
    const { context, at } = this.position.root;
    return { outcome: await outcomeOf(this, runtimeFailure(problem, at, context)), context };
  }

  /** Resolves when everything in progress has stopped. */
  private async interrupt(): Promise<void> {
    const { scope, end } = this.walking!;
    scope.interrupt('superseded');
    await end.catch((error) => {
      if (!(error instanceof Interrupted)) throw error;
    });
  }

  /** Interrupts `scope` at the deadline. Interrupt the returned scope to disarm it. */
  private setAlarm(deadlineAt: number, scope: Scope): Scope {
    const alarm = scope.fork();
    alarm
      .sleepUntil(deadlineAt, 'deadline')
      .then(afterResumed)
      .then(
        () => scope.interrupt('deadline'),
        () => undefined,
      );
    return alarm;
  }

  private interruptedEnd(cause: Interruption, context: JsonObject): End {
    const { execution } = this.definition;
    if (cause === 'deadline' && execution) {
      const { errorCode: code, reason } = execution.onTimeout;
      return failure('Timeout', { code, reason }, context);
    }
    return failure('Cancel', { code: 'JOURNEY_CANCELLED', reason: 'Cancelled by user' }, context);
  }

  /** Called when a frame enters a state. */
  enter(frame: Frame): void {
    this.updatedAt = this.host.now();
    frame.entered += 1;
    this.trail.add(frame, this.updatedAt);
    const segment = this.segmentOf(frame);
    segment.states += 1;
    this.turn.spend(workCosts.state);
    const most = this.host.maxStates ?? defaultMaxStates;
    if (segment.states > most)
      refuse('STEP_LIMIT_EXCEEDED', `${most} states ran without waiting for anything.`, { hint: endless });
    // A wait in one branch must not hide an endless cycle in another.
    const rate = { atOnce: 2 * most, perMinute: most };
    if (this.host.calls && !consume(this.allowanceOf(frame).states, rate, this.updatedAt))
      refuse('STEP_LIMIT_EXCEEDED', `${rate.atOnce} states ran, and more than ${most} a minute.`, { hint: endless });
  }

  /** Called when a state makes a call or starts a timer. `count` is the part of the budget that it consumes. */
  asks(frame: Frame, count = 1): void {
    this.turn.spend(workCosts.ask);
    const { calls } = this.host;
    if (!calls || consume(this.allowanceOf(frame).calls, calls, this.host.now(), count)) return;
    const { atOnce, perMinute } = calls;
    refuse('STEP_LIMIT_EXCEEDED', `More than ${atOnce} calls and timers, and more than ${perMinute} a minute.`, {
      hint: endless,
    });
  }

  private get spent(): NonNullable<Position['spent']> {
    this.position.spent ??= nothingSpent(this.info.startedAt);
    return this.position.spent;
  }

  /** Each item of a map has a separate budget; the number of items is limited. */
  private allowanceOf({ item }: Frame): Budgets {
    return item?.spent ?? this.spent;
  }

  private segmentOf({ item }: Frame): WorkSinceWait {
    return item?.spent.segment ?? this.segment;
  }

  private newSegment({ item }: Frame): void {
    for (const segment of item ? [this.segment, item.spent.segment] : [this.segment]) {
      segment.states = 0;
      segment.fuel = 0;
    }
    this.turn.begin();
  }

  /** Records a call for which it is unknown whether, or how often, it happened. `NO_ANSWER` never replaces an earlier reason. */
  noteUncertain(call: UncertainCall): void {
    this.position.uncertain ??= [];
    const { uncertain } = this.position;
    const known = uncertain.findIndex(({ idempotencyKey }) => idempotencyKey === call.idempotencyKey);
    if (known >= 0) uncertain[known] = call.reason === 'NO_ANSWER' ? uncertain[known]! : call;
    else if (uncertain.length < mostUncertain) uncertain.push(call);
  }

  /** Called when a request reaches the run: spans that follow belong to the request's trace, if it has one. */
  requested(traceparent: string | undefined): void {
    if (traceparent === undefined) return;
    this.info = { ...this.info, traceparent };
    this.platform = platformBinding(this.definition, this.info);
  }

  /** The slots of the map whose item this frame is in. */
  slotsOf({ id, item }: Frame): ItemSlots | undefined {
    if (item) for (const [prefix, slots] of this.itemSlots) if (id.startsWith(prefix)) return slots;
    return undefined;
  }

  /** Parks a frame that waits for a submission. */
  parkAtStep(frame: Frame): void {
    const slots = this.slotsOf(frame);
    if (slots) slots.park(frame);
    else this.parking.park(frame);
  }

  /** The `platform` binding in an item, which has callback URLs of its own. */
  private platformIn(item: Item | undefined): JsonObject {
    const { platform, info } = this;
    if (!item || !info.callbacks) return platform;
    const known = this.itemPlatforms.get(item);
    if (known?.of === platform) return known.platform;
    const run = { ...(platform.run as JsonObject), callbacks: visibleCallbacks(info.callbacks, item) };
    const own = { of: platform, platform: { ...platform, run } };
    this.itemPlatforms.set(item, own);
    return own.platform;
  }

  evaluate(expression: Expression, kind: SiteKind, frame: Frame, extra?: Bindings): Json | Promise<Json> {
    const { context, item } = frame;
    const bindings = {
      context,
      payload: Object.hasOwn(context, 'payload') ? (context.payload as Json) : null,
      error: null,
      platform: this.platformIn(item),
      ...this.position.bindings,
      ...(item && { item: item.value, index: item.index }),
      ...extra,
    };
    return this.evaluator.evaluate(expression, kind, bindings, this.segmentOf(frame));
  }

  interpolate(template: string, { context, item }: Frame, encode?: Encode): string {
    const { value, index } = item ?? { value: null, index: null };
    return interpolate(template, { context, platform: this.platformIn(item), item: value, index }, encode);
  }

  /** True if the run, or a state waiting in it, was due by `instant` but its timer has not been processed yet. */
  isDue(instant: number): boolean {
    if (this.parking.isEnding) return false;
    const { deadlineAt } = this.position;
    if (deadlineAt !== undefined && deadlineAt <= instant) return true;
    for (const { progress } of this.parking.parked)
      if (progress && 'dueAt' in progress && progress.dueAt !== undefined && progress.dueAt <= instant) return true;
    return false;
  }

  /** Milliseconds until the run's deadline. */
  remainingMs(): number {
    return this.position.deadlineAt === undefined
      ? Number.POSITIVE_INFINITY
      : this.position.deadlineAt - this.host.now();
  }
}

function nothingSpent(at: number): NonNullable<Position['spent']> {
  return { ...unusedBudgets(at), work: { used: 0, at } };
}

function platformBinding(definition: Definition, info: RunInfo): JsonObject {
  return {
    environment: info.environment,
    journey: { name: definition.name, kind: definition.kind, version: definition.version },
    run: {
      id: info.id,
      startedAt: new Date(info.startedAt).toISOString(),
      traceparent: info.traceparent ?? null,
      ...(info.callbacks && { callbacks: visibleCallbacks(info.callbacks) }),
    },
    config: info.config,
  };
}

/** Lets a frame take its next step first if a message resumed it in the same turn as the deadline, because its input arrived in time. */
async function afterResumed(): Promise<void> {
  for (let i = 0; i < 10; i += 1) await undefined;
}
