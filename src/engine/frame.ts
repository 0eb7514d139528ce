import type { Json, JsonObject } from '../json/value.js';
import type { Allowance } from './allowance.js';

/**
 * Where one graph stands: the journey itself, a branch, a subjourney. Frames are plain JSON, so the tree of them is the whole
 * position of a run, and a run can go on from it in another execution.
 */
export interface Frame {
  /** Unique within the run; the root's is empty. */
  id: string;
  at: string;
  /** Never changed in place: states put a new object here, so that branches can share what they were forked from. */
  context: JsonObject;
  /** How many states this frame has entered. */
  entered: number;
  /** The request it works on: the start, or the last step, until it rests. */
  request?: RequestRef;
  /** The item of a map that it works on; what starts inside it works on the same. */
  item?: Item;
  /** What the state `at` has done so far, when it is one that can be resumed. */
  progress?: Progress;
}

/** One item of a map: what its expressions see, and what it has used of an allowance of its own. */
export interface Item {
  value: Json;
  index: number;
  spent: Allowance;
}

/**
 * A request that brought the run where it is. Its credentials never enter the run: they stay in the process that took the request, which
 * knows it by this name and does what needs them.
 */
export type RequestRef = {
  /** Where that process listens. */
  queue: string;
  id: string;
  /** It has headers that calls pass on. */
  passes?: true;
};

/** What a state that can be resumed has done so far. Plain JSON; other fields belong to the state type. */
export interface Progress {
  kind: string;
  /** When it goes on by itself. */
  dueAt?: number;
  /** The frame that goes on in place of this one. */
  frame?: Frame;
}

/** The progress of the state a frame stands in, where it is of this kind. */
export function progressOf<P extends Progress>(frame: Frame, kind: P['kind']): P | undefined {
  return frame.progress?.kind === kind ? (frame.progress as P) : undefined;
}

/** A frame that is about to enter its first state, and works on the same request and item as the one it starts in. */
export function newFrame(
  id: string,
  at: string,
  context: JsonObject,
  { request, item }: Pick<Frame, 'request' | 'item'> = {},
): Frame {
  return { id, at, context, entered: 0, ...(request && { request }), ...(item && { item }) };
}

/** From now on the frame works on `request`, or on none. */
export function worksOn(frame: Frame, request: RequestRef | undefined): void {
  if (request) frame.request = request;
  else delete frame.request;
}

/** The id of a frame that starts inside the current visit of `parent`'s state. */
export function childId(parent: Frame, name: string): string {
  return `${parent.id}${parent.id === '' ? '' : '/'}${parent.at}#${parent.entered}.${name}`;
}
