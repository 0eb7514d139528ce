import { wholeAllowance } from '../../engine/allowance.js';
import { withField } from '../../engine/context.js';
import { childId, type Frame, newFrame, type Progress, progressOf, worksOn } from '../../engine/frame.js';
import type { Scope } from '../../engine/host.js';
import { type End, type JourneyError, runtimeFailure } from '../../engine/outcome.js';
import type { Run } from '../../engine/run.js';
import type { Tally } from '../../engine/tally.js';
import { work } from '../../engine/turn.js';
import type { Step } from '../../engine/vocabulary.js';
import { walk } from '../../engine/walk.js';
import { jsonBytes } from '../../json/size.js';
import { emptyObject, isObject, type Json, type JsonObject } from '../../json/value.js';
import { ProblemError, problem, refuse } from '../../problems/problem.js';
import type { MapState } from './read.js';

/** The most items of one map: what was shown to fit a run's memory and what it hands to a fresh execution. */
const mostItems = 10_000;
/** The most bytes of all results and failures of one map together, as JSON. A run carries them to its fresh executions. */
const mostResultBytes = 1_000_000;
/** So many items take one of what the run may ask of the world: a cycle around a map must end too. */
const itemsPerAsk = 100;

/** How far a `map` is. */
export interface MapProgress extends Progress {
  kind: 'map';
  /** Those that have not begun. */
  waiting: Json[];
  /** Those that have begun and not ended. */
  live: Frame[];
  /** By item; null for one that failed or has not ended. */
  results: Json[];
  failures: Failure[];
  /** What results and failures take, as JSON. */
  bytes: number;
  tally: Tally;
}

/** A type, not an interface, so that it counts as plain JSON. */
type Failure = { index: number; error: JourneyError };

