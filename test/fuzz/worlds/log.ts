import type { Json, JsonObject } from '../../../src/base/json/value.js';
import type { Frame } from '../../../src/engine/frame.js';
import type { End, Outcome } from '../../../src/engine/outcome.js';
import type { Reply } from '../../../src/language/tasks/task-kind.js';
import type { WatchedScope } from './watched-scope.js';

/** One visit of a state as seen from outside: its start and end, its context, and the requested effects. */
export interface Visit {
  /** The path of the graph around it; empty at the top, `compensation` at the top of a compensation. */
  frame: string;
  state: string;
  /** The number of the state in its frame, from 1. */
  number: number;
  /** The enclosing item of a map. */
  index?: number;
  item?: Json;
  /** The name of that item in addresses of steps. */
  itemName?: string;
  /** Global order in the log. */
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

/** A scripted reply; `lost` if the calling process dies before it arrives. */
export interface WorldReply extends Reply {
  lost?: true;
}

/** A submission and its response. */
export interface Submitted {
  seq: number;
  at: number;
  address: string;
  payload: Json;
  how: 'step' | 'early' | 'signal';
  key?: string;
  /** `signal` for a plain signal, which has no response; `repeated` for one recognised by its key. */
  verdict: 'accepted' | 'kept' | 'signal' | 'repeated' | string;
  /** The response, sent when the run was idle. */
  answer?: Json;
}

/** An event that interrupts the run as a whole. */
export interface Cut {
  seq: number;
  at: number;
  cause: 'cancel' | 'deadline';
}

/** All observations of one play of a world. */
export interface WorldLog {
  visits: Visit[];
  /** Each frame by its id, with its scope, as of its last execution. */
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
  /** Events that must never happen. */
  faults: string[];
  /** Steps that wait at the end of the play, if the run has not ended. */
  waiting: string[];
  tied: boolean;
}
