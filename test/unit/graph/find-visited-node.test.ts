import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Definition } from '../../../src/engine/definition/definition.js';
import type { DiagramGraph } from '../../../src/graph/diagram.js';
import { visitedNode } from '../../../src/graph/find-visited-node.js';
import { journeyDiagram } from '../../../src/graph/journey-diagram.js';
import { journey } from '../engine/harness.js';
import { randomSpec } from '../engine/random-journey.js';
import { play } from '../requirements/play.js';

/** The labels of all nodes, by their keys. */
function labels(definition: Definition): Map<string, string> {
  const all = new Map<string, string>();
  const add = ({ nodes }: DiagramGraph) => {
    for (const { key, label, inner } of nodes) {
      expect(all.has(key)).toBe(false);
      all.set(key, label);
      inner.forEach(add);
    }
  };
  journeyDiagram(definition).graphs.forEach(add);
  return all;
}

it('finds the node of every visit of a run', async () => {
  let deep = 0;
  await fc.assert(
    fc.asyncProperty(randomSpec, async (spec) => {
      const { run, clock } = await play(spec, { input: { a: 1, b: 2, c: 3 } });
      for (let i = 0; i < 200 && !run.outcome; i++) await clock.advance();
      const known = labels(run.definition);
      const diagram = journeyDiagram(run.definition);
      for (const { frame, state } of run.visits) {
        if (frame.includes('/')) deep++;
        const key = visitedNode(diagram, state, frame);
        expect({ frame, label: key && known.get(key) }).toEqual({ frame, label: state });
      }
    }),
    { numRuns: 50, seed: 25 },
  );
  expect(deep).toBeGreaterThan(20);
});

const end = { type: 'succeed' };
const tangled = journey(
  {
    start: 'check',
    states: {
      check: {
        type: 'parallel',
        parallel: {
          branches: [
            {
              name: 'left',
              start: 'ask',
              states: { ask: { type: 'subjourney', subjourney: { ref: 'a/b' }, next: 'end' }, end },
            },
            { name: 'left/ask', start: 'end', states: { end } },
          ],
          join: { strategy: 'allOf' },
        },
        next: 'check#1.left',
      },
      'check#1.left': { type: 'map', map: { items: { mapper: '[1]' }, start: 'end', states: { end } }, next: 'end' },
      end,
    },
    subjourneys: { 'a/b': { start: 'end', states: { end } } },
    compensation: {
      start: 'undo',
      states: { undo: { type: 'subjourney', subjourney: { ref: 'a/b' }, next: 'end' }, end },
    },
  },
  'jsonata',
);

it.each([
  ['check', '', '/spec/states/check'],
  ['ask', 'check#1.left', '/spec/states/check/parallel/branches/0/states/ask'],
  ['end', 'check#12.left/ask', '/spec/states/check/parallel/branches/1/states/end'],
  ['end', 'check#1.left/ask#1.a/b', '/spec/subjourneys/a~1b/states/end'],
  ['end', 'check#1.left#2.17', '/spec/states/check#1.left/map/states/end'],
  ['undo', 'compensation', '/spec/compensation/states/undo'],
  ['end', 'compensation/undo#1.a/b', '/spec/subjourneys/a~1b/states/end'],
  ['nothing', '', undefined],
  ['ask', 'check#1.middle', undefined],
  ['ask', 'check#x.left', undefined],
  ['end', 'check#1.left#2.', undefined],
])('%s in "%s" is %s', (state, within, key) => {
  expect(visitedNode(journeyDiagram(tangled), state, within)).toBe(key);
});
