import { expect, it } from 'vitest';
import { ScriptedBackend } from '../../../../src/scenarios/scripted-backend.js';
import { Simulation } from '../../../../src/scenarios/virtual/simulation.js';
import { flushPromises, VirtualClock } from '../../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../../src/scenarios/virtual/virtual-effects.js';
import { journey } from '../../engine/harness.js';

it('R15-LANG under collectAll a failed branch is in the status, and the join adds a note', async () => {
  const definition = journey(
    {
      start: 'both',
      states: {
        both: {
          type: 'parallel',
          parallel: {
            branches: [
              { name: 'bad', start: 'no', states: { no: { type: 'fail', errorCode: 'NO_PRICE', reason: 'none' } } },
              {
                name: 'slow',
                start: 'nap',
                states: { nap: { type: 'timer', timer: { duration: 'PT5S' }, next: 'end' }, end: { type: 'succeed' } },
              },
            ],
            join: { strategy: 'allOf', mapper: '{"bad": branchOutcomes.bad.error.code}', resultVar: 'r' },
          },
          next: 'done',
        },
        done: { type: 'succeed', outputVar: 'r' },
      },
    },
    'dataweave',
  );
  const clock = new VirtualClock(0);
  const simulation = new Simulation(
    definition,
    {},
    { clock, effects: new VirtualEffects(clock, new ScriptedBackend([])) },
  );
  await flushPromises();
  expect(simulation.status.activeStates).toContainEqual({
    state: 'both',
    type: 'parallel',
    items: { total: 2, done: 1, failed: 1 },
  });
  await simulation.toEnd();
  expect(simulation.outcome).toMatchObject({ phase: 'SUCCEEDED', output: { bad: 'NO_PRICE' } });
  expect(simulation.notes).toEqual(['The branch `bad` of `both` failed (NO_PRICE), and the join continued.']);
});
