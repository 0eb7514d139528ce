import { defineQuery, setHandler, workflowInfo } from '@temporalio/workflow';
import { measured } from '../src/engine/payload.js';
import type { Position, Run } from '../src/engine/run.js';
import { payloadBytes } from '../src/json/size.js';
import { isObject, type Json } from '../src/json/value.js';
import { type Moment, type Moments, names, type TrailView } from './input.js';

/** How many of the latest entries have their position kept. */
const kept = 200;
/** A run with more frames than this at once is not kept: each entry would copy all of them. */
const mostFrames = 50;
/** So many items of maps may stand in all positions together; each has the lists of its maps, which share what stands in them. */
const mostListed = 2_000_000;

/**
 * The way a run took, for those who ask, and where it stood at each step of it. Pure states leave no event in the history, so a position can
 * only come from the run itself. Positions are kept while the history is replayed and at no other time: an ended run is replayed for the
 * question, and one that goes on keeps nothing. Contexts are never changed in place, so those kept share what they have in common.
 */
export function keepMoments(run: Run): void {
  const { trail, movement } = run;
  /** The state that each frame entered last. */
  const entered = new Map<string, string>();
  let moments: Moment[] = [];
  let count = 0;
  let listed = 0;
  trail.heard = ({ frame, state, at }) => {
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
    defineQuery<TrailView>(names.trail),
    () => {
      const { entries, dropped } = trail;
      return { entries: entries.map((entry, i) => ({ n: dropped + i, ...entry })), dropped };
    },
    { description: 'The states that this execution entered, oldest first' },
  );
  setHandler(
    defineQuery<Moments, [number | null]>(names.moment),
    (n) => {
      const moment = moments.find((it) => it.n === n);
      if (moment) measured('The position', moment.position as unknown as Json, payloadBytes);
      return { known: moments.map(({ position: _, ...it }) => it), ...(moment && { moment }) };
    },
    { description: 'Where an ended run stood when it entered one of its states' },
  );
}

/** How many items the maps have that the run stands in. */
function itemsIn({ tallies }: Run): number {
  let items = 0;
  for (const { total } of tallies.values()) items += total;
  return items;
}

/** What is never changed in place: a copy may share it. */
const shared: readonly string[] = ['context', 'fork', 'end', 'attributes', 'tags', 'bindings', 'cookies', 'value'];
/** Lists of a map that only their ends or places change in: what stands in them is never changed in place. */
const lists: readonly string[] = ['waiting', 'results', 'failures'];

/**
 * A copy of a position that what the run does next leaves alone. Whoever goes on from it enters the states again that were being executed;
 * so that these visits have the numbers they had, they are not counted in it.
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
