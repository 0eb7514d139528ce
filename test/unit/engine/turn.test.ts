import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/value.js';
import { ScriptedBackend } from '../../../src/scenarios/scripted-backend.js';
import { Simulation } from '../../../src/scenarios/virtual/simulation.js';
import { VirtualClock } from '../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../src/scenarios/virtual/virtual-effects.js';
import { journey } from './harness.js';

/** An endless cycle of a state that leads to `next`. */
const shapes: Record<string, JsonObject> = {
  choice: { type: 'choice', choices: [{ when: { predicate: 'true' }, next: 'a' }], default: 'a' },
  'zero timer': { type: 'timer', timer: { duration: 'PT0S' }, next: 'a' },
  subjourney: { type: 'subjourney', subjourney: { ref: 's' }, next: 'a' },
  parallel: {
    type: 'parallel',
    parallel: {
      branches: Array.from({ length: 30 }, (_, i) => ({
        name: `b${i}`,
        start: 't',
        states: { t: { type: 'timer', timer: { duration: 'PT0S' }, next: 'e' }, e: { type: 'succeed' } },
      })),
      join: { strategy: 'allOf' },
    },
    next: 'a',
  },
  'nested races': { ...nested(16), next: 'a' },
};

function nested(depth: number): JsonObject {
  const inner: JsonObject = depth === 0 ? { type: 'succeed' } : { ...nested(depth - 1), next: 'e' };
  const late = { type: 'timer', timer: { duration: 'PT1H' }, next: 'e' };
  const end = { type: 'succeed' };
  const branches = [
    { name: 'a', start: 't', states: { t: inner, e: end } },
    { name: 'b', start: 't', states: { t: late, e: end } },
  ];
  return { type: 'parallel', parallel: { branches, join: { strategy: 'anyOf' } } };
}

/** The number of states before the first yield, the largest number between later ones, and the result of the run. */
async function turns(state: JsonObject) {
  const clock = new VirtualClock(0);
  // The nap has ended.
  const counts = [1];
  const simulation: Simulation = new Simulation(
    journey(
      {
        subjourneys: { s: { start: 'e', states: { e: { type: 'succeed' } } } },
        start: 'nap',
        states: { nap: { type: 'timer', timer: { duration: 'PT1S' }, next: 'a' }, a: state },
      },
      'dataweave',
    ),
    {},
    {
      clock,
      effects: new VirtualEffects(clock, new ScriptedBackend([])),
      yield: () => {
        counts.push(simulation.visits.length);
        return new Promise((resolve) => clock.at(clock.now() + 1, resolve));
      },
    },
  );
  await simulation.toEnd();
  const [first, ...later] = counts.slice(1).map((count, i) => count - counts[i]!);
  return { first, most: Math.max(...later), pauses: counts.length - 1, code: simulation.outcome?.error?.code };
}

describe('FLT-3 a cycle without a wait yields regularly, counted over all branches, and ends', () => {
  it.each(Object.keys(shapes))('%s', async (name) => {
    const { first, most, pauses, code } = await turns(shapes[name]!);
    expect(code).toBe('STEP_LIMIT_EXCEEDED');
    expect(pauses).toBeGreaterThanOrEqual(17);
    expect(first).toBeLessThanOrEqual(1_500);
    expect(most).toBeLessThanOrEqual(501);
  });
});

it('FLT-5 a thousand plain states in sequence run without a yield, so they add no events', async () => {
  const clock = new VirtualClock(0);
  const states: JsonObject = { done: { type: 'succeed' } };
  for (let i = 0; i < 1_000; i++)
    states[`s${i}`] = {
      type: 'transform',
      transform: { mapper: 'context.n + 1', target: { kind: 'var' }, resultVar: 'n' },
      next: i === 999 ? 'done' : `s${i + 1}`,
    };
  let pauses = 0;
  const simulation = new Simulation(
    journey({ start: 's0', states }, 'dataweave'),
    { n: 0 },
    {
      clock,
      effects: new VirtualEffects(clock, new ScriptedBackend([])),
      yield: async () => {
        pauses += 1;
      },
    },
  );
  await simulation.toEnd();
  expect(simulation.context).toMatchObject({ n: 1_000 });
  expect(pauses).toBe(0);
});

