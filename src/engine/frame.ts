import type { Json, JsonObject } from '../base/json/value.js';
import type { Budgets } from './budgets.js';

/**
 * The position within one graph: the journey itself, a branch, a subjourney. Frames are plain JSON, so the tree of frames is the whole
 * position of a run, from which another execution can continue.
 */
export interface Frame {
  /** Unique within the run; the root's is empty. */
  id: string;
  at: string;
  /** Never changed in place: states assign a new object, so that branches can share the context they were forked from. */
  context: JsonObject;
  /** The number of states that this frame has entered. */
  entered: number;
  /** The request being handled: the start, or the last submission, until the frame parks. */
  request?: RequestRef;
  /** True once an unsafe effect has started in this graph or inside it. If the graph is interrupted, its context is kept for the compensation. */
  acted?: true;
  /** The map item being processed; inherited by frames that start inside this one. */
  item?: Item;
  /** Progress of the state `at`, if that state can be resumed. */
  progress?: Progress;
}

/** One item of a map: the bindings of its expressions, and the part of its own budget that it has consumed. */
export interface Item {
  value: Json;
  index: number;
  /** Names the item in the addresses of its steps; absent if the map has no keys. */
  key?: string;
  spent: Budgets;
}

/**
 * Reference to the request that last advanced the run. Its credentials never enter the run: they stay in the process that accepted the
 * request, which finds it by this id and performs the effects that need them.
 */
export type RequestRef = {
  /** The task queue of that process. */
  queue: string;
  id: string;
  /** True if it has headers that calls pass on. */
  passes?: true;
};

/** Progress of a state that can be resumed. Plain JSON; other fields belong to the state type. */
export interface Progress {
  kind: string;
  /** When it began to wait for input. */
  since?: number;
  /** When it continues without input. */
  dueAt?: number;
  /** The latest round of a state that repeats its work. */
  round?: { number: number; max: number };
  /** The frame that runs in place of this one. */
  frame?: Frame;
}

/** The progress of a frame's state, if it is of this kind. */
export function progressOf<P extends Progress>(frame: Frame, kind: P['kind']): P | undefined {
  return frame.progress?.kind === kind ? (frame.progress as P) : undefined;
}

/** Creates a frame at its first state. It inherits the request and the map item of the surrounding frame. */
export function newFrame(
  id: string,
  at: string,
  context: JsonObject,
  { request, item }: Pick<Frame, 'request' | 'item'> = {},
): Frame {
  return { id, at, context, entered: 0, ...(request && { request }), ...(item && { item }) };
}

/** Sets the request that the frame handles from now on, or none. */
export function setRequest(frame: Frame, request: RequestRef | undefined): void {
  if (request) frame.request = request;
  else delete frame.request;
}

/** The id of a frame that starts inside the current visit of `parent`'s state. */
export function childId(parent: Frame, name: string): string {
  return `${parent.id}${parent.id === '' ? '' : '/'}${parent.at}#${parent.entered}.${name}`;
}
