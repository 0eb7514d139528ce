import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/value.js';
import { load } from '../../../../src/language/load-journey.js';
import { CallPattern } from '../../../../src/scenarios/call-pattern.js';
import { ScriptedBackend } from '../../../../src/scenarios/scripted-backend.js';
import { Simulation } from '../../../../src/scenarios/virtual/simulation.js';
import { flushPromises, VirtualClock } from '../../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../../src/scenarios/virtual/virtual-effects.js';

const call =
  'type: task, task: { kind: "httpCall:v1", method: GET, url: "https://service.test/${index}", resultVar: r }';
const pure =
  'type: transform, transform: { mapper: { lang: dataweave, expr: "index" }, target: { kind: var }, resultVar: r }';

/** A journey that maps `count` numbers through one state. */
function document(first: string, { items = '1 to context.count', after = 'end', more = '' } = {}): string {
  return `
apiVersion: v1
kind: Journey
metadata: { name: many, version: 1.0.0 }
spec:
  start: each
  states:
    each:
      type: map
      map:
        items: { mapper: { lang: dataweave, expr: "${items}" } }
        maxConcurrency: 50
        start: first
        states:
          first: { ${first}, next: done }
          done: { type: succeed, outputVar: r }
          ${more}
        resultVar: all
      next: ${after}
    end: { type: succeed, outputVar: all }
`;
}

async function play(text: string, input: JsonObject, body: string | null = null, continueAfter?: number) {
  const { definition, findings } = load({ text });
  if (!definition) throw new Error(JSON.stringify(findings));
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const reply = { status: 200, headers: {}, body, afterMs: 10 };
  const backend = new ScriptedBackend([{ calls: CallPattern.parse('GET https://service.test/**')!, replies: [reply] }]);
  let handedOn = 0;
  const simulation = new Simulation(definition, input, {
    clock,
    effects: new VirtualEffects(clock, backend),
    ...(continueAfter !== undefined && {
      wantsContinue: ({ trail, parking: movement, position }) => {
        const wants = trail.dropped + trail.entries.length >= continueAfter;
        if (wants && movement.working.size === 0) handedOn = Math.max(handedOn, JSON.stringify(position).length);
        return wants;
      },
    }),
  });
  await flushPromises();
  await simulation.toEnd();
  return { simulation, outcome: simulation.outcome!, calls: backend.calls, handedOn };
}

it('R15-MAP 10,000 items with a call each complete across many executions', async () => {
  const { outcome, calls, simulation } = await play(document(call), { count: 10_000 }, null, 150);
  expect(outcome.phase).toBe('SUCCEEDED');
  expect(outcome.output).toHaveLength(10_000);
  expect(calls.map(({ url }) => url).sort()).toEqual(
    Array.from({ length: 10_000 }, (_, i) => `https://service.test/${i}`).sort(),
  );
  expect(simulation.continued).toBeGreaterThan(10);
});

it('R15-MAP continue-as-new carries the data that an item keeps, not the whole response', async () => {
  const keep =
    'keep: { type: transform, transform: { mapper: { lang: dataweave, expr: "{ r: context.r.status }" } }, next: done }';
  const text = document(call, { more: keep }).replace('next: done }', 'next: keep }');
  const { outcome, simulation, handedOn } = await play(text, { count: 200 }, 'x'.repeat(100_000), 150);
  expect(outcome.output).toEqual(new Array(200).fill(200));
  expect(simulation.continued).toBeGreaterThan(0);
  expect(handedOn).toBeLessThan(100_000);
});

it('R15-MAP 10,000 items that only compute are not an endless cycle', async () => {
  const { outcome } = await play(document(pure), { count: 10_000 });
  expect(outcome.output).toEqual(Array.from({ length: 10_000 }, (_, i) => i));
});

it('R15-MAP more items than the maximum are rejected before any starts', async () => {
  const { outcome, calls } = await play(document(call), { count: 10_001 });
  expect(outcome.error).toMatchObject({ code: 'MAP_ITEMS_TOO_MANY', state: 'each' });
  expect(outcome.error?.reason).toContain('10001');
  expect(calls).toEqual([]);
});

it('R15-MAP results that are too large in total end the run, and no further item starts', async () => {
  const { outcome, calls } = await play(document(call), { count: 1_000 }, 'x'.repeat(10_000));
  expect(outcome.error).toMatchObject({ code: 'MAP_RESULTS_TOO_LARGE', hint: expect.stringContaining('outputVar') });
  expect(calls.length).toBeLessThan(200);
});

it('R15-MAP an endless cycle around a map, or in an item, ends like any other', async () => {
  const around = await play(document(pure, { after: 'each' }), { count: 10 });
  expect(around.outcome.error?.code).toBe('STEP_LIMIT_EXCEEDED');
  const inside = document(call)
    .replace('next: done }', 'next: first }')
    .replace('done: { type: succeed, outputVar: r }', '');
  const { outcome, calls } = await play(inside, { count: 2 });
  expect(outcome.error).toMatchObject({ code: 'STEP_LIMIT_EXCEEDED', index: expect.any(Number) });
  expect(calls.length).toBeLessThan(2_200);
});
