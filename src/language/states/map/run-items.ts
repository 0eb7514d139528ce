import { jsonBytes } from '../../../base/json/size.js';
import { emptyObject, isObject, type JsonObject } from '../../../base/json/value.js';
import { ProblemError, problem, refuse } from '../../../base/problems/problem.js';
import { unusedBudgets, workCosts } from '../../../engine/budgets.js';
import { executeGraph } from '../../../engine/execute-graph.js';
import { childId, type Frame, newFrame, setRequest } from '../../../engine/frame.js';
import { Interrupted, type Scope } from '../../../engine/host.js';
import { type End, runtimeFailure } from '../../../engine/outcome.js';
import type { Run } from '../../../engine/run.js';
import { withoutField } from '../../../engine/update-context.js';
import { isTrue } from '../check-predicate-result.js';
import { Slots } from './item-slots.js';
import type { MapState } from './map.js';
import { failuresOf, type MapProgress } from './map-progress.js';

/** The most bytes of all results and failures of one map, as JSON. A run carries them over when it continues as new. */
const mostResultBytes = 1_000_000;

/** The items of one map while they run. */
export class Items {
  /** How the map ends, once that is decided. It does so when every item in flight has stopped. */
  private decided: (() => void) | undefined;
  /** Whether `until` has closed the items. */
  private closes = false;
  /** Items, and evaluations of `until`. */
  private inFlight = 0;
  private checks: Promise<void> = Promise.resolve();
  private checking = 0;
  private readonly prefix: string;
  private readonly slots: Slots;
  private resolve!: (failed: End | undefined) => void;
  private reject!: (error: unknown) => void;

  constructor(
    private readonly state: MapState,
    private readonly progress: MapProgress,
    private readonly frame: Frame,
    private readonly scope: Scope,
    private readonly run: Run,
  ) {
    this.prefix = childId(frame, '');
    const most = () => Math.min(state.maxConcurrency, run.host.itemsAtOnce?.() ?? state.maxConcurrency);
    this.slots = new Slots(this.prefix, progress, most, run, () => this.itemParked());
  }

  /** Resolves when all items have ended or were closed, or with the end of the item that exceeded the tolerated failures. */
  async toEnd(): Promise<End | undefined> {
    const { tally, live, parked } = this.progress;
    if (tally.done === tally.total) return undefined;
    const { itemSlots, parking: movement } = this.run;
    itemSlots.set(this.prefix, this.slots);
    try {
      return await new Promise((resolve, reject) => {
        this.resolve = resolve;
        this.reject = reject;
        for (const item of live) movement.working.add(item);
        // Items that wait for a slot are in line before others give one up.
        const isParked = ({ item }: Frame) => Object.hasOwn(parked, item!.index);
        const begun = [...live.filter(isParked), ...live.filter((item) => !isParked(item))];
        const fresh = this.begin();
        movement.leave(this.frame);
        for (const item of begun) this.go(item, () => this.walk(item));
        this.first(fresh);
      });
    } finally {
      itemSlots.delete(this.prefix);
    }
  }

  /** Creates frames for as many further items as may run. They count as working from now on. */
  private begin(): Frame[] {
    const { waiting, keys, live, tally } = this.progress;
    const { frame, run, state, slots } = this;
    const count = Math.min(slots.vacancies, waiting.length);
    const names = keys?.splice(0, count);
    return waiting.splice(0, count).map((value, i) => {
      const index = tally.done + live.length;
      const key = names?.[i];
      const item = { value, index, ...(key !== undefined && { key }), spent: unusedBudgets(run.host.now()) };
      const inner = newFrame(childId(frame, String(index)), state.graph.start, emptyObject(), { ...frame, item });
      live.push(inner);
      run.parking.working.add(inner);
      run.turn.spend(workCosts.branch);
      return inner;
    });
  }

  /** Starts items that have just been created. */
  private first(items: readonly Frame[]): void {
    for (const item of items) this.go(item, () => this.firstWalk(item));
  }

  /** Begins further items in place of one that was parked; not at once, because items that park immediately would nest. */
  private itemParked(): void {
    if (this.scope.interruption || this.checking > 0) return;
    this.slots.grant();
    const fresh = this.begin();
    if (fresh.length > 0) Promise.resolve().then(() => this.first(fresh));
  }

  private go(item: Frame, body: () => Promise<unknown>): void {
    this.inFlight += 1;
    this.scope.inside(body).then(
      () => this.itemStopped(item),
      (error) => {
        this.run.parking.leave(item);
        if (error instanceof Interrupted) {
          this.leaveContext(item);
          this.itemStopped(item);
        } else this.reject(error);
      },
    );
  }

  private itemStopped(item: Frame): void {
    if (item.acted) this.frame.acted = true;
    this.stopped();
  }

  private stopped(): void {
    this.inFlight -= 1;
    if (this.inFlight > 0) return;
    const { interruption } = this.scope;
    if (this.decided) this.decided();
    else if (interruption) this.reject(new Interrupted(interruption));
  }

  /**
   * An item that was cut short leaves its context as its result, or beside the results if `until` closed it, if it has changed something
   * in the world. If there is no room for that, it is a failure, so that a compensation can see that something is missing.
   */
  private leaveContext({ acted, item, context: all }: Frame): void {
    if (!acted) return;
    const { progress, frame, run } = this;
    const { index } = item!;
    const context = withoutField(all, 'payload');
    const bytes = jsonBytes(context);
    if (progress.bytes + bytes <= mostResultBytes) {
      if (this.closes) progress.closed = [...(progress.closed ?? []), { index, context }];
      else progress.results[index] = context;
      progress.bytes += bytes;
      return;
    }
    const reason = `The item was cut short, and its context of ${bytes} bytes does not fit into the results.`;
    progress.failures.push({ index, error: { code: 'MAP_RESULTS_TOO_LARGE', reason } });
    run.host.note?.(`Item ${index} of the map \`${frame.at}\` was cut short, and its result is too large to keep.`);
  }

