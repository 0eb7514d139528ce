import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CallPattern } from '../../../src/scenarios/call-pattern.js';
import { ScriptedBackend } from '../../../src/scenarios/scripted-backend.js';
import { Simulation } from '../../../src/scenarios/virtual/simulation.js';
import { flushPromises, VirtualClock } from '../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../src/scenarios/virtual/virtual-effects.js';
import { journey, languages } from './harness.js';

/** Asks each reviewer, records each vote with a call, and ends after enough yes votes. */
const reviews = (maxConcurrency: number, lang: (typeof languages)[number], keyed: boolean) => {
  const count = lang === 'jsonata' ? '$count(results[$ = "yes"])' : 'sizeOf(results filter ($ == "yes"))';
  return journey(
    {
      start: 'review',
      states: {
        review: {
          type: 'map',
          map: {
            items: { mapper: 'context.reviewers' },
            ...(keyed && { key: { mapper: 'item' } }),
            maxConcurrency,
            until: { lang, expr: `${count} >= context.enough` },
            start: 'approve',
            states: {
              approve: {
                type: 'wait',
                wait: { channel: 'manual', input: { schema: { enum: ['yes', 'no'] } } },
                next: 'record',
              },
              record: {
                type: 'task',
                task: { kind: 'httpCall:v1', method: 'POST', url: `https://votes.test/$\{item}` },
                next: 'keep',
              },
              keep: {
                type: 'transform',
                transform: { mapper: 'payload', target: { kind: 'var' }, resultVar: 'vote' },
                next: 'done',
              },
              done: { type: 'succeed', outputVar: 'vote' },
            },
            resultVar: 'votes',
          },
          next: 'end',
        },
        end: { type: 'succeed', outputVar: 'votes' },
      },
    },
    lang,
  );
};

const meeting = fc
  .record({
    votes: fc.array(fc.constantFrom('yes', 'no'), { minLength: 1, maxLength: 12 }),
    maxConcurrency: fc.integer({ min: 1, max: 4 }),
    keyed: fc.boolean(),
    lang: fc.constantFrom(...languages),
    continuing: fc.boolean(),
    bySignal: fc.boolean(),
  })
  .chain((it) =>
    fc.record({
      it: fc.constant(it),
      order: fc.shuffledSubarray(
        it.votes.map((_, i) => i),
        { minLength: it.votes.length },
      ),
      // A vote is recorded before the next one arrives, or many arrive at once.
      pauseMs: fc.constantFrom(0, 10_000),
      enough: fc.integer({ min: 1, max: it.votes.length + 1 }),
    }),
  );

type Meeting = typeof meeting extends fc.Arbitrary<infer T> ? T : never;

async function hold({ it: { votes, ...options }, order, pauseMs, enough }: Meeting) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const reply = { status: 201, headers: {}, body: {}, afterMs: 700 };
  const backend = new ScriptedBackend([{ calls: CallPattern.parse('ANY https://votes.test/**')!, replies: [reply] }]);
  const reviewers = votes.map((_, i) => `r${i}`);
  const definition = reviews(options.maxConcurrency, options.lang, options.keyed);
  const simulation = new Simulation(
    definition,
    { reviewers, enough },
    {
      clock,
      effects: new VirtualEffects(clock, backend),
      ...(options.continuing && { wantsContinue: (run) => run.trail.entries.length > 0 }),
    },
  );
  await flushPromises();
  const openAtFirst = simulation.activeSteps.length;
  order.forEach((reviewer, i) => {
    clock.at(simulation.startedAt + 1_000 + i * pauseMs, () => {
      const step = `approve/${options.keyed ? `r${reviewer}` : reviewer}`;
      if (options.bySignal) simulation.signal(step, votes[reviewer]!);
      else simulation.submit(step, votes[reviewer]!);
    });
  });
  await simulation.toEnd();
  const times = backend.calls.map(({ atMs }) => atMs);
  const mostAtOnce = Math.max(0, ...times.map((at) => times.filter((it) => it <= at && at < it + 700).length));
  return { simulation, openAtFirst, mostAtOnce, calls: backend.calls };
}

/** The votes that are known when each is recorded before the next: up to the one that is enough. */
function inOrder({ it: { votes }, order, enough }: Meeting): (string | null)[] {
  const results: (string | null)[] = votes.map(() => null);
  for (const reviewer of order) {
    results[reviewer] = votes[reviewer]!;
    if (results.filter((vote) => vote === 'yes').length >= enough) break;
  }
  return results;
}

it('LESS-9 submissions in any order end the map once there are enough votes, also across executions', async () => {
  await fc.assert(
    fc.asyncProperty(meeting, async (given) => {
      const { simulation, openAtFirst, mostAtOnce, calls } = await hold(given);
      const { votes, maxConcurrency } = given.it;
      expect(simulation.outcome?.phase).toBe('SUCCEEDED');
      expect(openAtFirst).toBe(votes.length);
      expect(mostAtOnce).toBeLessThanOrEqual(maxConcurrency);
      const results = simulation.outcome!.output as (string | null)[];
      const known = results.filter((vote) => vote !== null);
      expect(results.map((vote, i) => vote === null || vote === votes[i])).not.toContain(false);
      expect(calls.map(({ url }) => url).sort()).toEqual(
        results.flatMap((vote, i) => (vote === null ? [] : [`https://votes.test/r${i}`])).sort(),
      );
      if (given.pauseMs > 0) expect(results).toEqual(inOrder(given));
      else if (known.length < votes.length)
        expect(known.filter((vote) => vote === 'yes').length).toBeGreaterThanOrEqual(given.enough);
    }),
    { numRuns: 300 },
  );
});

it('LESS-9 the steps of a thousand items are open at once, and further items follow', async () => {
  const votes = Array.from({ length: 1_200 }, () => 'no' as const);
  const order = votes.map((_, i) => i).reverse();
  const options = {
    votes,
    maxConcurrency: 2,
    keyed: false,
    lang: 'dataweave',
    continuing: false,
    bySignal: true,
  } as const;
  const { simulation, openAtFirst } = await hold({ it: { ...options, votes }, order, pauseMs: 0, enough: 1 });
  expect(openAtFirst).toBe(1_000);
  expect(simulation.outcome).toMatchObject({ phase: 'SUCCEEDED', output: votes });
}, 60_000);
