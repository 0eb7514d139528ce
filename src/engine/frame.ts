import type { JsonObject } from '../json/value.js';
import type { End } from './outcome.js';

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
  /** What the state `at` has done so far, when it is one that can be resumed. */
  progress?: Progress;
}

export type Progress =
  | { kind: 'timer'; dueAt: number }
  | { kind: 'wait'; dueAt?: number }
  | { kind: 'parallel'; fork: JsonObject; branches: BranchProgress[] }
  | { kind: 'subjourney'; frame: Frame };

export interface BranchProgress {
  frame: Frame;
  end?: End;
}

export function newFrame(id: string, at: string, context: JsonObject): Frame {
  return { id, at, context, entered: 0 };
}

/** The id of a frame that starts inside the current visit of `parent`'s state. */
export function childId(parent: Frame, name: string): string {
  return `${parent.id}${parent.id === '' ? '' : '/'}${parent.at}#${parent.entered}.${name}`;
}
