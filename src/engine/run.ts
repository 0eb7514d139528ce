import type { Bindings, SiteKind } from '../expressions/expression.js';
import { emptyObject, type Json, type JsonObject } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import type { Definition, Expression } from '../spec/definition.js';
import { outcomeFields } from '../spec/reserved.js';
import { Evaluator } from './evaluate.js';
import { type Frame, newFrame } from './frame.js';
import { type Host, Interrupted, type Interruption, type Scope } from './host.js';
import { interpolate } from './interpolate.js';
import { classify } from './named-outcomes.js';
import { type End, failure, type Outcome, statusOf } from './outcome.js';
import { projection } from './status.js';
import { OpenSteps } from './steps.js';
import { Trail } from './trail.js';
import { walk } from './walk.js';

/** What a run is told about itself, once; bound as `platform` in its expressions. */
export interface RunInfo {
  id: string;
  startedAt: number;
  environment: string;
  traceparent?: string;
  config: JsonObject;
  /** Origin or `METHOD origin` → how such a call runs, against what its safety suggests. */
  callModes?: Record<string, 'local' | 'activity'>;
  /** Scheduled runs must not meet a state that waits for a person. */
  scheduled?: boolean;
  /** What the schedules it makes must keep to. */
  schedules?: ScheduleLimits;
}

/** Bounds of the schedules that a run makes; a run keeps those it began with. */
export interface ScheduleLimits {
  /** The shortest interval, in seconds. */
  minIntervalSec: number;
  /** The largest context that a run may hand on, in bytes of JSON. */
  contextBytes: number;
}

export const defaultScheduleLimits: ScheduleLimits = { minIntervalSec: 60, contextBytes: 262_144 };

/** The whole position of a run, as plain JSON. */
export interface Position {
  root: Frame;
  deadlineAt?: number;
  attributes: JsonObject;
  tags: string[];
}

/** What `engine.run` ends with: an outcome, or the position from which a fresh execution goes on. */
export type RunResult = { outcome: Outcome; context: JsonObject } | { continueAt: Position };

const defaultMaxStates = 10_000;

/** How often a fresh execution is put off because an effect is in flight. */
const postponements = 100;

