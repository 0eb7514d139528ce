import type { Definition, Graph } from '../definition/definition.js';
import { compensationJourney } from '../engine/compensation.js';
import type { Frame, Progress } from '../engine/frame.js';
import { isObject } from '../json/value.js';

/**
 * Why a run that stands at `root` cannot go on by another definition: a frame whose state is not there, or is of another type. Undefined
 * where every frame finds what it needs. A state that keeps more than these know of its progress is not moved.
 */
export function misfit(from: Definition, to: Definition, root: Frame, compensates = false): string | undefined {
  if (!compensates) return misfitOf(from, to, root, from, to);
  if (!to.compensation) return 'It has no compensation.';
  return misfitOf(compensationJourney(from), compensationJourney(to), root, from, to);
}

function misfitOf(old: Graph, now: Graph, frame: Frame, from: Definition, to: Definition): string | undefined {
  const { at, progress } = frame;
  const before = own(old.states, at);
  const after = own(now.states, at);
  if (!after) return `It has no state '${at}'.`;
  if (before && before.type !== after.type) return `Its state '${at}' is a ${after.type}, not a ${before.type}.`;
  if (!progress || progress.kind === 'timer' || progress.kind === 'wait') return undefined;
  if (
    progress.kind === 'subjourney' &&
    progress.frame &&
    before?.type === 'subjourney' &&
    after.type === 'subjourney'
  ) {
    const [inner, other] = [own(from.subjourneys, before.ref), own(to.subjourneys, after.ref)];
    if (!inner || !other || before.ref !== after.ref) return `Its state '${at}' calls another subjourney.`;
    return misfitOf(inner, other, progress.frame, from, to);
  }
  if (progress.kind === 'parallel' && before?.type === 'parallel' && after.type === 'parallel') {
    const names = (branches: readonly { name: string }[]) => branches.map(({ name }) => name).join(', ');
    if (names(before.branches) !== names(after.branches)) return `Its state '${at}' has other branches.`;
    for (const [i, branch] of branchesOf(progress).entries()) {
      const why = misfitOf(before.branches[i]!, after.branches[i]!, branch, from, to);
      if (why !== undefined) return why;
    }
    return undefined;
  }
  return `The run is in the middle of '${at}', which cannot be moved.`;
}

function branchesOf(progress: Progress & { branches?: unknown }): Frame[] {
  const branches = Array.isArray(progress.branches) ? progress.branches : [];
  return branches.flatMap((it) => (isObject(it) && it.end === undefined ? [it.frame as unknown as Frame] : []));
}

function own<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
