import type { Json, JsonObject } from '../../../src/base/json/value.js';
import type { Frame } from '../../../src/engine/frame.js';
import type { End, Outcome } from '../../../src/engine/outcome.js';
import type { Reply } from '../../../src/language/tasks/task-kind.js';
import type { WatchedScope } from './watched-scope.js';

/** One visit of a state, as seen from outside: when it began and ended, with which context, and what it asked for. */
export interface Visit {
  /** The path of the graph around it; empty at the top, `compensation` at the top of a compensation. */
  frame: string;
  state: string;
  /** The number of the state in its frame, from 1. */
  number: number;
  /** The item of a map that it is in. */
  index?: number;
  item?: Json;
  /** The name of that item in addresses of steps. */
  itemName?: string;
  /** Order in the log, over everything. */
  entered: number;
  enteredAt: number;
  before: JsonObject;
  left?: number;
  leftAt?: number;
  after?: JsonObject;
  next?: string;
  end?: End;
  /** The code of the problem with which the state failed. */
  problem?: string;
  effects: EffectCall[];
}

/** An effect that a task requested. */
export interface EffectCall {
  visit: Visit;
  name: string;
  seq: number;
  at: number;
  safe: boolean;
  key?: string;
  answered?: number;
  answeredAt?: number;
  lost?: true;
  attempts: Attempt[];
}

/** One request that reached a service. */
export interface Attempt {
  seq: number;
  at: number;
  reply: WorldReply;
}

/** A scripted reply; `lost` if the process that made the call is gone before it arrives. */
export interface WorldReply extends Reply {
  lost?: true;
}

/** A submission and its answer. */
export interface Submitted {
  seq: number;
  at: number;
  address: string;
  payload: Json;
  how: 'step' | 'early' | 'signal';
  key?: string;
  /** `signal` for a plain signal, which has no answer; `repeated` for one that the key recognised. */
  verdict: 'accepted' | 'kept' | 'signal' | 'repeated' | string;
  /** The answer, once the run was idle. */
  answer?: Json;
}

/** An event that interrupts the run as a whole. */
export interface Cut {
  seq: number;
  at: number;
  cause: 'cancel' | 'deadline';
}

/** Everything that was seen of one play of a world. */
export interface WorldLog {
  visits: Visit[];
  /** Each frame by its id, with its scope, as its last execution left them. */
  frames: Map<string, { frame: Frame; scope: WatchedScope }>;
  submissions: Submitted[];
  cuts: Cut[];
  /** Cancel requests that the journey ignored. */
  ignoredCancels: number;
  outcome?: Outcome;
  context?: JsonObject;
  endedAt?: number;
  /** Order of the end of the run in the log. */
  ended?: number;
  compensations: { started: number; outcome?: Outcome; context: JsonObject }[];
  /** The number of times that the run continued as new. */
  continued: number;
  /** What must not happen at all. */
  faults: string[];
  /** Steps that wait at the end, if the run did not end. */
  waiting: string[];
  tied: boolean;
}
