import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/value.js';
import { CallPattern } from '../../../src/scenarios/call-pattern.js';
import { ScriptedBackend } from '../../../src/scenarios/scripted-backend.js';
import { Simulation } from '../../../src/scenarios/virtual/simulation.js';
import { VirtualClock } from '../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../src/scenarios/virtual/virtual-effects.js';
import type { Language } from './expressed.js';
import { journey } from './harness.js';

/** Submissions for both items of a map; the second item waits for the slot of the first. */
const both: [number, string][] = [
  [100, 'ask/0'],
  [200, 'ask/1'],
];

const end = { type: 'succeed' };
const nap = (duration: string, next: string) => ({ type: 'timer', timer: { duration }, next });
const ask = (next: string) => ({ type: 'wait', wait: { channel: 'manual', input: { schema: true } }, next });
const call = (next: string) => ({
  type: 'task',
  task: { kind: 'httpCall:v1', method: 'POST', url: 'https://service.test/x', body: { mapper: 'context.n' } },
  next,
});

/** A map over some items, one at a time. */
const oneAtATime = (items: number, block: JsonObject) => ({
  start: 'each',
  states: {
    each: {
      type: 'map',
      map: {
        items: { mapper: `[${Array.from({ length: items }, (_, i) => i).join(', ')}]` },
        maxConcurrency: 1,
        resultVar: 'results',
        ...block,
      },
      next: 'end',
    },
    end,
  },
});

interface PlayOptions {
  submissions?: [ms: number, step: string][];
  /** Continues as new as soon as possible after this state was entered. */
  continueAfter?: string;
  lang?: Language;
}

/** Plays a journey with signals at fixed instants. */
async function play(spec: JsonObject, { submissions = [], continueAfter, lang = 'dataweave' }: PlayOptions = {}) {
  const clock = new VirtualClock(0);
  const reply = { status: 200, headers: {}, body: 1, afterMs: 1_000 };
  const backend = new ScriptedBackend([{ calls: CallPattern.parse('ANY https://service.test/**')!, replies: [reply] }]);
  let seen = false;
  const simulation: Simulation = new Simulation(
    journey(spec, lang),
    { n: 0 },
    {
      clock,
      effects: new VirtualEffects(clock, backend),
      wantsContinue: (run) => {
        seen ||= run.trail.entries.some(({ state }) => state === continueAfter);
        return seen && simulation.continued === 0;
      },
    },
  );
  for (const [ms, step] of submissions) clock.at(ms, () => simulation.signal(step, null));
  await simulation.toEnd();
  const { context, visits, outcome } = simulation;
  expect(simulation.continued).toBe(continueAfter === undefined ? 0 : 1);
  return { context, outcome, calls: backend.calls, visits: visits.map(({ frame, state }) => `${frame} ${state}`) };
}

it('GAP-2 a branch that is interrupted before its call leaves no changes', async () => {
  const check = { type: 'choice', choices: [{ when: 'context.n == 0', next: 'end' }], default: 'end' };
  const set = {
    type: 'transform',
    transform: { mapper: '1', target: { kind: 'var' }, resultVar: 'made' },
    next: 'call',
  };
  const inner = {
    type: 'parallel',
    parallel: {
      branches: [{ name: 'only', start: 'set', states: { set, call: call('end'), end } }],
      join: { strategy: 'allOf' },
    },
    next: 'end',
  };
  const branches = [
    { name: 'quick', start: 'check', states: { check, end } },
    { name: 'plain', start: 'set', states: { set, call: call('end'), end } },
    { name: 'nested', start: 'inner', states: { inner, end } },
  ];
  const parallel = { branches, join: { strategy: 'anyOf' } };
  const race = { type: 'parallel', parallel, next: 'end' };
  const { context, calls } = await play({ start: 'race', states: { race, end } }, { lang: 'jsonata' });
  expect(calls).toEqual([]);
  expect(context).toEqual({ n: 0 });
});

it('LESS-9 no item gets a slot while `until` is evaluated', async () => {
  const block = {
    until: { lang: 'dataweave', expr: 'sizeOf(results filter ($ != null)) >= 1' },
    start: 'ask',
    states: { ask: ask('call'), call: call('end'), end },
  };
  const { calls, outcome } = await play(oneAtATime(2, block), { submissions: both });
  expect(outcome?.phase).toBe('SUCCEEDED');
  expect(calls.length).toBe(1);
});

it('LESS-9 no item continues after the one that failed the map', async () => {
  const block = {
    start: 'ask',
    states: { ask: ask('call'), call: call('no'), no: { type: 'fail', errorCode: 'NO', reason: 'no' } },
  };
  const { calls, outcome, visits } = await play(oneAtATime(2, block), { submissions: both });
  expect(outcome?.error?.code).toBe('NO');
  expect(calls.length).toBe(1);
  expect(visits.filter((it) => it.endsWith(' call'))).toEqual(['each#1.0 call']);
});

it('LESS-9 an item that waits for a slot keeps its turn after continue-as-new', async () => {
  const block = {
    start: 'before',
    states: { before: nap('PT1S', 'ask'), ask: ask('after'), after: nap('PT2S', 'again'), again: ask('end'), end },
  };
  const submissions: [number, string][] = [
    [1_500, 'ask/0'],
    [2_500, 'ask/1'],
    [8_000, 'ask/2'],
    [20_000, 'again/0'],
    [21_000, 'again/1'],
    [22_000, 'again/2'],
  ];
  const whole = await play(oneAtATime(3, block), { submissions });
  const parts = await play(oneAtATime(3, block), { submissions, continueAfter: 'after' });
  expect(whole.visits.indexOf('each#1.1 after')).toBeLessThan(whole.visits.indexOf('each#1.2 before'));
  expect(parts.visits).toEqual(whole.visits);
});

it('LESS-9 an item keeps its slot while one of its branches is held for continue-as-new', async () => {
  const set = { type: 'transform', transform: { mapper: '1', target: { kind: 'var' }, resultVar: 'm' }, next: 'end' };
  const branches = [
    { name: 'quick', start: 'set', states: { set, end } },
    { name: 'slow', start: 'nap', states: { nap: nap('PT3S', 'end'), end } },
  ];
  const work = { type: 'parallel', parallel: { branches, join: { strategy: 'allOf' } }, next: 'end' };
  const block = { start: 'before', states: { before: nap('PT1S', 'ask'), ask: ask('work'), work, end } };
  const submissions: [number, string][] = [
    // Stored, so the second item does not give up its slot.
    [500, 'ask/1'],
    [1_500, 'ask/0'],
  ];
  const { visits } = await play(oneAtATime(2, block), { submissions, continueAfter: 'set', lang: 'jsonata' });
  expect(visits.indexOf('each#1.1 end')).toBeGreaterThan(0);
  expect(visits.indexOf('each#1.0 work')).toBeGreaterThan(visits.indexOf('each#1.1 end'));
});

it('a join whose mapper fails keeps the changes of its branches', async () => {
  const booking = { ...call('end'), task: { ...call('end').task, resultVar: 'booked' } };
  const branches = [{ name: 'only', start: 'booking', states: { booking, end } }];
  const mapper = { lang: 'dataweave', expr: 'branches.only.booked.status as Date' };
  const join = { strategy: 'allOf', mapper, resultVar: 'both' };
  const work = { type: 'parallel', parallel: { branches, join }, next: 'end' };
  const { context, outcome } = await play({ start: 'work', states: { work, end } });
  expect(outcome?.error?.cause).toBe('DW_TYPE_MISMATCH');
  expect(context).toMatchObject({ n: 0, booked: { ok: true, status: 200 } });
});
