import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/base/json/value.js';
import type { Definition } from '../../../../src/engine/definition/definition.js';
import { type Position, Run, startPosition } from '../../../../src/engine/run.js';
import { vocabulary } from '../../../../src/language/state-types-and-task-kinds.js';
import { migratedPosition, migrationConflict } from '../../../../src/language/states/check-migration.js';
import { ScriptedBackend } from '../../../../src/scenarios/scripted-backend.js';
import { VirtualHost } from '../../../../src/scenarios/virtual/simulation.js';
import { VirtualClock } from '../../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../../src/scenarios/virtual/virtual-effects.js';
import { journey } from '../../engine/harness.js';

const end = { type: 'succeed' };
const timer = (duration: string, next = 'end') => ({ type: 'timer', timer: { duration }, next });
const wait = (more: JsonObject = {}) => ({
  type: 'wait',
  wait: { channel: 'manual', input: { schema: { type: 'object' } }, ...more },
  next: 'end',
});

/** A run in virtual time that is stopped while it waits. */
class Stopping {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 1));
  private run: Run;
  private result: Promise<unknown>;

  constructor(
    readonly definition: Definition,
    position?: Position,
    now?: number,
  ) {
    if (now !== undefined) this.clock = new VirtualClock(now);
    const host = new VirtualHost(this.clock, new VirtualEffects(this.clock, new ScriptedBackend([])));
    const info = { id: 'r', startedAt: this.clock.now(), environment: 'test', config: {} };
    const start = position ?? startPosition(definition, {}, this.clock.now());
    this.run = new Run(definition, info, start, host, vocabulary);
    this.result = this.run.execute();
  }

  get steps() {
    return this.run.steps.all();
  }

  /** The result of the run, and its end time. */
  async toEnd(): Promise<[unknown, string]> {
    let ended = false;
    this.result.then(() => {
      ended = true;
    });
    await this.clock.settled();
    while (!ended && (await this.clock.advance()));
    return [await this.result, new Date(this.clock.now()).toISOString()];
  }

  /** The reason why the run cannot migrate, or else the migrated run. */
  async movedTo(to: Definition): Promise<Stopping | ReturnType<typeof migrationConflict>> {
    await this.clock.settled();
    const unfit = migrationConflict(this.definition, to, this.run.position.root);
    if (unfit) return unfit;
    expect(this.run.parking.stop()).toBe(true);
    const { continueAt } = (await this.result) as { continueAt: Position };
    const carried = JSON.parse(JSON.stringify(continueAt)) as Position;
    return new Stopping(to, migratedPosition(carried, to, this.clock.now()), this.clock.now());
  }
}

const spec = (states: JsonObject, more: JsonObject = {}) => journey({ start: 'a', states, ...more }, 'dataweave');

async function moved(from: Definition, to: Definition) {
  const found = await new Stopping(from).movedTo(to);
  if (!(found instanceof Stopping)) throw new Error(JSON.stringify(found));
  return found;
}

