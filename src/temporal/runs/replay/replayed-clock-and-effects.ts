import { isDeepStrictEqual } from 'node:util';
import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { answerOf, failedAnswer, journeyAnswer } from '../../../../workflows/shared/external-activity-answer.js';
import { alea, uuid4FromRandom } from '../../../../workflows/shared/sdk-internals.js';
import { jsonBytes } from '../../../base/json/size.js';
import { isObject, type Json, type JsonObject, own } from '../../../base/json/value.js';
import { isProblem, ProblemError, problem } from '../../../base/problems/problem.js';
import type { ExternalAnswer } from '../../../engine/definition/external-activity-types.js';
import { AttemptLost, type Effect } from '../../../engine/host.js';
import type { LocalEnvironment, StopSignal } from '../../../engine/local-cancellation-scope.js';
import type { RecordedEvent } from './decode-history-events.js';
import type { OpenCall, OpenTimer, ReplayListener } from './observe-replayed-states.js';

type Local = Extract<RecordedEvent, { kind: 'local' }>;
type Ordinary = Extract<RecordedEvent, { kind: 'effect' }>;
type ChildStarted = Extract<RecordedEvent, { kind: 'childStarted' }>;
type Timer = Extract<RecordedEvent, { kind: 'timerSet' }>;

/** An effect that the engine requested. */
interface AskedEffect {
  readonly effect: Effect;
  readonly at: number;
  readonly call: OpenCall | undefined;
  resolve(answer: Json): void;
  reject(error: unknown): void;
  stopped?: true;
}

/** A timer that the engine requested. */
interface AskedTimer {
  readonly label: string;
  readonly ms: number;
  readonly timer: OpenTimer | undefined;
  fire(): void;
}

/** The clock and effects of a replay: requests of the engine are matched with the effects and timers that a history records. */
export class RecordedWorld implements LocalEnvironment {
  now = 0;
  /** The visit whose state makes the next request. */
  visit: string | undefined;
  /** The visit that began last. */
  entered: string | undefined;
  private readonly effects: AskedEffect[] = [];
  private readonly timers: AskedTimer[] = [];
  private readonly scheduled = new Map<number, AskedEffect>();
  private readonly started = new Map<number, AskedTimer>();

  constructor(
    private readonly listener: ReplayListener,
    /** Receives the size of each call. */
    private readonly addCall: (bytes: number) => void,
  ) {}

  perform(effect: Effect, stop: StopSignal): Promise<Json> {
    const { visit, now: at } = this;
    return new Promise((resolve, reject) => {
      const call = visit === undefined ? undefined : this.listener.called(visit, at, effect);
      const asked: AskedEffect = { effect, at, call, resolve, reject };
      this.effects.push(asked);
      stop(() => {
        asked.stopped = true;
        remove(this.effects, asked);
        call?.abandoned(this.now);
      });
    });
  }

  async sleepUntil(instant: number, label: string, stop: StopSignal): Promise<void> {
    const { visit } = this;
    const timer = visit === undefined ? undefined : this.listener.waits(visit, this.now, instant);
    let asked: AskedTimer | undefined;
    stop(() => {
      if (asked) remove(this.timers, asked);
      timer?.stopped(this.now);
    });
    const sleep = (): Promise<void> =>
      new Promise((fire) => {
        asked = { label, ms: Math.max(instant - this.now, 1), timer, fire };
        this.timers.push(asked);
      });
    do await sleep();
    while (this.now < instant);
    timer?.fired(this.now);
  }

  /** Answers the engine's request by a local activity; false if it made none like that. */
  local({ name, label, endedAt, result, failure }: Local): boolean {
    const asked = matching(this.effects, { name, label });
    if (!asked) return false;
    this.now = Math.max(this.now, endedAt ?? this.now);
    // What a local activity could not do is repeated as an ordinary one.
    if (failure && !problemIn(failure)) return true;
    remove(this.effects, asked);
    if (failure) this.reject(asked, failure);
    else this.resolve(asked, shortened(result, asked, this.now));
    return true;
  }

  /** Finds the engine's request of an activity; false if it made none like that. */
  schedule(event: Ordinary): boolean {
    const asked = matching(this.effects, event, event.input);
    if (!asked) return false;
    remove(this.effects, asked);
    this.scheduled.set(event.id, asked);
    return true;
  }

  /** Finds the engine's request of a timer; false if it made none like that. */
  start({ id, label, ms }: Timer): boolean {
    const like = this.timers.filter((it) => it.label === label);
    const asked = like.find((it) => it.ms === ms) ?? like[0];
    if (!asked) return false;
    remove(this.timers, asked);
    this.started.set(id, asked);
    return true;
  }

  attempted(of: number, attempt: number): void {
    this.scheduled.get(of)?.call?.attempted(attempt);
  }

  answered(of: number, answer: Json): void {
    const asked = this.takeScheduled(of);
    if (asked) this.resolve(asked, asked.effect.external ? recordedAnswer(asked.effect, answerOf(answer)) : answer);
  }

  failed(of: number, failure: Error | undefined): void {
    const asked = this.takeScheduled(of);
    if (asked?.effect.external)
      this.resolve(asked, recordedAnswer(asked.effect, failedAnswer(failure, asked.effect.safe)));
    else if (asked) this.reject(asked, failure);
  }

  /** A detached child is only started. */
  childStarted({ of, workflowId, runId }: ChildStarted): void {
    const { effect } = this.scheduled.get(of) ?? {};
    if (!isObject(effect?.input ?? null) || own(effect!.input, 'detach') !== true) return;
    this.resolve(this.takeScheduled(of)!, { ok: true, value: { workflowId, runId } });
  }

  fired(of: number): void {
    const asked = this.started.get(of);
    this.started.delete(of);
    asked?.fire();
  }

