import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/json/value.js';
import type { Definition } from '../../../src/engine/definition/definition.js';
import { stepUses } from '../../../src/language/states/graph-traversal.js';
import { CallPattern } from '../../../src/scenarios/call-pattern.js';
import { ScriptedBackend } from '../../../src/scenarios/scripted-backend.js';
import { Simulation } from '../../../src/scenarios/virtual/simulation.js';
import { flushPromises, VirtualClock } from '../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../src/scenarios/virtual/virtual-effects.js';
import { journey, languages } from './harness.js';
import { randomSpec } from './random-journey.js';

const input: JsonObject = { a: 1, b: 2, c: 3 };

/** Submissions and a cancellation at fixed instants, independent of the run. */
const outside = fc.record({
  submissions: fc.array(fc.tuple(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 9 })), {
    maxLength: 8,
  }),
  cancelAt: fc.option(fc.integer({ min: 1, max: 90_000 }), { freq: 5 }),
});
type Outside = typeof outside extends fc.Arbitrary<infer T> ? T : never;

/** Detects events scheduled at different times for the same instant, whose order is undefined. */
class TieClock extends VirtualClock {
  tied = false;
  private readonly scheduledAt = new Map<number, number>();

  override at(instant: number, action: () => void): () => void {
    if ((this.scheduledAt.get(instant) ?? this.now()) !== this.now()) this.tied = true;
    this.scheduledAt.set(instant, this.now());
    return super.at(instant, action);
  }
}

async function play(definition: Definition, { submissions, cancelAt }: Outside, continueAfter?: number) {
  const clock = new TieClock(Date.UTC(2026, 0, 1));
  const reply = { status: 200, headers: {}, body: 1, afterMs: 700 };
  const backend = new ScriptedBackend([{ calls: CallPattern.parse('ANY https://service.test/**')!, replies: [reply] }]);
  const simulation = new Simulation(definition, input, {
    clock,
    effects: new VirtualEffects(clock, backend),
    ...(continueAfter !== undefined && { wantsContinue: (run) => run.trail.entries.length >= continueAfter }),
  });
  const steps = [...stepUses(definition)].flatMap(([id, { alone, inItems }]) => [
    ...(alone ? [id] : []),
    ...(inItems ? [0, 1, 2].map((item) => `${id}/${item}`) : []),
  ]);
  for (const [at, which] of submissions) {
    clock.at(simulation.startedAt + at, () => {
      const step = steps[which % Math.max(steps.length, 1)];
      if (step !== undefined) simulation.submit(step, which);
    });
  }
  if (cancelAt !== null) clock.at(simulation.startedAt + cancelAt, () => simulation.cancel());
  await flushPromises();
  await simulation.toEnd();
  const { outcome, context, endedAt, visits, continued } = simulation;
  return {
    continued,
    tied: clock.tied,
    seen: {
      outcome,
      context,
      endedAt,
      visits: visits.map(({ frame, state }) => `${frame} ${state}`).sort(),
      calls: backend.calls.map(({ url, headers, body, atMs }) => [url, headers['idempotency-key'], body, atMs]).sort(),
    },
  };
}

it('a run that continues as new at any safe point has the same result as one that does not', async () => {
  let continued = 0;
  await fc.assert(
    fc.asyncProperty(
      randomSpec,
      outside,
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(...languages),
      async (spec, events, every, lang) => {
        const definition = journey(spec, lang);
        const whole = await play(definition, events);
        fc.pre(!whole.tied);
        const parts = await play(definition, events, every);
        continued += parts.continued;
        expect(parts.seen).toEqual(whole.seen);
        expect(whole.seen.outcome).toBeDefined();
      },
    ),
    { numRuns: 150 },
  );
  expect(continued).toBeGreaterThan(100);
});

it('GAP-2: a map that is interrupted right after it was resumed keeps the results of its calls', async () => {
  const call = (url: string) => ({ type: 'task', task: { kind: 'httpCall:v1', method: 'POST', url }, next: 'end' });
  const nap = (duration: Json) => ({ type: 'timer', timer: { duration }, next: 'call' });
  const [end, url] = [{ type: 'succeed' }, 'https://service.test/item'];
  const map = {
    items: { mapper: '["PT0.1S", "PT0.2S", "PT9S"]' },
    maxConcurrency: 3,
    start: 'nap',
    states: { nap: nap({ mapper: 'item' }), call: call(url), end },
    resultVar: 'items',
  };
  const branches = [
    {
      name: 'slow',
      start: 'call',
      states: { call: { ...call(url), next: 'nap' }, nap: { ...nap('PT0.5S'), next: 'end' }, end },
    },
    { name: 'items', start: 'each', states: { each: { type: 'map', map, next: 'end' }, end } },
  ];
  const parallel = { branches, join: { strategy: 'anyOf', errorPolicy: 'collectAll' } };
  const definition = journey(
    { start: 'both', states: { both: { type: 'parallel', parallel, next: 'end' }, end } },
    'dataweave',
  );
  const { continued, seen } = await play(definition, { submissions: [], cancelAt: null }, 1);
  expect(continued).toBeGreaterThan(0);
  expect(seen.context?.items).toEqual([expect.anything(), expect.anything(), null]);
});

it('the same journey runs in the same way in either language', async () => {
  await fc.assert(
    fc.asyncProperty(randomSpec, outside, async (spec, events) => {
      const [first, second] = await Promise.all(languages.map((lang) => play(journey(spec, lang), events)));
      expect(first).toEqual(second);
    }),
    { numRuns: 50 },
  );
});