  private walk(item: Frame): Promise<End> {
    return executeGraph(this.state.graph, item, this.scope, this.run, (end) => this.ended(item, end));
  }

  /** Computes the item's input and walks its graph. An item whose input cannot be computed fails like any other. */
  private async firstWalk(item: Frame): Promise<void> {
    const { state, run, scope } = this;
    const { turn } = run;
    if (state.input) {
      try {
        // Waits for its turn as `walk` does between two states, and is inlined for the same reason.
        for (let place = turn.place(); place !== undefined; place = turn.place(place))
          await Promise.race([turn.wait(place), scope.interrupted]);
        item.context = await inputOf(state.input, item, this.frame, run);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        this.ended(item, runtimeFailure(error.problem, this.frame.at, this.frame.context));
        run.parking.leave(item);
        return;
      }
    }
    await this.walk(item);
  }

  /** Called while the item still counts as working, so that the run does not look idle before the next items or the map continue. */
  private ended(item: Frame, end: End): void {
    const { progress, frame, run, state, slots } = this;
    const { tally, live } = progress;
    const { index } = item.item!;
    live.splice(live.indexOf(item), 1);
    if (!item.request) setRequest(frame, undefined);
    const failure = end.phase === 'FAILED' ? { index, error: end.error! } : undefined;
    if (failure) progress.failures.push(failure);
    else progress.results[index] = end.output;
    progress.bytes += jsonBytes(failure ?? end.output);
    tally.done += 1;
    tally.failed = progress.failures.length;
    // One that ends after the map was cut short is recorded, and decides nothing.
    if (this.scope.interruption) return;
    slots.ended(index);
    if (tally.done % Math.ceil(tally.total / 100) === 0) run.host.progressed?.();
    if (progress.bytes > mostResultBytes) this.settle(() => this.reject(tooLarge(progress)));
    else if (failure && isTooMany(tally.failed, state))
      this.settle(() => this.resolve({ ...end, error: { ...failure.error, index } }));
    else if (state.until) this.check();
    else if (tally.done === tally.total) this.settle(() => this.resolve(undefined));
    else {
      slots.grant();
      const fresh = this.begin();
      // Leave before the next items start, so that with one item at a time each counts as alone.
      run.parking.leave(item);
      this.first(fresh);
    }
  }

  /** Evaluates `until` once for each item that has ended, one after the other. No item begins or gets a slot meanwhile, and the map counts as working. */
  private check(): void {
    const { run, frame, scope } = this;
    run.parking.working.add(frame);
    this.inFlight += 1;
    this.checking += 1;
    this.checks = this.checks
      .then(() => scope.inside(() => this.isEnough()))
      .then(
        (isEnough) => {
          if (isEnough) this.close();
        },
        (error) => {
          if (!(error instanceof Interrupted)) this.settle(() => this.reject(error));
        },
      )
      .then(() => this.checked());
  }

  private async isEnough(): Promise<boolean> {
    const { progress, run, scope, frame, state } = this;
    const { turn } = run;
    for (let place = turn.place(); place !== undefined; place = turn.place(place))
      await Promise.race([turn.wait(place), scope.interrupted]);
    if (scope.interruption) return false;
    const bindings = { results: [...progress.results], failures: failuresOf(progress) };
    return isTrue(await run.evaluate(state.until!, 'predicate', frame, bindings));
  }

  private close(): void {
    if (this.scope.interruption) return;
    this.closes = true;
    this.settle(() => this.resolve(undefined));
  }

  private checked(): void {
    const { run, frame, scope } = this;
    const { tally } = this.progress;
    this.checking -= 1;
    if (this.checking === 0 && !this.decided) {
      if (tally.done === tally.total && !scope.interruption) this.settle(() => this.resolve(undefined));
      else {
        if (!scope.interruption) this.slots.grant();
        const fresh = scope.interruption ? [] : this.begin();
        run.parking.leave(frame);
        this.first(fresh);
      }
    }
    this.stopped();
  }

  /** Cuts the other items short. */
  private settle(how: () => void): void {
    this.decided ??= how;
    this.run.parking.working.add(this.frame);
    this.scope.interrupt('superseded');
  }
}

/** Whether this number of failed items makes the map fail. */
export function isTooMany(failed: number, { tolerated }: Pick<MapState, 'tolerated'>): boolean {
  return tolerated !== undefined && failed > tolerated;
}

function tooLarge({ bytes, tally }: MapProgress): ProblemError {
  const detail = `The results of ${tally.done} of ${tally.total} items have ${bytes} bytes as JSON; the limit is ${mostResultBytes}.`;
  const hint = 'End each item with `succeed` and an outputVar that holds only what is needed.';
  return new ProblemError(problem('MAP_RESULTS_TOO_LARGE', detail, { hint }));
}

/** The first context of an item, computed from the surrounding context and the item. */
async function inputOf(input: MapState['input'], item: Frame, around: Frame, run: Run): Promise<JsonObject> {
  const value = await run.evaluate(input!, 'mapper', { ...item, context: around.context });
  return isObject(value) ? value : refuse('MAP_INPUT_NOT_OBJECT', 'The input of an item must be an object.');
}
