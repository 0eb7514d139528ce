import { expect, it } from 'vitest';
import { takenEdges } from '../../../src/graph/count-taken-edges.js';
import type { DiagramGraph } from '../../../src/graph/diagram.js';
import { journeyDiagram } from '../../../src/graph/journey-diagram.js';
import { play } from '../requirements/play.js';

const end = { type: 'succeed' };
const spec = {
  subjourneys: { note: { start: 'write', states: { write: { type: 'succeed' } } } },
  start: 'count',
  states: {
    count: {
      type: 'transform',
      transform: { expr: '(context.rounds default 0) + 1', resultVar: 'rounds' },
      next: 'again',
    },
    again: {
      type: 'choice',
      choices: [
        { when: 'context.rounds < 3', next: 'count' },
        { when: 'context.rounds > 7', next: 'odd' },
      ],
      default: 'each',
    },
    odd: { type: 'fail', errorCode: 'ODD', reason: 'odd' },
    each: {
      type: 'map',
      map: {
        items: '[1, 2]',
        start: 'item',
        states: { item: { type: 'subjourney', subjourney: { ref: 'note' }, next: 'end' }, end },
        resultVar: 'items',
      },
      next: 'end',
    },
    end,
  },
};

it('counts how often each edge was taken, in loops, items and subjourneys', async () => {
  const { run } = await play(spec, {});
  const diagram = journeyDiagram(run.definition);
  const visits = run.visits.map(({ frame, state }, index) => ({
    state,
    within: frame,
    next: run.visits.slice(index + 1).find((it) => it.frame === frame)?.state,
  }));
  const counts = takenEdges(diagram, visits);

  const labels = new Map<string, string>();
  const counted = new Map<string, number | undefined>();
  const name = ({ nodes }: DiagramGraph) => {
    for (const { key, label, inner } of nodes) {
      labels.set(key, label);
      inner.forEach(name);
    }
  };
  const add = ({ nodes, edges }: DiagramGraph) => {
    for (const { inner } of nodes) inner.forEach(add);
    for (const { key, from, to } of edges) counted.set(`${labels.get(from)} ${labels.get(to)}`, counts.get(key));
  };
  diagram.graphs.forEach(name);
  diagram.graphs.forEach(add);
  expect(Object.fromEntries(counted)).toEqual({
    'start count': 1,
    'count again': 3,
    'again count': 2,
    'again odd': undefined,
    'again each': 1,
    'each end': 1,
    'start item': 2,
    'item end': 2,
    'start write': 2,
  });
});