describe('FLT-5 a run with much computation yields', () => {
  const transform = (mapper: string, next: string): JsonObject => ({
    type: 'transform',
    transform: { mapper, target: { kind: 'var' }, resultVar: 'n' },
    next,
  });
  const nap = (duration: string, next: string): JsonObject => ({ type: 'timer', timer: { duration }, next });

  /** Number of yields of a run, each of which takes a millisecond. */
  async function yields(states: JsonObject, untilMs: number, continueAfter = 0): Promise<number> {
    const clock = new VirtualClock(0);
    let count = 0;
    const simulation = new Simulation(
      journey({ start: 'a', states }, 'dataweave'),
      { n: 0 },
      {
        clock,
        effects: new VirtualEffects(clock, new ScriptedBackend([])),
        yield: () => {
          count += 1;
          return new Promise((resolve) => clock.at(clock.now() + 1, resolve));
        },
        ...(continueAfter > 0 && { wantsContinue: (run) => run.trail.entries.length >= continueAfter }),
      },
    );
    await simulation.until(untilMs);
    return count;
  }

  it('repeatedly', async () => {
    expect(await yields({ a: { ...shapes.choice! } }, 1_000)).toBeGreaterThan(10);
  });

  it('for few large expressions as for many states', async () => {
    const count = await yields({ a: transform('sum((1 to 5000) map ($ * 2))', 'a') }, 1_000);
    // Without a wait a run may use two million steps of expressions.
    expect(count).toBeGreaterThan(20);
  });

  it('even if it waits briefly in between', async () => {
    const states = { a: transform('sum((1 to 1000) map ($ * 2))', 'b'), b: nap('PT0.001S', 'a') };
    expect(await yields(states, 1_000)).toBeGreaterThan(50);
  });

  it('even if it continues as new', async () => {
    const states = { a: transform('sum((1 to 1000) map ($ * 2))', 'b'), b: nap('PT0.001S', 'a') };
    expect(await yields(states, 200, 10)).toBeGreaterThan(10);
  });

  it('once per branch, in turn', async () => {
    const branch = (i: number) => ({
      name: `b${i}`,
      start: 'a',
      states: { a: transform('sum((1 to 5000) map ($ * 2))', 'b'), b: transform('1', 'e'), e: { type: 'succeed' } },
    });
    const branches = Array.from({ length: 20 }, (_, i) => branch(i));
    const count = await yields(
      {
        a: { type: 'parallel', parallel: { branches, join: { strategy: 'allOf' } }, next: 'e' },
        e: { type: 'succeed' },
      },
      1_000,
    );
    // The first few run without a yield.
    expect(count).toBeGreaterThanOrEqual(15);
  });

  it('and an endless branch does not prevent others from ending', async () => {
    const clock = new VirtualClock(0);
    const count = transform('context.n + 1', 'check');
    const check = {
      type: 'choice',
      choices: [{ when: { predicate: 'context.n >= 500' }, next: 'e' }],
      default: 'a',
    };
    const simulation = new Simulation(
      journey(
        {
          start: 'race',
          states: {
            race: {
              type: 'parallel',
              parallel: {
                branches: [
                  { name: 'endless', start: 'a', states: { a: { ...shapes.choice! } } },
                  { name: 'long', start: 'a', states: { a: count, check, e: { type: 'succeed' } } },
                ],
                join: { strategy: 'anyOf' },
              },
              next: 'e',
            },
            e: { type: 'succeed' },
          },
        },
        'dataweave',
      ),
      { n: 0 },
      {
        clock,
        effects: new VirtualEffects(clock, new ScriptedBackend([])),
        yield: () => new Promise((resolve) => clock.at(clock.now() + 1, resolve)),
      },
    );
    await simulation.toEnd();
    expect(simulation.outcome).toMatchObject({ phase: 'SUCCEEDED' });
  });

  it('but not after a wait', async () => {
    const states = { a: transform('sum((1 to 5000) map ($ * 2))', 'b'), b: nap('PT10S', 'a') };
    expect(await yields(states, 600_000)).toBe(0);
  });
});

it('FLT-3 computation without a wait is bounded across executions', async () => {
  const clock = new VirtualClock(0);
  const mapper = 'sum((1 to 2000) map ($ * 2))';
  const simulation = new Simulation(
    journey(
      {
        start: 'a',
        states: { a: { type: 'transform', transform: { mapper, target: { kind: 'var' }, resultVar: 'n' }, next: 'a' } },
      },
      'dataweave',
    ),
    {},
    {
      clock,
      effects: new VirtualEffects(clock, new ScriptedBackend([])),
      yield: () => new Promise((resolve) => clock.at(clock.now() + 1, resolve)),
      wantsContinue: (run) => run.trail.entries.length >= 50,
    },
  );
  await simulation.toEnd();
  expect(simulation.continued).toBeGreaterThan(1);
  expect(simulation.visits.length).toBeLessThan(200);
  expect(simulation.outcome?.error).toMatchObject({ cause: 'DW_MAX_EVAL_TIME_EXCEEDED' });
});
