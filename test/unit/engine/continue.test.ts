import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Definition } from '../../../src/definition/definition.js';
import type { JsonObject } from '../../../src/json/value.js';
import { ScriptedBackend } from '../../../src/scenarios/backend.js';
import { CallPattern } from '../../../src/scenarios/call-pattern.js';
import { settled, VirtualClock } from '../../../src/scenarios/virtual/clock.js';
import { VirtualEffects } from '../../../src/scenarios/virtual/effects.js';
import { Simulation } from '../../../src/scenarios/virtual/simulation.js';
import { stepIds } from '../../../src/states/graphs.js';
import { journey, languages } from './harness.js';
import { randomSpec } from './random-journey.js';

const input: JsonObject = { a: 1, b: 2, c: 3 };

/** Submissions and cancels at fixed instants, whatever the run does. */
const outside = fc.record({
  submissions: fc.array(fc.tuple(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 9 })), {
    maxLength: 8,
  }),
  cancelAt: fc.option(fc.integer({ min: 1, max: 90_000 }), { freq: 5 }),
});
type Outside = typeof outside extends fc.Arbitrary<infer T> ? T : never;

async function play(definition: Definition, { submissions, cancelAt }: Outside, continueAfter?: number) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const reply = { status: 200, headers: {}, body: 1, afterMs: 700 };
  const backend = new ScriptedBackend([{ calls: CallPattern.parse('ANY https://service.test/**')!, replies: [reply] }]);
  const simulation = new Simulation(definition, input, {
    clock,
    effects: new VirtualEffects(clock, backend),
    ...(continueAfter !== undefined && { wantsContinue: (run) => run.trail.entries.length >= continueAfter }),
  });
  const steps = [...stepIds(definition)];
  for (const [at, which] of submissions) {
    clock.at(simulation.startedAt + at, () => {
      const step = steps[which % Math.max(steps.length, 1)];
      if (step !== undefined) simulation.submit(step, which);
    });
  }
  if (cancelAt !== null) clock.at(simulation.startedAt + cancelAt, () => simulation.cancel());
  await settled();
  await simulation.toEnd();
  const { outcome, context, endedAt, visits, continued } = simulation;
  return {
    continued,
    seen: {
      outcome,
      context,
      endedAt,
      visits: visits.map(({ frame, state }) => `${frame} ${state}`).sort(),
      calls: backend.calls.map(({ url, headers, body, atMs }) => [url, headers['idempotency-key'], body, atMs]).sort(),
    },
  };
}

it('a run that starts over at any safe point ends as one that does not', async () => {
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

it('both languages give the same run', async () => {
  await fc.assert(
    fc.asyncProperty(randomSpec, outside, async (spec, events) => {
      const [first, second] = await Promise.all(languages.map((lang) => play(journey(spec, lang), events)));
      expect(first).toEqual(second);
    }),
    { numRuns: 50 },
  );
});