/** A position at the start of a journey (or at another of its top-level states). */
export function startPosition(
  definition: Definition,
  context: JsonObject,
  now: number,
  metadata: { tags: string[]; attributes: JsonObject } = { tags: definition.tags, attributes: emptyObject() },
  at = definition.start,
): Position {
  return {
    root: newFrame('', at, context),
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
  /** Frames that can go on by themselves, and frames that wait. A frame whose branches run is in neither. */
  readonly working = new Set<Frame>();
  readonly parked = new Set<Frame>();
  updatedAt: number;
  readonly platform: JsonObject;
  private readonly evaluator: Evaluator;
  private statesInSegment = 0;
  private draining = false;
  private effects = 0;
  private postponed = 0;
  private ending = false;
  private scope: Scope | undefined;
  private readonly held = new Map<Frame, () => void>();
  private finish: ((result: RunResult) => void) | undefined;

  constructor(
    readonly definition: Definition,
    readonly info: RunInfo,
    readonly position: Position,
    readonly host: Host,
  ) {
    this.evaluator = new Evaluator(host);
    this.updatedAt = host.now();
    this.platform = platformBinding(definition, info);
  }

  /** True when nothing can go on before a timer fires or a step arrives. */
  get quiescent(): boolean {
    return this.working.size === 0 && !this.draining && !this.isEnding;
  }

  private get isEnding(): boolean {
    return this.ending || this.scope?.interruption !== undefined;
  }

  /** Runs to the end, or to the position where a fresh execution takes over. Never rejects for what a journey can cause. */
  async execute(): Promise<RunResult> {
    const { root, deadlineAt } = this.position;
    const scope = deadlineAt === undefined ? this.host.scope : this.host.scope.fork();
    this.scope = scope;
    const alarm = deadlineAt === undefined ? undefined : this.setAlarm(deadlineAt, scope);
    this.working.add(root);
    const markEnding = (): void => {
      this.ending = true;
    };
    const first = await new Promise<End | RunResult>((resolve, reject) => {
      this.finish = resolve;
      scope
        .inside(() => walk(this.definition, root, scope, this, markEnding))
        .then(resolve, (error) => {
          if (error instanceof Interrupted) resolve(this.interruptedEnd(error.cause, root.context));
          else reject(error);
        });
    });
    alarm?.interrupt('superseded');
    return 'phase' in first ? { outcome: await this.outcomeOf(first), context: first.context } : first;
  }

  /** Interrupts `scope` at the deadline; answers what puts the alarm out. */
  private setAlarm(deadlineAt: number, scope: Scope): Scope {
    const alarm = scope.fork();
    alarm.sleepUntil(deadlineAt, 'deadline').then(
      () => scope.interrupt('deadline'),
      () => undefined,
    );
    return alarm;
  }

  private async outcomeOf(end: End): Promise<Outcome> {
    const { context, ...rest } = end;
    const { tags, attributes, root } = this.position;
    const outcomeId = await classify(this, end);
    const response = this.definition.output?.response;
    return {
      ...rest,
      status: statusOf(end),
      terminatedAtState: root.at,
      tags,
      attributes,
      ...(outcomeId !== undefined && { outcomeId }),
      ...(response && { projection: projection(context, response.outputVar, outcomeFields) }),
    };
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
    this.statesInSegment += 1;
    const most = this.host.maxStates ?? defaultMaxStates;
    if (this.statesInSegment > most) {
      refuse('STEP_LIMIT_EXCEEDED', `${most} states ran without waiting for anything.`, {
        hint: 'A cycle needs a timer, a wait or a bound.',
      });
    }
  }

  /** The frame waits. When no other can go on, the run is at rest. */
  park(frame: Frame): void {
    this.working.delete(frame);
    this.parked.add(frame);
    this.settle();
  }

  /** The frame goes on, after a wait or an effect. */
  resume(frame: Frame): void {
    this.parked.delete(frame);
    this.working.add(frame);
    this.newSegment();
  }

  /** The frame is done, or was interrupted, or others go on in its place. When it was the last that could go on, the run is at rest. */
  leave(frame: Frame): void {
    const worked = this.working.delete(frame);
    this.parked.delete(frame);
    this.held.delete(frame);
    if (worked) this.settle();
  }

  newSegment(): void {
    this.statesInSegment = 0;
    this.evaluator.newSegment();
  }

  private settle(): void {
    if (this.working.size > 0 || this.isEnding) return;
    if (!this.draining) this.host.parked?.();
    else if (this.host.wantsContinue?.()) this.finish?.({ continueAt: this.position });
    else this.release();
  }

  /**
   * The safe point between two states. When the host wants a fresh execution, every frame stops here or at its wait, and
   * the run ends with its position; when the host changed its mind meanwhile (a step came in), they all go on. While an effect
   * is in flight nobody is held, because that would cost the others time, unless it never happens that none is.
   */
  checkpoint(frame: Frame): Promise<void> | undefined {
    if (!this.draining) {
      if (!this.host.wantsContinue?.() || this.isBusy()) return undefined;
      this.draining = true;
    }
    return new Promise((resolve) => {
      this.held.set(frame, resolve);
      this.working.delete(frame);
      this.settle();
    });
  }

  private isBusy(): boolean {
    if (this.effects === 0 || this.postponed >= postponements) return false;
    this.postponed += 1;
    return true;
  }

  /** Counts an effect as in flight until `effectEnded`. */
  effectStarted(): void {
    this.effects += 1;
    if (this.draining && this.postponed < postponements) this.release();
  }

  effectEnded(): void {
    this.effects -= 1;
    this.newSegment();
  }

  private release(): void {
    this.draining = false;
    for (const [frame, go] of this.held) {
      this.working.add(frame);
      go();
    }
    this.held.clear();
    if (this.working.size === 0) this.host.parked?.();
  }

  evaluate(expression: Expression, kind: SiteKind, frame: Frame, extra?: Bindings): Json | Promise<Json> {
    return this.evaluator.evaluate(expression, kind, {
      context: frame.context,
      payload: Object.hasOwn(frame.context, 'payload') ? (frame.context.payload as Json) : null,
      error: null,
      platform: this.platform,
      ...extra,
    });
  }

  interpolate(template: string, frame: Frame, encode?: (text: string) => string): string {
    return interpolate(template, { context: frame.context, platform: this.platform }, encode);
  }

  /** Nothing else of the run is live besides `frame`. */
  isAlone(frame: Frame): boolean {
    return this.working.size === 1 && this.working.has(frame) && this.parked.size === 0;
  }

  /** Milliseconds until the run's deadline. */
  remainingMs(): number {
    return this.position.deadlineAt === undefined
      ? Number.POSITIVE_INFINITY
      : this.position.deadlineAt - this.host.now();
  }
}

function platformBinding(definition: Definition, info: RunInfo): JsonObject {
  return {
    environment: info.environment,
    journey: { name: definition.name, kind: definition.kind, version: definition.version },
    run: {
      id: info.id,
      startedAt: new Date(info.startedAt).toISOString(),
      traceparent: info.traceparent ?? null,
    },
    config: info.config,
  };
}
