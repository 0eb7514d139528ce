import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, it } from 'vitest';
import { graphFormats } from '../../../src/graph/drawing-formats.js';
import { journeyDiagram } from '../../../src/graph/journey-diagram.js';
import { journey } from '../engine/harness.js';
import { randomJourney, writtenJourneys } from './drawn-journeys.js';

const written = await writtenJourneys();
const drawn = [...written.map(({ definition }) => definition), ...[1, 2, 3].map((seed) => randomJourney(seed, 20))];

it('writes SVG that is well-formed and shows every node and label', () => {
  for (const definition of drawn) {
    const svg = graphFormats.svg(journeyDiagram(definition));
    expect(XMLValidator.validate(svg)).toBe(true);
    const links = [...svg.matchAll(/href="#([^"]+)"/g)].map(([, key]) => decodeURI(key!));
    for (const key of links) expect(svg).toContain(`<g id="${key}">`);
  }
});

it('is readable on light and dark pages, without scripts or references to other files', () => {
  const svg = graphFormats.svg(journeyDiagram(written[0]!.definition));
  expect(svg).toContain('prefers-color-scheme:dark');
  expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/<script|<image|<foreignObject|https?:|@import/);
});

/** Names with a special meaning in one of the formats. */
const hostile = [
  '<img src=x onerror=alert(1)>',
  '</text></svg><script>alert(1)</script>',
  '</script>',
  '"]; end; n0["',
  '"; evil [URL="javascript:alert(1)"]; "',
  '&lt;b&gt; &amp; #quot;',
  '`**bold**` $$x$$ %%{init: {}}%%',
  'back\\slash',
  'null\u0000 and \u001b[31m',
  'two\nlines',
  '🧭 名前',
];
const states = Object.fromEntries(
  hostile.map((id, i) => [
    id,
    {
      type: 'choice',
      choices: [{ when: `${JSON.stringify(id)} = ${i}`, next: hostile[i + 1] ?? 'end' }],
      default: 'end',
    },
  ]),
);
const definition = journey({ start: hostile[0]!, states: { ...states, end: { type: 'succeed' } } }, 'jsonata');
const diagram = journeyDiagram({ ...definition, name: hostile[1]! });

it('writes names and conditions as text in SVG', () => {
  const svg = graphFormats.svg(diagram);
  expect(XMLValidator.validate(svg)).toBe(true);
  const tags = new Set([...svg.matchAll(/<([a-z]+)/gi)].map(([, tag]) => tag));
  expect([...tags].sort()).toEqual(['defs', 'g', 'marker', 'path', 'rect', 'style', 'svg', 'text', 'title']);
  const parsed = JSON.stringify(new XMLParser({ ignoreAttributes: false, htmlEntities: true }).parse(svg));
  for (const text of ['<img src=x onerror=alert(1)>', '</script>', '🧭 名前']) expect(parsed).toContain(text);
  expect(svg).not.toMatch(/[^\t\n\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u);
});

it('writes names and conditions as text in Mermaid', () => {
  for (const line of graphFormats.mermaid(diagram).trimEnd().split('\n').slice(1, -3))
    expect(line).toMatch(
      /^ +(n\d+ ?(?:\[|\(\[)"[^"<>&;`$%[\]{}|\\]*(?:(?:<br>|#\d+;)[^"<>&`$%[\]{}|\\]*)*"(?:\]|\]\))(:::\w+)?|n\d+ [-=.]+>(\|"(?:#\d+;|[^"<>&;#`$%[\]{}|\\])*"\|)? n\d+)$/,
    );
});

it('writes names and conditions as text in DOT', () => {
  const dot = graphFormats.dot(diagram);
  // Without its quoted strings, only our own keywords remain.
  const rest = dot.replaceAll(/"(?:[^"\\]|\\.)*"/gs, 'text');
  expect(rest).not.toMatch(/evil|script|img|URL/);
  expect(rest.split('\n').filter((line) => line.includes('->')).length).toBe(hostile.length * 2 + 1);
});

it('writes the layout as JSON', () => {
  const { name, width, graphs } = JSON.parse(graphFormats.json(diagram));
  expect({ name, count: graphs.length }).toEqual({ name: hostile[1], count: 1 });
  expect(graphs[0].width).toBeLessThan(width);
  expect(graphs[0].edges[0]).toMatchObject({ kind: 'start', isMain: true, points: expect.any(Array) });
  expect(graphs[0].nodes[1]).toMatchObject({ key: expect.stringContaining('/spec/states/'), x: expect.any(Number) });
});
