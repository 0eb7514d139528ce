import { expect, it } from 'vitest';
import { allStates } from '../../../src/language/states/graph-traversal.js';
import { stateTypes } from '../../../src/language/states/registry.js';
import { taskBehaviours } from '../../../src/language/tasks/registry.js';
import { type BlockResult, playBlock } from '../../fuzz/worlds/block.js';
import { readKeptSeeds } from '../../fuzz/worlds/kept-seeds.js';
import { addCounts, type Counts } from '../../fuzz/worlds/tally.js';
import { worldOf, worldsPerJourney } from '../../fuzz/worlds/world.js';

const kept = readKeptSeeds(new URL('../../fuzz/worlds/kept-seeds.json', import.meta.url));

/** Plays worlds of several journeys. */
async function someWorlds(journeys: number, each: number): Promise<BlockResult> {
  const counts: Counts = {};
  const failures: BlockResult['failures'] = [];
  for (let i = 0; i < journeys; i++) {
    const block = await playBlock({ first: i * worldsPerJourney, count: each });
    addCounts(counts, block.counts);
    failures.push(...block.failures);
  }
  return { counts, failures };
}

it('the invariants of all worlds are exercised by some', async () => {
  const { counts, failures } = await someWorlds(40, 6);
  expect(failures).toEqual([]);
  // Each kind of event is frequent enough.
  for (const [name, least] of Object.entries({
    succeeded: 50,
    cancelled: 10,
    'out of time': 10,
    compensated: 50,
    'lost attempts': 10,
    'submissions accepted': 50,
    repeated: 10,
    rejected: 50,
    'continued as new': 500,
    compared: 200,
  }))
    expect(counts[name], name).toBeGreaterThan(least);
});

it.each(kept)('seed $seed, which once failed, passes: $about', async ({ seed }) => {
  expect((await playBlock({ first: seed, count: 1 })).failures).toEqual([]);
});

/** Child workflows run outside the simulation; they are tested on a server. */
const notSimulated = ['workflow:v1'];

it('the generator creates every state type and task kind except child workflows', () => {
  const simulated = [...taskBehaviours.keys()].filter((kind) => !notSimulated.includes(kind));
  const types = new Set<string>();
  const kinds = new Set<string>();
  const isComplete = () => types.size === stateTypes.size && kinds.size === simulated.length;
  for (let i = 0; i < 500 && !isComplete(); i++)
    for (const { state } of allStates(worldOf(i * worldsPerJourney).journey.definition)) {
      types.add(state.type);
      if (state.type === 'task') kinds.add(state.task.kind);
    }
  expect([...types].sort()).toEqual([...stateTypes.keys()].sort());
  expect([...kinds].sort()).toEqual(simulated.sort());
});
