import type { Definition, Graph } from '../definition/definition.js';
import { compensationJourney } from '../engine/compensation.js';
import { type Frame, progressOf } from '../engine/frame.js';
import type { Position } from '../engine/run.js';
import { escapePointer } from '../json/pointer.js';
import { isTooMany, type MapProgress } from './map/run.js';
import { isDecided, type ParallelProgress } from './parallel/run.js';

/** Why a run cannot go on by another definition, and the place there that does not fit. */
export interface Misfit {
  readonly why: string;
  readonly pointer: string;
}

/**
 * Why a run that stands at `root` cannot go on by another definition: a frame whose state is not there, is of another type, or would have
 * been ended by what has happened in it. Undefined where every frame finds what it needs. A state that keeps more than these know of its
 * progress is not moved.
 */
export function misfit(from: Definition, to: Definition, root: Frame, compensates = false): Misfit | undefined {
  if (!compensates) return new Fitting(from, to).misfit(from, to, root, '/spec');
  if (!to.compensation) return { why: 'It has no compensation.', pointer: '/spec' };
  return new Fitting(from, to).misfit(compensationJourney(from), compensationJourney(to), root, '/spec/compensation');
}

/** A position as a run of another version goes on from it: a deadline stays what it is, if that version has one. */
export function movedPosition({ deadlineAt, ...position }: Position, to: Definition, now: number): Position {
  if (!to.execution) return position;
  return { ...position, deadlineAt: deadlineAt ?? now + to.execution.maxDurationSec * 1000 };
}

class Fitting {
  constructor(
    private readonly from: Definition,
    private readonly to: Definition,
  ) {}

  misfit(old: Graph, now: Graph, frame: Frame, below: string): Misfit | undefined {
    const { at, progress } = frame;
    const before = own(old.states, at);
    const after = own(now.states, at);
    const pointer = `${below}/states/${escapePointer(at)}`;
    const not = (why: string): Misfit => ({ why, pointer });
    if (!after) return { why: `It has no state '${at}'.`, pointer: `${below}/states` };
    if (before && before.type !== after.type) return not(`Its state '${at}' is a ${after.type}, not a ${before.type}.`);
    if (!progress || progress.kind === 'timer' || progress.kind === 'wait') return undefined;
    if (
      progress.kind === 'subjourney' &&
      progress.frame &&
      before?.type === 'subjourney' &&
      after.type === 'subjourney'
    ) {
      const [inner, other] = [own(this.from.subjourneys, before.ref), own(this.to.subjourneys, after.ref)];
      if (!inner || !other || before.ref !== after.ref) return not(`Its state '${at}' calls another subjourney.`);
      return this.misfit(inner, other, progress.frame, `/spec/subjourneys/${escapePointer(after.ref)}`);
    }
    const parallel = progressOf<ParallelProgress>(frame, 'parallel');
    if (parallel && before?.type === 'parallel' && after.type === 'parallel') {
      const { branches } = parallel;
      const names = (branches: readonly { name: string }[]) => branches.map(({ name }) => name).join(', ');
      if (names(before.branches) !== names(after.branches)) return not(`Its state '${at}' has other branches.`);
      if (branches.some(({ end }) => end) && isDecided(after, branches))
        return not(`In its state '${at}' a branch has ended that would have decided the join.`);
      return first([...branches.entries()], ([i, { end, frame }]) =>
        end
          ? undefined
          : this.misfit(before.branches[i]!, after.branches[i]!, frame, `${pointer}/parallel/branches/${i}`),
      );
    }
    const map = progressOf<MapProgress>(frame, 'map');
    if (map && before?.type === 'map' && after.type === 'map') {
      const failed = map.failures.length;
      if (isTooMany(failed, after))
        return not(`Its state '${at}' bears ${after.tolerated} failed items, and has ${failed} already.`);
      return first(map.live, (item) => this.misfit(before.graph, after.graph, item, `${pointer}/map`));
    }
    return not(`The run is in the middle of '${at}', which cannot be moved.`);
  }
}

/** The first that does not fit. */
function first<T>(all: readonly T[], look: (one: T) => Misfit | undefined): Misfit | undefined {
  for (const one of all) {
    const found = look(one);
    if (found) return found;
  }
  return undefined;
}

function own<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
