import { isObject, type Json } from '../../../base/json/value.js';
import { ProblemError, refuse } from '../../../base/problems/problem.js';
import type { Expression } from '../../../engine/definition/definition.js';
import { keyFault, textOfKey } from '../../../engine/definition/keyed-run-id.js';
import { type Frame, progressOf } from '../../../engine/frame.js';
import type { Scope } from '../../../engine/host.js';
import type { Run } from '../../../engine/run.js';
import type { Step } from '../../../engine/runner-interfaces.js';
import { withField } from '../../../engine/update-context.js';
import type { MapState } from './map.js';
import { failuresOf, type MapProgress } from './map-progress.js';
import { Items } from './run-items.js';

/** The most items of one map. This number was measured to fit a run's memory and the input of a continue-as-new. */
const mostItems = 10_000;
/** This many items count as one effect in the run's budget, so that a cycle around a map ends too. */
const itemsPerAsk = 100;

/** Runs the graph for every item, up to `maxConcurrency` at once, and collects the results in the order of the list. */
export async function executeMap(state: MapState, frame: Frame, scope: Scope, run: Run): Promise<Step> {
  const progress = progressOf<MapProgress>(frame, 'map') ?? (await begin(state, frame, scope, run));
  frame.progress = progress;
  run.tallies.set(frame, progress.tally);
  run.host.progressed?.();
  const inner = scope.fork();
  try {
    const failed = await itemsEnd(state, progress, frame, inner, run);
    if (!failed) {
      await collect(state, progress, frame, run);
      return { next: state.next };
    }
    await collectFailed(state, progress, frame, run);
    return { end: { ...failed, context: frame.context } };
  } finally {
    inner.interrupt('superseded');
    run.tallies.delete(frame);
  }
}

/** Also collects the results of a map that is interrupted: by a cancel, the deadline, or results or a position that are too large. */
async function itemsEnd(state: MapState, progress: MapProgress, frame: Frame, scope: Scope, run: Run) {
  try {
    return await new Items(state, progress, frame, scope, run).toEnd();
  } catch (error) {
    await collectFailed(state, progress, frame, run);
    throw error;
  }
}

async function begin(state: MapState, frame: Frame, scope: Scope, run: Run): Promise<MapProgress> {
  const items = await run.evaluate(state.items, 'mapper', frame);
  if (!Array.isArray(items)) {
    const given = isObject(items) ? 'an object' : JSON.stringify(items).slice(0, 60);
    return refuse('MAP_ITEMS_NOT_LIST', `items returned ${given}.`, {
      hint: 'Where there may be none, write `default []` after the expression.',
    });
  }
  const most = run.host.maxItems ?? mostItems;
  if (items.length > most)
    refuse('MAP_ITEMS_TOO_MANY', `There are ${items.length} items; the limit here is ${most}.`, {
      hint: 'Work through them in parts: a cycle around a map, with a timer in it.',
    });
  run.asks(frame, Math.ceil(items.length / itemsPerAsk));
  const keys = state.key && (await keysOf(state.key, items, frame, scope, run));
  return {
    kind: 'map',
    waiting: [...items],
    ...(keys && { keys }),
    live: [],
    parked: {},
    results: new Array<Json>(items.length).fill(null),
    failures: [],
    bytes: 0,
    tally: { total: items.length, done: 0, failed: 0 },
  };
}

/** The key of each item: its name in the addresses of its steps. */
async function keysOf(
  key: Expression,
  items: readonly Json[],
  frame: Frame,
  scope: Scope,
  run: Run,
): Promise<string[]> {
  const { turn } = run;
  const indexes = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    for (let place = turn.place(); place !== undefined; place = turn.place(place))
      await Promise.race([turn.wait(place), scope.interrupted]);
    const value = await run.evaluate(key, 'mapper', frame, { item, index });
    const fault = keyFault(value);
    if (fault !== undefined) refuse('MAP_KEY_INVALID', `The key of item ${index} is not valid: ${fault}.`);
    const name = textOfKey(value);
    const other = indexes.get(name);
    if (other !== undefined)
      refuse('MAP_KEY_DUP', `The items ${other} and ${index} have the same key, ${JSON.stringify(name)}.`);
    indexes.set(name, index);
  }
  return [...indexes.keys()];
}

async function collect(
  { mapper, resultVar, until }: MapState,
  progress: MapProgress,
  frame: Frame,
  run: Run,
): Promise<void> {
  const { results, closed = [] } = progress;
  const bindings = { results, failures: failuresOf(progress), ...(until && { closed }) };
  const value = mapper ? await run.evaluate(mapper, 'mapper', frame, bindings) : results;
  if (resultVar !== undefined) frame.context = withField(frame.context, resultVar, value);
}

/** Collects the results of a failed map, which a compensation may need. */
async function collectFailed(state: MapState, progress: MapProgress, frame: Frame, run: Run): Promise<void> {
  try {
    await collect(state, progress, frame, run);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    run.host.note?.(
      `The mapper of the map \`${frame.at}\`, which failed, could not be evaluated: ${error.problem.code}.`,
    );
  }
}
