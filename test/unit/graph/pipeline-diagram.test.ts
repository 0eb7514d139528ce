import { expect, it } from 'vitest';
import { layoutDiagram } from '../../../src/graph/layout-diagram.js';
import { pipelineDiagram } from '../../../src/graph/pipeline-diagram.js';
import { readJourneys } from '../../../src/library/read-journeys.js';
import { readApiCatalogue } from '../../../src/library/read-library.js';
import { readPipelines } from '../../../src/library/read-pipelines.js';

const { catalogue } = await readApiCatalogue({ root: 'specs' });
const journeys = await readJourneys(['specs/pipelines'], { catalogue });
const { pipelines } = await readPipelines(['specs/pipelines'], journeys, { catalogue });

it('draws producers, topics and consumers', () => {
  const inbox = pipelines.find(({ definition }) => definition.name === 'inbox')!.definition;
  const { graphs } = pipelineDiagram(inbox, () => ({ line: 7, column: 1 }));
  expect(graphs[0]!.nodes.map(({ key, kind, caption }) => [key, kind, caption])).toEqual([
    ['/spec/producers/poll', 'producer', 'poll-inbox, every 5m'],
    ['/spec/topics/mail', 'topic', 'topic'],
    ['/spec/consumers/answer', 'consumer', 'answer-mail'],
  ]);
  expect(graphs[0]!.edges.map(({ from, to }) => [from, to])).toEqual([
    ['/spec/producers/poll', '/spec/topics/mail'],
    ['/spec/topics/mail', '/spec/consumers/answer'],
  ]);
});

it.each(pipelines)('lays out $definition.name', ({ definition }) => {
  const [graph] = layoutDiagram(pipelineDiagram(definition)).graphs;
  const ids = ['producers', 'topics', 'consumers'] as const;
  expect(graph!.nodes.map(({ label }) => label)).toEqual(ids.flatMap((part) => Object.keys(definition[part])));
  for (const { points } of graph!.edges) expect(points.length).toBeGreaterThan(1);
});
