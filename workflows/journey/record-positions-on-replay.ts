import { defineQuery, setHandler, workflowInfo } from '@temporalio/workflow';
import { maxPayloadBytes } from '../../src/base/json/size.js';
import { isObject, type Json } from '../../src/base/json/value.js';
import { checkedSize } from '../../src/engine/payload-limits.js';
import type { Position, Run } from '../../src/engine/run.js';
import { type LoggedPosition, type LoggedPositions, names } from './workflow-contract.js';

/** Number of latest entries whose position is kept. */
const kept = 200;
/** Maximum number of frames, because each entry copies all of them. */
const mostFrames = 50;
/** Maximum number of map items in all kept positions together. */
const mostListed = 2_000_000;

/**
 * Answers queries for the position of a run at each of the states that it entered. Pure states leave no event in the history, so a position
 * can only come from the run itself. Positions are recorded only during replay: an ended run is replayed for the query, and a
 * live one records nothing. Contexts are never changed in place, so the recorded positions share them.
 */
export function recordPositions(run: Run): void {
  const { trail, parking: movement } = run;
  /** The last state of each frame. */
  const entered = new Map<string, string>();
  let moments: LoggedPosition[] = [];
  let count = 0;
  let listed = 0;
  trail.onEntry = ({ frame, state, at }) => {
    const n = count;
    count += 1;
    const frames = movement.working.size + movement.parked.size;
    if (!workflowInfo().unsafe.isReplaying || frames > mostFrames) {
      moments = [];
      listed = 0;
      entered.clear();
      return;
    }
    entered.set(frame, state);
    const { spent: _, ...position } = run.position;
    moments.push({
      n,
      frame,
      state,
      at,
      position: copyOf(position as unknown as Json, entered) as unknown as Position,
    });
    listed += itemsIn(run);
    const isFull = listed > mostListed;
    if (isFull || moments.length > 2 * kept) {
      moments = moments.slice(isFull ? -kept / 4 : -kept);
      listed = moments.length * itemsIn(run);
    }
  };
  setHandler(
    defineQuery<LoggedPositions, [number | null]>(names.moment),
    (n) => {
      const moment = moments.find((it) => it.n === n);
      if (moment) checkedSize('The position', moment.position as unknown as Json, maxPayloadBytes);
      return { known: moments.map(({ position: _, ...it }) => it), ...(moment && { moment }) };
    },
    { description: 'Position of an ended run when it entered one of its states' },
  );
}

/** Number of items of the maps that the run is in. */
function itemsIn({ tallies }: Run): number {
  let items = 0;
  for (const { total } of tallies.values()) items += total;
  return items;
}

/** Fields that are never changed in place: a copy may share them. */
const shared: readonly string[] = ['context', 'fork', 'end', 'attributes', 'tags', 'bindings', 'cookies', 'value'];
/** Lists of a map. Their elements are never changed in place. */
const lists: readonly string[] = ['waiting', 'results', 'failures'];

/**
 * Copies the parts of a position that the run changes. A rerun from it enters the executing states again, so their visits are not counted in
 * the copy: then they have the same numbers as before.
 */
function copyOf(value: Json, entered: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value)) return value.map((it) => copyOf(it, entered));
  if (!isObject(value)) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, it]) => {
      if (shared.includes(key)) return [key, it];
      return [key, Array.isArray(it) && lists.includes(key) ? it.slice() : copyOf(it as Json, entered)];
    }),
  );
  const { id, at, progress, entered: visits } = copy;
  const isExecuting = typeof visits === 'number' && progress === undefined && entered.get(id as string) === at;
  return isExecuting ? { ...copy, entered: visits - 1 } : copy;
}
