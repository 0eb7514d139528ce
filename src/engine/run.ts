import type { Definition, Expression } from '../definition/definition.js';
import type { Bindings, SiteKind } from '../expressions/expression.js';
import { emptyObject, type Json, type JsonObject } from '../json/value.js';
import { type Problem, refuse } from '../problems/problem.js';
import { type Allowance, type Segment, type Spent, take, wholeAllowance } from './allowance.js';
import { outcomeOf } from './ending.js';
import { Evaluator } from './evaluate.js';
import { type Frame, newFrame, type RequestRef } from './frame.js';
import { type Host, Interrupted, type Interruption, type Scope } from './host.js';
import { type Encode, interpolate } from './interpolate.js';
import { Movement } from './movement.js';
import { type End, failure, type Outcome, runtimeFailure } from './outcome.js';
import { OpenSteps } from './steps.js';
import type { Tally } from './tally.js';
import { OpenSpans, type TraceContext } from './trace.js';
import { Trail } from './trail.js';
import { Turn, work } from './turn.js';
import { interpreterVersion } from './version.js';
import type { Vocabulary } from './vocabulary.js';
import { walk } from './walk.js';

/** What a run is told about itself, once; bound as `platform` in its expressions. */
export interface RunInfo {
  id: string;
  startedAt: number;
  environment: string;
  traceparent?: string;
  /** Where its own span belongs; absent where it begins a trace. */
  trace?: TraceContext;
  config: JsonObject;
  /** Origin or `METHOD origin` → how such a call runs, whatever its safety suggests. */
  callModes?: Record<string, 'local' | 'activity'>;
  /** Scheduled runs must not meet a state that waits for a person. */
  scheduled?: boolean;
  /** Step → the URL at which whoever has it may submit the step; absent unless the journey hands some out. */
  callbacks?: JsonObject;
  /** Limits on the schedules it makes. */
  schedules?: ScheduleLimits;
  /** What idempotency keys of its calls begin with, where that is not its own id: it goes on for a run that failed. */
  keys?: string;
  /** It runs for a pipeline, which must know whether what it did is certain. */
  handler?: true;
}

/** Bounds of the schedules that a run makes; a run keeps those it began with. */
export interface ScheduleLimits {
  /** The shortest interval, in seconds. */
  minIntervalSec: number;
  /** The largest context that a run may hand on, in bytes of JSON. */
  contextBytes: number;
}

export const defaultScheduleLimits: ScheduleLimits = { minIntervalSec: 60, contextBytes: 262_144 };

/** A run's cookie jar: what changed in it, sealed, and how many answers changed it. */
export interface JarState {
  changes: string[];
  version: number;
}

/** The whole position of a run, as plain JSON. */
export interface Position {
  root: Frame;
  deadlineAt?: number;
  attributes: JsonObject;
  tags: string[];
  /** One jar for the whole run, branches included. */
  cookies?: JarState;
  /** What its expressions see beside what every journey has; a compensation sees how the run before it ended. */
  bindings?: JsonObject;
  /** An unsafe call ended so that nobody knows whether it happened; only handlers of pipelines keep account of it. */
  uncertain?: true;
  /** How much of its allowance the run has used, if bounded. */
  spent?: Allowance & { work: Spent };
}

/** What `engine.run` ends with: an outcome, or the position from which a fresh execution goes on. */
export type RunResult = { outcome: Outcome; context: JsonObject } | { continueAt: Position };

const defaultMaxStates = 10_000;
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

/**
 * One run of a journey: the interpreter's shared state. States reach expressions, steps, scopes and metadata through it.
 * Create it with a position, call `execute` once, and hand submissions to `steps`.
 */
export class Run {
  readonly steps = new OpenSteps();
  readonly trail = new Trail();
  readonly spans = new OpenSpans();
  /** How far the states are that work through something countable, by the frame that stands there. */
  readonly tallies = new Map<Frame, Tally>();
  readonly movement: Movement;
  readonly turn: Turn;
  updatedAt: number;
  platform: JsonObject;
  private readonly evaluator: Evaluator;
  private readonly segment: Segment;
  /** What interrupts the whole walk, and its end. */
  private walking: { scope: Scope; end: Promise<unknown> } | undefined;

  constructor(
    readonly definition: Definition,
    public info: RunInfo,
    readonly position: Position,
    readonly host: Host,
    readonly vocabulary: Vocabulary,
  ) {
    const { work: account, segment } = host.pause ? this.spent : nothingSpent(0);
    this.turn = new Turn(host, account);
    this.segment = segment;
    this.evaluator = new Evaluator(host, (fuel) => this.turn.spend(fuel / work.fuelPerUnit));
    this.movement = new Movement(host, (frame) => this.newSegment(frame));
    this.updatedAt = host.now();
    this.platform = platformBinding(definition, info);
  }

  /** The version of the interpreter that it began with. */
  get interpreter(): number {
    return this.host.interpreter ?? interpreterVersion;
  }

