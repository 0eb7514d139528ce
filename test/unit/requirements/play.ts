import type { JsonObject } from '../../../src/base/json/value.js';
import type { RunInfo } from '../../../src/engine/run.js';
import { ScriptedBackend } from '../../../src/scenarios/scripted-backend.js';
import { Simulation, type SimulationOptions } from '../../../src/scenarios/virtual/simulation.js';
import { flushPromises, VirtualClock } from '../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../src/scenarios/virtual/virtual-effects.js';
import { type Case, journey } from '../engine/harness.js';

/** The start of every run in these tests. */
export const start = Date.UTC(2030, 0, 1);

/** The instant that many seconds after the start. */
export const seconds = (count: number): number => start + count * 1000;

interface Options {
  input?: JsonObject;
  info?: Partial<RunInfo>;
  wantsContinue?: SimulationOptions['wantsContinue'];
  more?: Partial<Case>;
}

/** A run in virtual time that has reached its first wait, with its clock. */
export async function play(spec: JsonObject, options: Options = {}): Promise<{ run: Simulation; clock: VirtualClock }> {
  const { input = {}, info, wantsContinue, more } = options;
  const clock = new VirtualClock(start);
  const run = new Simulation(journey(spec, 'jsonata', more), input, {
    clock,
    effects: new VirtualEffects(clock, new ScriptedBackend([])),
    ...(info && { info }),
    ...(wantsContinue && { wantsContinue }),
  });
  await flushPromises();
  return { run, clock };
}