describe('migration of a waiting run to another definition', () => {
  it('keeps the time of a timer; later states are those of the new definition', async () => {
    const fails = { type: 'fail', errorCode: 'NEW', reason: 'New' };
    const run = await moved(spec({ a: timer('PT1H'), end }), spec({ a: timer('PT9H', 'no'), no: fails, end }));
    const [result, at] = await run.toEnd();
    expect(result).toMatchObject({ outcome: { error: { code: 'NEW' } } });
    expect(at).toBe('2026-01-01T01:00:00.000Z');
  });

  it('keeps the due time of a step; if only one version has a timeout, the new version counts', async () => {
    const day = { timeoutSec: 86_400, onTimeout: 'end' };
    const hour = { timeoutSec: 3_600, onTimeout: 'end' };
    const dues = async (from: JsonObject, to: JsonObject) => {
      const run = await moved(spec({ a: wait(from), end }), spec({ a: wait(to), end }));
      return run.steps.map(({ dueAt }) => dueAt && new Date(dueAt).toISOString());
    };
    expect(await dues(day, hour)).toEqual(['2026-01-02T00:00:00.000Z']);
    expect(await dues(day, {})).toEqual([undefined]);
    expect(await dues({}, hour)).toEqual(['2026-01-01T01:00:00.000Z']);
  });

  it('keeps the deadline of the run in the same way', async () => {
    const within = (maxDurationSec: number) => ({
      execution: { maxDurationSec, onTimeout: { errorCode: 'OVER', reason: 'Over' } },
    });
    const states = { a: timer('P2D'), end };
    const ends = async (from: JsonObject, to: JsonObject) =>
      (await (await moved(spec(states, from), spec(states, to))).toEnd())[1];
    expect(await ends(within(3_600), within(7_200))).toBe('2026-01-01T01:00:00.000Z');
    expect(await ends(within(3_600), {})).toBe('2026-01-03T00:00:00.000Z');
    expect(await ends({}, within(7_200))).toBe('2026-01-01T02:00:00.000Z');
  });

  it('requires that all active branches, subjourneys and items of a map fit; ended ones need not', async () => {
    const parallel = (second: JsonObject, first: JsonObject = { b: end }) => ({
      type: 'parallel',
      parallel: {
        branches: [
          { name: 'first', start: 'b', states: first },
          { name: 'second', start: 'b', states: second },
        ],
        join: { strategy: 'allOf' },
      },
      next: 'end',
    });
    const map = (inner: JsonObject) => ({
      type: 'map',
      map: {
        items: { mapper: { lang: 'dataweave', expr: '[1, 2, 3]' } },
        maxConcurrency: 2,
        start: 'm',
        states: inner,
      },
      next: 'end',
    });
    const sub = { type: 'subjourney', subjourney: { ref: 'inner' }, next: 'end' };
    const inner = (states: JsonObject) => ({ subjourneys: { inner: { start: 's', states } } });
    const unfit = async (from: Definition, to: Definition) => {
      const found = await new Stopping(from).movedTo(to);
      return found instanceof Stopping ? (await found.toEnd())[1] : found;
    };
    const nap = timer('PT1H');
    // The ended branch was in a state that is removed; the index of the other one has changed.
    const [was, other] = [parallel({ b: nap, end }), parallel({ b: nap, end }, { b: nap, end })];
    expect(await unfit(spec({ a: was, end }), spec({ a: other, end }))).toBe('2026-01-01T01:00:00.000Z');
    expect(await unfit(spec({ a: was, end }), spec({ a: parallel({ b: wait(), end }), end }))).toEqual({
      why: "Its state 'b' is of type wait, not timer.",
      pointer: '/spec/states/a/parallel/branches/1/states/b',
    });
    const mapped = spec({ a: map({ m: nap, end }), end });
    expect(await unfit(mapped, spec({ a: map({ m: timer('PT9H'), end }), end }))).toBe('2026-01-01T10:00:00.000Z');
    expect(await unfit(mapped, spec({ a: map({ m: end }), end }))).toMatchObject({
      pointer: '/spec/states/a/map/states/m',
    });
    const called = spec({ a: sub, end }, inner({ s: nap, end }));
    expect(await unfit(called, spec({ a: sub, end }, inner({ s: { ...nap, next: 't' }, t: end })))).toBe(
      '2026-01-01T01:00:00.000Z',
    );
    expect(
      await unfit(called, spec({ a: sub, end }, { subjourneys: { inner: { start: 'z', states: { z: end } } } })),
    ).toEqual({
      why: "It has no state 's'.",
      pointer: '/spec/subjourneys/inner/states',
    });
  });

  it('is rejected if the new version would already have ended the state', async () => {
    const no = { type: 'fail', errorCode: 'NO', reason: 'No' };
    const is = (expr: string) => ({ predicate: { lang: 'dataweave', expr } });
    const map = (errorPolicy?: Json) =>
      spec({
        a: {
          type: 'map',
          map: {
            items: { mapper: { lang: 'dataweave', expr: '[1, 2, 3]' } },
            ...(errorPolicy !== undefined && { errorPolicy }),
            start: 'm',
            states: {
              m: { type: 'choice', choices: [{ when: is('item == 3'), next: 'nap' }], default: 'no' },
              nap: timer('PT1H'),
              no,
              end,
            },
          },
          next: 'end',
        },
        end,
      });
    const two = {
      why: "Its state 'a' tolerates 1 failed items, and 2 have failed already.",
      pointer: '/spec/states/a',
    };
    expect(await new Stopping(map('all')).movedTo(map({ tolerate: 1 }))).toEqual(two);
    expect(await new Stopping(map('all')).movedTo(map())).toMatchObject({
      why: expect.stringContaining('tolerates 0'),
    });
    expect((await (await moved(map({ tolerate: 2 }), map('all'))).toEnd())[0]).toMatchObject({
      outcome: { phase: 'SUCCEEDED' },
    });
    expect(await moved(map('all'), map({ tolerate: 2 }))).toBeInstanceOf(Stopping);

    const parallel = (ended: JsonObject, join: JsonObject) =>
      spec({
        a: {
          type: 'parallel',
          parallel: {
            branches: [
              { name: 'first', start: 'b', states: { b: ended } },
              { name: 'second', start: 'b', states: { b: timer('PT1H'), end } },
            ],
            join,
          },
          next: 'end',
        },
        end,
      });
    const all = {
      strategy: 'allOf',
      errorPolicy: 'collectAll',
      mapper: { lang: 'dataweave', expr: '1' },
      resultVar: 'r',
    };
    const decided = {
      why: "In its state 'a' a branch has ended that would have decided the join.",
      pointer: '/spec/states/a',
    };
    const failFast = { strategy: 'allOf', errorPolicy: 'failFast' };
    const anyOf = { strategy: 'anyOf' };
    expect(await new Stopping(parallel(no, all)).movedTo(parallel(no, failFast))).toEqual(decided);
    expect(await new Stopping(parallel(end, all)).movedTo(parallel(end, anyOf))).toEqual(decided);
    expect(await moved(parallel(end, all), parallel(end, failFast))).toBeInstanceOf(Stopping);
  });

  it('is rejected if the run has continued in the meantime', async () => {
    const clock = new VirtualClock(0);
    const host = new VirtualHost(clock, new VirtualEffects(clock, new ScriptedBackend([])));
    const definition = spec({ a: timer('PT1H'), end });
    const info = { id: 'r', startedAt: 0, environment: 'test', config: {} };
    const run = new Run(definition, info, startPosition(definition, {}, 0), host, vocabulary);
    const result = run.execute();
    await clock.settled();
    await clock.advance();
    await result;
    expect(run.parking.stop()).toBe(false);
  });
});