  /** Runs to the end, or to the position where a fresh execution takes over. Never rejects for what a journey can cause. */
  async execute(): Promise<RunResult> {
    const { root, deadlineAt } = this.position;
    const scope = deadlineAt === undefined ? this.host.scope : this.host.scope.fork();
    const alarm = deadlineAt === undefined ? undefined : this.setAlarm(deadlineAt, scope);
    const first = await new Promise<End | RunResult>((resolve, reject) => {
      this.movement.begin(root, scope, () => resolve({ continueAt: this.position }));
      const end = scope.inside(() => walk(this.definition, root, scope, this, () => this.movement.end()));
      this.walking = { scope, end };
      end.then(resolve, (error) => {
        if (error instanceof Interrupted) return resolve(this.interruptedEnd(error.cause, root.context));
        // Our own bug: the run is about to end without an outcome, and that is no rest.
        this.movement.end();
        reject(error);
      });
    });
    alarm?.interrupt('superseded');
    return 'phase' in first ? { outcome: await outcomeOf(this, first), context: first.context } : first;
  }

  /**
   * The end of a run whose position cannot be handed to a fresh execution; nothing else would have ended it. `cutsShort` interrupts what is
   * in progress, as a cancel does: steps close, and a map leaves behind what its items did.
   */
  async refused(problem: Problem, cutsShort: boolean): Promise<{ outcome: Outcome; context: JsonObject }> {
    if (cutsShort) await this.interrupt();
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

  /** Interrupts `scope` at the deadline; interrupt the result to stop this. */
  private setAlarm(deadlineAt: number, scope: Scope): Scope {
    const alarm = scope.fork();
    alarm.sleepUntil(deadlineAt, 'deadline').then(
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

  /** Called as a frame enters a state. */
  enter(frame: Frame): void {
    this.updatedAt = this.host.now();
    frame.entered += 1;
    this.trail.add(frame, this.updatedAt);
    const segment = this.segmentOf(frame);
    segment.states += 1;
    this.turn.spend(work.state);
    const most = this.host.maxStates ?? defaultMaxStates;
    if (segment.states > most)
      refuse('STEP_LIMIT_EXCEEDED', `${most} states ran without waiting for anything.`, { hint: endless });
    // A wait in one branch does not excuse an endless cycle in another.
    const rate = { atOnce: 2 * most, perMinute: most };
    if (this.host.calls && !take(this.allowanceOf(frame).states, rate, this.updatedAt))
      refuse('STEP_LIMIT_EXCEEDED', `${rate.atOnce} states ran, and more than ${most} a minute.`, { hint: endless });
  }

  /** Called as a state asks the world for something: a call, a timer. `count` is what it takes of the allowance. */
  asks(frame: Frame, count = 1): void {
    this.turn.spend(work.ask);
    const { calls } = this.host;
    if (!calls || take(this.allowanceOf(frame).calls, calls, this.host.now(), count)) return;
    const { atOnce, perMinute } = calls;
    refuse('STEP_LIMIT_EXCEEDED', `More than ${atOnce} calls and timers, and more than ${perMinute} a minute.`, {
      hint: endless,
    });
  }

  private get spent(): NonNullable<Position['spent']> {
    this.position.spent ??= nothingSpent(this.info.startedAt);
    return this.position.spent;
  }

  /** An item of a map has an allowance of its own: there are only so many of them. */
  private allowanceOf({ item }: Frame): Allowance {
    return item?.spent ?? this.spent;
  }

  private segmentOf({ item }: Frame): Segment {
    return item?.spent.segment ?? this.segment;
  }

  private newSegment({ item }: Frame): void {
    for (const segment of item ? [this.segment, item.spent.segment] : [this.segment]) {
      segment.states = 0;
      segment.fuel = 0;
    }
    this.turn.begin();
  }

  /** A request reached the run: what follows belongs to its trace, if it has one. */
  requested(traceparent: string | undefined): void {
    if (traceparent === undefined) return;
    this.info = { ...this.info, traceparent };
    this.platform = platformBinding(this.definition, this.info);
  }

  evaluate(expression: Expression, kind: SiteKind, frame: Frame, extra?: Bindings): Json | Promise<Json> {
    const { context, item } = frame;
    const bindings = {
      context,
      payload: Object.hasOwn(context, 'payload') ? (context.payload as Json) : null,
      error: null,
      platform: this.platform,
      ...this.position.bindings,
      ...(item && { item: item.value, index: item.index }),
      ...extra,
    };
    return this.evaluator.evaluate(expression, kind, bindings, this.segmentOf(frame));
  }

  interpolate(template: string, { context, item }: Frame, encode?: Encode): string {
    const { value, index } = item ?? { value: null, index: null };
    return interpolate(template, { context, platform: this.platform, item: value, index }, encode);
  }

  /** True when the run, or something waiting in it, was due by `instant` and does not know yet. */
  isDue(instant: number): boolean {
    if (this.movement.isEnding) return false;
    const { deadlineAt } = this.position;
    if (deadlineAt !== undefined && deadlineAt <= instant) return true;
    for (const { progress } of this.movement.parked)
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
  return { ...wholeAllowance(at), work: { used: 0, at } };
}

function platformBinding(definition: Definition, info: RunInfo): JsonObject {
  return {
    environment: info.environment,
    journey: { name: definition.name, kind: definition.kind, version: definition.version },
    run: {
      id: info.id,
      startedAt: new Date(info.startedAt).toISOString(),
      traceparent: info.traceparent ?? null,
      ...(info.callbacks && { callbacks: info.callbacks }),
    },
    config: info.config,
  };
}
