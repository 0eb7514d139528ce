import { expect, it } from 'vitest';
import { lineColumnAt } from '../../../src/base/document/locate-pointer.js';
import { parseSource } from '../../../src/base/document/parse-yaml.js';
import type { DiagramGraph } from '../../../src/graph/diagram.js';
import { journeyDiagram } from '../../../src/graph/journey-diagram.js';
import { allStates } from '../../../src/language/states/graph-traversal.js';
import { journey } from '../engine/harness.js';
import { writtenJourneys } from './drawn-journeys.js';

const written = await writtenJourneys();
const nested = ({ nodes }: DiagramGraph): DiagramGraph[] =>
  nodes.flatMap(({ inner }) => inner.flatMap((graph) => [graph, ...nested(graph)]));

it.each(written)('draws every state of $name once, at its position', ({ definition, text, name }) => {
  const source = parseSource(text, name);
  const { graphs } = journeyDiagram(definition, (pointer) => lineColumnAt(source, pointer));
  const all = graphs.flatMap((graph) => [graph, ...nested(graph)]);
  const states = all.flatMap(({ nodes }) => nodes).filter(({ kind }) => kind === 'state');
  const pointers = [...allStates(definition)].map(({ pointer }) => pointer);
  expect(states.map(({ key }) => key).sort()).toEqual(pointers.sort());
  const lines = text.split('\n');
  for (const { label, caption, position } of states) {
    expect(caption).toMatch(/\S/);
    const line = lines[position!.line - 1]!.slice(position!.column - 1);
    expect(line.replace(/^"|^'/, '').startsWith(label)).toBe(true);
  }
  const keys = new Set(all.flatMap(({ nodes }) => nodes.map(({ key }) => key)));
  for (const { key, title, nodes, edges } of all) {
    for (const { from, to } of edges) expect([from, to].every((it) => keys.has(it))).toBe(true);
    const path = edges.filter(({ isMain }) => isMain);
    expect(
      path.some(({ from }) => from === `${key}#start`),
      title,
    ).toBe(true);
    expect(path.some(({ to }) => nodes.some((node) => node.key === to && node.ends))).toBe(true);
  }
  expect(new Set(all.flatMap(({ edges }) => edges.map(({ key }) => key))).size).toBe(
    all.flatMap(({ edges }) => edges).length,
  );
});

it('distinguishes the kinds of edges and finds the path to a success', () => {
  const schema = { type: 'object' };
  const definition = journey(
    {
      start: 'ask',
      states: {
        ask: {
          type: 'wait',
          wait: { channel: 'manual', input: { schema }, timeoutSec: 5_400, onTimeout: 'late' },
          next: 'decide',
        },
        decide: { type: 'choice', choices: [{ when: 'payload.ok', next: 'call' }], default: 'late' },
        call: {
          type: 'task',
          task: { kind: 'httpCall:v1', method: 'POST', url: 'https://shop.test/orders', resultVar: 'order' },
          next: 'done',
          onError: [{ on: ['HTTP_404', 'TIMEOUT'], next: 'ask' }, { next: 'late' }],
        },
        late: { type: 'fail', errorCode: 'LATE', reason: 'Too late' },
        done: { type: 'succeed', outputVar: 'order' },
      },
    },
    'jsonata',
  );
  const [{ nodes, edges }] = journeyDiagram(definition).graphs as [DiagramGraph];
  const short = (key: string) => key.replace('/spec/states/', '').replace('/spec', '');
  expect(
    edges.map(({ from, to, kind, label, isMain }) => [short(from), short(to), kind, label, isMain ?? false]),
  ).toEqual([
    ['#start', 'ask', 'start', '', true],
    ['ask', 'decide', 'next', '', true],
    ['ask', 'late', 'timeout', 'after 1 hour 30 minutes', false],
    ['decide', 'call', 'condition', 'payload.ok', true],
    ['decide', 'late', 'default', 'otherwise', false],
    ['call', 'done', 'next', '', true],
    ['call', 'ask', 'failure', 'on HTTP_404, TIMEOUT', false],
    ['call', 'late', 'failure', 'on failure', false],
  ]);
  expect(nodes.map(({ label, caption, waitsFor, ends }) => [label, caption, waitsFor ?? ends])).toEqual([
    ['start', '', undefined],
    ['ask', 'waits for a person', 'person'],
    ['decide', 'choice', undefined],
    ['call', 'POST shop.test/orders', 'result'],
    ['late', 'fails with LATE', 'FAILED'],
    ['done', 'succeeds with order', 'SUCCEEDED'],
  ]);
});
