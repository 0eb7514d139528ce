import { escapePointer } from '../../base/json/pointer.js';
import { compensationJourney } from '../../engine/compensation.js';
import type { Definition, Graph } from '../../engine/definition/definition.js';
import type { Frame } from '../../engine/frame.js';
import type { Position } from '../../engine/run.js';
import { stateMigrationConflict } from './state-queries.js';
import type { MigrationConflict } from './state-type.js';

/**
 * Why a run at `root` cannot migrate to another definition: the state of a frame is missing there, has another type, or does not fit the
 * frame's progress. Undefined if every frame fits.
 */
export function migrationConflict(
  from: Definition,
  to: Definition,
  root: Frame,
  compensates = false,
): MigrationConflict | undefined {
  if (!compensates) return new Fitting(from, to).misfit(from, to, root, '/spec');
  if (!to.compensation) return { why: 'It has no compensation.', pointer: '/spec' };
  return new Fitting(from, to).misfit(compensationJourney(from), compensationJourney(to), root, '/spec/compensation');
}

/** The position with which a run continues in another version: its deadline stays, if that version has one. */
export function migratedPosition({ deadlineAt, ...position }: Position, to: Definition, now: number): Position {
  if (!to.execution) return position;
  return { ...position, deadlineAt: deadlineAt ?? now + to.execution.maxDurationSec * 1000 };
}

class Fitting {
  constructor(
    private readonly from: Definition,
    private readonly to: Definition,
  ) {}

  misfit(old: Graph, now: Graph, frame: Frame, below: string): MigrationConflict | undefined {
    const { at, progress } = frame;
    const before = own(old.states, at);
    const after = own(now.states, at);
    const pointer = `${below}/states/${escapePointer(at)}`;
    const misfit = (why: string): MigrationConflict => ({ why, pointer });
    if (!after) return { why: `It has no state '${at}'.`, pointer: `${below}/states` };
    if (before && before.type !== after.type)
      return misfit(`Its state '${at}' is of type ${after.type}, not ${before.type}.`);
    if (!progress) return undefined;
    if (!before) return misfit(`The run is in the middle of '${at}', which cannot be migrated.`);
    return stateMigrationConflict(before, after, frame, {
      misfit,
      inner: (graph, other, inner, path) => this.misfit(graph, other, inner, [pointer, ...path].join('/')),
      subjourney: (ref, otherRef, inner) => {
        const [graph, other] = [own(this.from.subjourneys, ref), own(this.to.subjourneys, otherRef)];
        if (!graph || !other || ref !== otherRef) return misfit(`Its state '${at}' calls another subjourney.`);
        return this.misfit(graph, other, inner, `/spec/subjourneys/${escapePointer(ref)}`);
      },
    });
  }
}

function own<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
