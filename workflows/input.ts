import type { Definition } from '../src/definition/definition.js';
import type { DurationLimits } from '../src/definition/duration-limits.js';
import type { MetadataLimits } from '../src/definition/metadata-limits.js';
import type { Rate } from '../src/engine/allowance.js';
import type { RequestRef } from '../src/engine/frame.js';
import type { Outcome } from '../src/engine/outcome.js';
import type { Position, RunInfo } from '../src/engine/run.js';
import type { RunStatus } from '../src/engine/status.js';
import type { Limits } from '../src/expressions/expression.js';
import type { Json, JsonObject } from '../src/json/value.js';
import type { Scheduled } from './scheduled.js';

/** What a run is started with. It carries its definition, so that a changed file never reaches a running journey. */
export interface JourneyInput {
  /** The interpreter's version at the start of the run. */
  interpreter: number;
  definition: Definition;
  info: Omit<RunInfo, 'startedAt'> & { startedAt?: number };
  context: JsonObject;
  /** What a compensation's expressions see of the run before it. With it, the run is the definition's compensation. */
  bindings?: JsonObject;
  tags: string[];
  attributes: JsonObject;
  limits: RunLimits;
  timezone?: string;
  /** The request that started the run, where its journey looks at requests. */
  request?: RequestRef;
  /** Set by continue-as-new. */
  carried?: Carried;
}

/** The bounds a run began with; it keeps them. */
export interface RunLimits {
  expression: Limits;
  /** States in a row without waiting for anything. */
  steps: number;
  /** Calls and timers at once, and how many come back a minute. Runs that began before there was a bound have none. */
  calls?: Rate;
  /** A history longer than this is left behind for a fresh one. */
  historyEvents: number;
  /** Runs that began before they were configurable have those of the language. */
  metadata?: MetadataLimits;
  /** Absent where nothing is configured. */
  duration?: DurationLimits;
}

/** What one execution hands to the next. */
export interface Carried {
  position: Position;
  updatedAt: number;
  /** Signals that came before their step was active. */
  kept: [stepId: string, payloads: Json[]][];
  /** Answered step keys. */
  answers: [key: string, answer: KeyedAnswer][];
  /** The schedule that started the run, where one did. */
  scheduled?: Scheduled;
  /** It goes on where another run stood: this is the first execution of a run. */
  again?: true;
  /** The version of its journey that it moved here from, where it did. */
  moved?: string;
}

/** How a parked run moves to another version of its journey: as a fresh execution. */
export interface RunMove {
  definition: Definition;
  /** The configured values that the version declares. */
  config: JsonObject;
  /** The URLs of steps that the version hands out; those that the run has handed out stay. */
  callbacks?: JsonObject;
  /** What the run's memo says of it from then on. */
  memo: JsonObject;
}

export interface KeyedAnswer {
  hash: string;
  view: StepView;
}

/** What a run says about itself: through the `status` query and in answer to updates. */
export interface JourneyView {
  phase: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  status: RunStatus;
  steps: string[];
  /** The run has ended, or nothing goes on before a timer or a step; only the query says so, as updates answer only then. */
  resting?: boolean;
  /** In answer to an update: the caller has waited long enough, and the run still works on what was sent. */
  working?: true;
  outcome?: Outcome;
  /** By which version it goes on, where it has moved: whoever asks may still know the one before. */
  journeyVersion?: string;
}

export interface StepView extends JourneyView {
  projection: JsonObject;
}

export interface StepSubmission {
  stepId: string;
  payload: Json;
  /** Context fields that the step's inbound binding took from the request. */
  fields?: JsonObject;
  traceparent?: string;
  /** The request that brings it, where the journey looks at requests. */
  request?: RequestRef;
  /** With a key, the same submission twice is one. */
  key?: string;
  /** Hash of step and payload; goes with `key`. */
  hash?: string;
}

/** Which signal a run asks about: the `nth` of its name (from 0) among those brought by the task that began with event `startedId`. */
export interface SignalAmongTimers {
  signal: string;
  nth: number;
  startedId: number;
}

/** What a run's workflow is given: first what its caller sent, which is what people look for, then the rest. */
export type JourneyArguments = [context: JsonObject, rest: Omit<JourneyInput, 'context'>];

/** The workflow of a run, as its starters see it. Its type is the journey's name. */
export type JourneyWorkflow = (...args: JourneyArguments) => Promise<Outcome>;

export function journeyArguments({ context, ...rest }: JourneyInput): JourneyArguments {
  return [context, rest];
}

/** Reads what a run was started with; runs from before had all of it in one argument. Undefined where it is no journey. */
export function readArguments(args: readonly unknown[]): JourneyInput | undefined {
  const [first, rest] = args as [JsonObject | undefined, Omit<JourneyInput, 'context'> | undefined];
  if (rest?.definition) return { ...rest, context: first ?? {} };
  return first?.definition ? (first as unknown as JourneyInput) : undefined;
}

/** What a worker says that will replay a run before it can tell where the run stood: ask again. */
export const replayedNext = 'The run is replayed first; ask again.';

/** The names by which the outside reaches a run. */
export const names = {
  settled: 'settled',
  submitStep: 'submitStep',
  status: 'status',
  context: 'context',
  answer: 'answer',
  guarded: 'guarded',
  trail: 'trail',
  moment: 'moment',
  move: 'move',
} as const;

/** A state that a run entered; `n` counts them within one execution, from 0. */
export interface TrailEntry {
  n: number;
  /** The branch or subjourney it stands in; empty at the top. */
  frame: string;
  state: string;
  /** Milliseconds. */
  at: number;
}

/** What the `trail` query answers: the latest entries, and how many before them are not kept. */
export interface TrailView {
  entries: TrailEntry[];
  dropped: number;
}

/** Where a run stood as it entered a state. */
export interface Moment extends TrailEntry {
  position: Position;
}

/** What the `moment` query answers: the entries whose position is known, and the one that was asked for. */
export interface Moments {
  known: TrailEntry[];
  moment?: Moment;
}

/** Our own workflows; no journey's name can begin like this. */
export const ownPrefix = 'journeyman.';

/** The workflow that starts one run of a schedule. */
export const runNowWorkflow = `${ownPrefix}run-now`;

/** The workflow that tidies up once a day. */
export const maintenanceWorkflow = `${ownPrefix}maintenance`;
