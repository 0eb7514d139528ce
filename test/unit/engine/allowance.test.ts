import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/value.js';
import { consume, defaultCalls } from '../../../src/engine/budgets.js';
import { load } from '../../../src/language/load-journey.js';
import { CallPattern } from '../../../src/scenarios/call-pattern.js';
import { ScriptedBackend } from '../../../src/scenarios/scripted-backend.js';
import { Simulation } from '../../../src/scenarios/virtual/simulation.js';
import { VirtualClock } from '../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../src/scenarios/virtual/virtual-effects.js';
import { document, journey } from './harness.js';

const get: JsonObject = {
  type: 'task',
  task: { kind: 'httpCall:v1', method: 'GET', url: 'https://service.test/job', resultVar: 'job' },
};
const nap = (duration: string, next: string): JsonObject => ({ type: 'timer', timer: { duration }, next });

/** Plays a run against a service whose job never completes, until it ends or `hours` have passed. */
async function played(states: JsonObject, { hours = 24, continueAfter = 0 } = {}) {
  const clock = new VirtualClock(0);
  const reply = { status: 200, headers: {}, body: { state: 'RUNNING' }, afterMs: 50 };
  const backend = new ScriptedBackend([{ calls: CallPattern.parse('ANY https://service.test/**')!, replies: [reply] }]);
  const simulation = new Simulation(
    journey({ start: 'a', states }, 'dataweave'),
    {},
    {
      clock,
      effects: new VirtualEffects(clock, backend),
      yield: () => new Promise((resolve) => clock.at(clock.now() + 1, resolve)),
      ...(continueAfter > 0 && { wantsContinue: (run) => run.trail.entries.length >= continueAfter }),
    },
  );
  await simulation.until(hours * 3_600_000);
  const { outcome, continued, visits } = simulation;
  return { code: outcome?.error?.code, calls: backend.calls.length, states: visits.length, continued };
}

describe('FLT-6 an endless cycle', () => {
  it('of calls without a pause ends', async () => {
    const { code, calls } = await played({ a: { ...get, next: 'a' } });
    expect(code).toBe('STEP_LIMIT_EXCEEDED');
    // 20 calls a second with 5 a second refilled: just over a minute.
    expect(calls).toBeGreaterThan(1_000);
    expect(calls).toBeLessThan(1_400);
  });

  it('of calls with a pause of zero ends', async () => {
    const { code } = await played({ a: nap('PT0S', 'b'), b: { ...get, next: 'a' } });
    expect(code).toBe('STEP_LIMIT_EXCEEDED');
  });

  it('of timers of a millisecond ends', async () => {
    expect(await played({ a: nap('PT0.001S', 'a') })).toMatchObject({ code: 'STEP_LIMIT_EXCEEDED', calls: 0 });
  });

  it('ends across executions', async () => {
    const { code, calls, continued } = await played({ a: { ...get, next: 'a' } }, { continueAfter: 60 });
    expect(continued).toBeGreaterThan(10);
    expect(code).toBe('STEP_LIMIT_EXCEEDED');
    expect(calls).toBeLessThan(1_400);
  });

  it('next to a branch that waits repeatedly ends', async () => {
    const cycle = (name: string, state: JsonObject) => ({ name, start: 'x', states: { x: state } });
    const turn = { type: 'choice', choices: [{ when: { predicate: 'true' }, next: 'x' }], default: 'x' };
    const branches = [cycle('slow', nap('PT0.005S', 'x')), cycle('fast', turn)];
    const join = { strategy: 'allOf', errorPolicy: 'failFast' };
    const { code, states } = await played({ a: { type: 'parallel', parallel: { branches, join } } });
    expect(code).toBe('STEP_LIMIT_EXCEEDED');
    expect(states).toBeLessThan(25_000);
  });

  it('that waits a second each time continues', async () => {
    const { code, calls } = await played({ a: nap('PT1S', 'b'), b: { ...get, next: 'a' } }, { hours: 2 });
    expect(code).toBeUndefined();
    expect(calls).toBeGreaterThan(6_000);
  });
});

it('FLT-6 a budget is refilled over time, up to its maximum', () => {
  const spent = { used: 0, at: 0 };
  for (let i = 0; i < 1_000; i++) expect(consume(spent, defaultCalls, 0)).toBe(true);
  expect(consume(spent, defaultCalls, 0)).toBe(false);
  expect(consume(spent, defaultCalls, 60_000)).toBe(true);
  expect(spent.used).toBe(702);
  expect(consume(spent, defaultCalls, 86_400_000)).toBe(true);
  expect(spent.used).toBe(1);
});

describe('FLT-6 the warning of the loader about a cycle', () => {
  const codes = (states: JsonObject) =>
    load({ text: JSON.stringify(document({ start: 'a', states }, 'dataweave')), path: 'a.journey.json' }).findings.map(
      ({ code }) => code,
    );
  const inside = (state: JsonObject): JsonObject => ({
    type: 'parallel',
    parallel: {
      branches: [{ name: 'x', start: 's', states: { s: state, end: { type: 'succeed' } } }],
      join: { strategy: 'allOf' },
    },
    next: 'a',
  });

  it('is given if it contains a call at any depth', () => {
    expect(codes({ a: { ...get, next: 'a' } })).toContain('CYCLE_WITHOUT_PAUSE');
    expect(codes({ a: inside({ ...get, next: 'end' }) })).toContain('CYCLE_WITHOUT_PAUSE');
  });

  it('is not given if it waits or makes no call', () => {
    expect(codes({ a: nap('PT1S', 'b'), b: { ...get, next: 'a' } })).not.toContain('CYCLE_WITHOUT_PAUSE');
    expect(codes({ a: { ...get, next: 'b' }, b: inside(nap('PT1S', 'end')) })).not.toContain('CYCLE_WITHOUT_PAUSE');
    expect(codes({ a: { ...get, next: 'b' }, b: { type: 'succeed' } })).not.toContain('CYCLE_WITHOUT_PAUSE');
  });

  it('is not given if it has a counter', () => {
    const circle = (bound: string) =>
      codes({
        a: { ...get, next: 'b' },
        b: { type: 'transform', transform: { mapper: { lang: 'dataweave', expr: '{ n: context.n + 1 }' } }, next: 'c' },
        c: {
          type: 'choice',
          choices: [{ when: { predicate: { lang: 'dataweave', expr: bound } }, next: 'a' }],
          default: 'd',
        },
        d: { type: 'succeed' },
      });
    expect(circle('context.n < 100')).not.toContain('CYCLE_WITHOUT_PAUSE');
    expect(circle('context.more')).toContain('CYCLE_WITHOUT_PAUSE');
  });
});