  private takeScheduled(of: number): AskedEffect | undefined {
    const asked = this.scheduled.get(of);
    this.scheduled.delete(of);
    return asked?.stopped ? undefined : asked;
  }

  private resolve({ effect, call, resolve }: AskedEffect, answer: Json): void {
    this.addCall(jsonBytes(answer) + (effect.bytes ?? 0));
    call?.ended(this.now, { answer });
    resolve(answer);
  }

  private reject({ effect, call, reject }: AskedEffect, failure: Error | undefined): void {
    call?.ended(this.now, { failure });
    reject(errorOf(effect, failure));
  }
}

/** The answer that the run made of an external one. */
function recordedAnswer({ input }: Effect, answer: ExternalAnswer): Json {
  return (own(input, 'journey') === undefined ? answer : journeyAnswer(answer)) as Json;
}

/** The error that the engine saw, as in `TemporalScope`. */
function errorOf({ safe, repeatable, request }: Effect, failure: Error | undefined): unknown {
  const known = problemIn(failure);
  if (known) return known;
  if (!(failure instanceof TimeoutFailure)) return failure;
  const isUnaccepted = failure.timeoutType === 'SCHEDULE_TO_START';
  if (request && isUnaccepted) return new ProblemError(problem('REQUEST_GONE'));
  return !safe && !repeatable && !isUnaccepted ? new AttemptLost() : failure;
}

function problemIn(failure: Error | undefined): ProblemError | undefined {
  const detail = failure instanceof ApplicationFailure ? failure.details?.[0] : undefined;
  return isProblem(detail) ? new ProblemError(detail) : undefined;
}

/** The answer of a local activity that leaves the next attempt to the run, with the time that is left for it. */
function shortened(answer: Json, { effect, at }: AskedEffect, now: number): Json {
  const later = isObject(answer) ? answer.retryLater : undefined;
  return isObject(later) ? { retryLater: { ...later, budgetMs: effect.budgetMs - (now - at) } } : answer;
}

/** The oldest request of this effect, and of several the one with this input. */
function matching(
  asked: readonly AskedEffect[],
  { name, label }: { readonly name: string; readonly label: string },
  input?: Json,
): AskedEffect | undefined {
  const like = asked.filter(({ effect }) => effect.name === name && effect.label === label);
  if (like.length < 2 || input === undefined) return like[0];
  const bare = withoutTrace(input);
  return like.find(({ effect }) => isDeepStrictEqual(recordedPart(effect, bare), bare)) ?? like[0];
}

/** The part of a request that a history records: of a call of another worker only some fields. */
function recordedPart({ input, external }: Effect, recorded: Json): Json {
  const bare = withoutTrace(input);
  if (!external || !isObject(bare) || !isObject(recorded)) return bare;
  return Object.fromEntries(Object.keys(recorded).map((name) => [name, bare[name] ?? null]));
}

/** A request without its place in a trace, which a replay does not know. */
function withoutTrace(input: Json): Json {
  if (!isObject(input)) return input;
  const { trace: _, ...rest } = input;
  return JSON.parse(JSON.stringify(rest)) as JsonObject;
}

function remove<T>(list: T[], it: T): void {
  const at = list.indexOf(it);
  if (at >= 0) list.splice(at, 1);
}

/** The random numbers that an execution has drawn, which Temporal derives from its run id. */
export class WorkflowRandom {
  private draw: () => number;

  constructor(runId: string) {
    this.draw = generator(runId);
  }

  /** A reset continues with the numbers of the new execution. */
  reseed(runId: string): void {
    this.draw = generator(runId);
  }

  readonly random = (): number => this.draw();

  readonly uuid = (): string => uuid4FromRandom(() => this.draw());
}

function generator(runId: string): () => number {
  const seed = Buffer.alloc(8);
  seed.writeBigUInt64BE(sipHash13(Buffer.concat([Buffer.from(runId), Buffer.from([0xff])])));
  return alea([...seed]);
}

const mask = (1n << 64n) - 1n;

/** SipHash with one and three rounds and an empty key, by which Temporal's SDKs turn a run id into a seed. */
function sipHash13(bytes: Buffer): bigint {
  const v = [0x736f6d6570736575n, 0x646f72616e646f6dn, 0x6c7967656e657261n, 0x7465646279746573n];
  const whole = bytes.length - (bytes.length % 8);
  const absorb = (word: bigint): void => {
    v[3]! ^= word;
    round(v);
    v[0]! ^= word;
  };
  for (let at = 0; at < whole; at += 8) absorb(bytes.readBigUInt64LE(at));
  let last = BigInt(bytes.length & 0xff) << 56n;
  for (let i = whole; i < bytes.length; i += 1) last |= BigInt(bytes[i]!) << BigInt(8 * (i - whole));
  absorb(last);
  v[2]! ^= 0xffn;
  for (let i = 0; i < 3; i += 1) round(v);
  return v[0]! ^ v[1]! ^ v[2]! ^ v[3]!;
}

function round(v: bigint[]): void {
  const add = (a: number, b: number) => {
    v[a] = (v[a]! + v[b]!) & mask;
  };
  const mix = (a: number, b: number, bits: bigint) => {
    v[a] = (((v[a]! << bits) | (v[a]! >> (64n - bits))) & mask) ^ v[b]!;
  };
  const turn = (a: number) => {
    v[a] = ((v[a]! << 32n) | (v[a]! >> 32n)) & mask;
  };
  add(0, 1);
  mix(1, 0, 13n);
  turn(0);
  add(2, 3);
  mix(3, 2, 16n);
  add(0, 3);
  mix(3, 0, 21n);
  add(2, 1);
  mix(1, 2, 17n);
  turn(2);
}