/** Runs its graph for every item, so many at once as it says, and collects what they end with in the order of the list. */
export async function execute(state: MapState, frame: Frame, scope: Scope, run: Run): Promise<Step> {
  const progress = progressOf<MapProgress>(frame, 'map') ?? (await begin(state, frame, run));
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

/** A map that is cut short (a cancel, the deadline, results or a position that are too large) leaves behind what its items did, too. */
async function itemsEnd(state: MapState, progress: MapProgress, frame: Frame, scope: Scope, run: Run) {
  try {
    return await new Items(state, progress, frame, scope, run).toEnd();
  } catch (error) {
    await collectFailed(state, progress, frame, run);
    throw error;
  }
}

async function begin(state: MapState, frame: Frame, run: Run): Promise<MapProgress> {
  const items = await run.evaluate(state.items, 'mapper', frame);
  if (!Array.isArray(items)) {
    const given = isObject(items) ? 'an object' : JSON.stringify(items).slice(0, 60);
    return refuse('MAP_ITEMS_NOT_LIST', `items gave ${given}.`, {
      hint: 'Where there may be none, write `default []` after the expression.',
    });
  }
  const most = run.host.maxItems ?? mostItems;
  if (items.length > most)
    refuse('MAP_ITEMS_TOO_MANY', `There are ${items.length} items; the limit here is ${most}.`, {
      hint: 'Work through them in parts: a cycle around a map, with a timer in it.',
    });
  run.asks(frame, Math.ceil(items.length / itemsPerAsk));
  return {
    kind: 'map',
    waiting: [...items],
    live: [],
    results: new Array<Json>(items.length).fill(null),
    failures: [],
    bytes: 0,
    tally: { total: items.length, done: 0, failed: 0 },
  };
}

/** The items of one map while they run. */
class Items {
  private over = false;
  private resolve!: (failed: End | undefined) => void;
  private reject!: (error: unknown) => void;

  constructor(
    private readonly state: MapState,
    private readonly progress: MapProgress,
    private readonly frame: Frame,
    private readonly scope: Scope,
    private readonly run: Run,
  ) {}

  /** Resolves when all have ended, or with the end of the one that was a failure too many. */
  toEnd(): Promise<End | undefined> {
    const { tally, live } = this.progress;
    if (tally.done === tally.total) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      for (const item of live) this.run.movement.working.add(item);
      const begun = [...live];
      const fresh = this.take();
      this.run.movement.leave(this.frame);
      for (const item of begun) this.go(item, () => this.walk(item));
      for (const item of fresh) this.go(item, () => this.first(item));
    });
  }

  /** Frames for as many further items as may run; they count as working from now on. */
  private take(): Frame[] {
    const { waiting, live, tally } = this.progress;
    const { frame, run, state } = this;
    const most = Math.min(state.maxConcurrency, run.host.itemsAtOnce?.() ?? state.maxConcurrency);
    const count = Math.min(most - live.length, waiting.length);
    return waiting.splice(0, Math.max(count, 0)).map((value) => {
      const index = tally.done + live.length;
      const item = { value, index, spent: wholeAllowance(run.host.now()) };
      const inner = newFrame(childId(frame, String(index)), state.graph.start, emptyObject(), { ...frame, item });
      live.push(inner);
      run.movement.working.add(inner);
      run.turn.spend(work.branch);
      return inner;
    });
  }

  private go(item: Frame, body: () => Promise<unknown>): void {
    this.scope.inside(body).catch((error) => {
      this.run.movement.leave(item);
      if (!this.over) this.reject(error);
    });
  }

  private walk(item: Frame): Promise<End> {
    return walk(this.state.graph, item, this.scope, this.run, (end) => this.ended(item, end));
  }

  /** An item that cannot begin has failed like one that cannot go on. */
  private async first(item: Frame): Promise<void> {
    const { state, run, scope } = this;
    const { turn } = run;
    if (state.input) {
      try {
        // As between two states, and here for the reason that stands there.
        for (let place = turn.place(); place !== undefined; place = turn.place(place))
          await Promise.race([turn.wait(place), scope.interrupted]);
        item.context = await inputOf(state.input, item, this.frame, run);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        this.ended(item, runtimeFailure(error.problem, this.frame.at, this.frame.context));
        run.movement.leave(item);
        return;
      }
    }
    await this.walk(item);
  }

  /** Called while the item still counts as working, so that the next ones, or the map itself, go on without a moment of rest. */
  private ended(item: Frame, end: End): void {
    if (this.over) return;
    const { progress, frame, run, state } = this;
    const { tally, live } = progress;
    const { index } = item.item!;
    live.splice(live.indexOf(item), 1);
    if (!item.request) worksOn(frame, undefined);
    const failure = end.phase === 'FAILED' ? { index, error: end.error! } : undefined;
    if (failure) progress.failures.push(failure);
    else progress.results[index] = end.output;
    progress.bytes += jsonBytes(failure ?? end.output);
    tally.done += 1;
    tally.failed = progress.failures.length;
    if (tally.done % Math.ceil(tally.total / 100) === 0) run.host.progressed?.();
    if (progress.bytes > mostResultBytes) this.settle(() => this.reject(tooLarge(progress)));
    else if (failure && isTooMany(tally.failed, state))
      this.settle(() => this.resolve({ ...end, error: { ...failure.error, index } }));
    else if (tally.done === tally.total) this.settle(() => this.resolve(undefined));
    else {
      const nexts = this.take();
      // Gone before they begin: with one item at a time, each is alone.
      run.movement.leave(item);
      for (const next of nexts) this.go(next, () => this.first(next));
    }
  }

  private settle(how: () => void): void {
    this.over = true;
    this.run.movement.working.add(this.frame);
    how();
  }
}

/** Whether a map in which so many items have failed has failed itself. */
export function isTooMany(failed: number, { tolerated }: MapState): boolean {
  return tolerated !== undefined && failed > tolerated;
}

function tooLarge({ bytes, tally }: MapProgress): ProblemError {
  const detail = `The results of ${tally.done} of ${tally.total} items have ${bytes} bytes as JSON; the limit is ${mostResultBytes}.`;
  const hint = 'End each item with `succeed` and an outputVar that holds only what is needed.';
  return new ProblemError(problem('MAP_RESULTS_TOO_LARGE', detail, { hint }));
}

/** What an item begins with: computed from the context around it, and the item itself. */
async function inputOf(input: MapState['input'], item: Frame, around: Frame, run: Run): Promise<JsonObject> {
  const value = await run.evaluate(input!, 'mapper', { ...item, context: around.context });
  return isObject(value) ? value : refuse('MAP_INPUT_NOT_OBJECT', 'The input of an item must be an object.');
}

async function collect({ mapper, resultVar }: MapState, progress: MapProgress, frame: Frame, run: Run): Promise<void> {
  const { results } = progress;
  const failures = [...progress.failures].sort((a, b) => a.index - b.index);
  const value = mapper ? await run.evaluate(mapper, 'mapper', frame, { results, failures }) : results;
  if (resultVar !== undefined) frame.context = withField(frame.context, resultVar, value);
}

/** A map that fails still leaves behind what its items did, for the compensation that looks at it. */
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
