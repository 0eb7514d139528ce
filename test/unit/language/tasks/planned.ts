import { expect } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/value.js';
import { type LoadOptions, load } from '../../../../src/language/load-journey.js';
import { ScriptedBackend } from '../../../../src/scenarios/scripted-backend.js';
import { Simulation } from '../../../../src/scenarios/virtual/simulation.js';
import { VirtualClock } from '../../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../../src/scenarios/virtual/virtual-effects.js';
import type { BindingRequest } from '../../../../src/schedules/bindings/binding-record.js';

/** The start of the runs. */
export const now = Date.UTC(2030, 0, 1, 12, 0, 0, 250);

export const mapper = (expr: string) => ({ mapper: { lang: 'dataweave', expr } });

/** A journey that schedules its state `work`. */
export const document = (task: JsonObject, more: JsonObject = {}) => ({
  apiVersion: 'v1',
  kind: 'Journey',
  metadata: { name: 'planned', version: '2.1.0' },
  spec: {
    start: 'plan',
    states: {
      plan: { type: 'task', task: { kind: 'schedule:v1', start: 'work', ...task }, next: 'done' },
      done: { type: 'succeed' },
      work: { type: 'succeed' },
      ...more,
    },
  },
});

export const read = (task: JsonObject, more?: JsonObject, options: LoadOptions = {}) =>
  load({ text: JSON.stringify(document(task, more)) }, options);

/** Plays that journey; returns its effect inputs and its outcome. */
export async function run(task: JsonObject, context: JsonObject = {}, more?: JsonObject) {
  const { definition, findings } = read(task, more);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  const clock = new VirtualClock(now);
  const effects = new VirtualEffects(clock, new ScriptedBackend([]));
  const simulation = new Simulation(definition!, context, { clock, effects });
  await simulation.toEnd();
  const made = effects.bindings.all.map(({ request }) => request);
  return { made: JSON.parse(JSON.stringify(made)) as BindingRequest[], outcome: simulation.outcome! };
}
