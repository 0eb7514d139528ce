import { expect, it } from 'vitest';
import type { Frame } from '../../../src/engine/frame.js';
import { interpreterVersion } from '../../../src/engine/interpreter-version.js';
import { Run, startPosition } from '../../../src/engine/run.js';
import { TaskHost } from '../../../src/engine/task-host.js';
import { vocabulary } from '../../../src/language/state-types-and-task-kinds.js';
import { ScriptedBackend } from '../../../src/scenarios/scripted-backend.js';
import { VirtualHost } from '../../../src/scenarios/virtual/simulation.js';
import { VirtualClock } from '../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../src/scenarios/virtual/virtual-effects.js';
import { journey } from './harness.js';

it('a run keeps the interpreter version of its start, which its tasks see; otherwise it is the newest', () => {
  const clock = new VirtualClock(0);
  const host = new VirtualHost(clock, new VirtualEffects(clock, new ScriptedBackend([])));
  const definition = journey({ start: 'end', states: { end: { type: 'succeed' } } }, 'jsonata');
  const info = { id: 'r', startedAt: 0, environment: 'test', config: {} };
  const runOn = (interpreter?: number) => {
    const its = interpreter === undefined ? host : Object.create(host, { interpreter: { value: interpreter } });
    return new Run(definition, info, startPosition(definition, {}, 0), its, vocabulary);
  };
  expect(runOn().interpreter).toBe(interpreterVersion);
  expect(runOn(0).interpreter).toBe(0);
  expect(new TaskHost({} as Frame, runOn(0)).interpreter).toBe(0);
});
