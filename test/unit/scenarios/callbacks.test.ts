import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/value.js';
import { load } from '../../../src/language/load-journey.js';
import { Simulation, virtualId } from '../../../src/scenarios/virtual/simulation.js';
import { flushPromises, VirtualClock } from '../../../src/scenarios/virtual/virtual-clock.js';

const document = (expr: string) => `
apiVersion: v1
kind: Journey
metadata: { name: errand, version: 1.0.0 }
spec:
  start: urls
  states:
    urls:
      type: transform
      transform: { mapper: { lang: jsonata, expr: '${expr}' }, target: { kind: var }, resultVar: urls }
      next: back
    back: { type: webhook, webhook: { input: { schema: true }, signature: { preset: github, secretRef: s } }, next: done }
    done: { type: succeed, outputVar: urls }
`;

async function played(expr: string) {
  const { definition } = load({ text: document(expr) });
  const effects = { perform: () => Promise.reject(new Error('nothing is called')) };
  const simulation = new Simulation(definition!, {}, { clock: new VirtualClock(0), effects });
  await flushPromises();
  simulation.submit('back', {});
  await simulation.toEnd();
  return simulation.outcome?.output as JsonObject | null;
}

it('R14-callback: in virtual time a run has realistic callback URLs without a signing key', async () => {
  const url = `http://127.0.0.1:8080/api/v1/journeys/${virtualId}/steps/back?callback=virtual`;
  expect(await played('{ "url": platform.run.callbacks.back }')).toEqual({ url });
  expect(await played('{ "url": platform.run.`callbacks`.back }')).toEqual({ url });
});

it('R14-callback: a run that uses no callback URLs has none', async () => {
  expect(Object.keys((await played('{ "run": platform.run }'))?.run as JsonObject)).toEqual([
    'id',
    'startedAt',
    'traceparent',
  ]);
});
