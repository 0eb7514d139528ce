import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { isMap, isPair, isScalar, parseDocument, visit } from 'yaml';
import { load } from '../../../src/language/load-journey.js';
import { readApiCatalogue } from '../../../src/library/read-library.js';

const fixtures = new URL('../../fixtures/', import.meta.url);
const text = await readFile(new URL('journeys/harvest.journey.yaml', fixtures), 'utf8');
const { catalogue } = await readApiCatalogue({ root: fixtures.pathname });

/** Fields that name something else in the document. `policies.*.default` is only a hint, so it causes a warning. */
const references = [
  'next',
  'default',
  'onTimeout',
  'start',
  'ref',
  'guardRef',
  'mapperRef',
  'resiliencePolicyRef',
  'policyRef',
  'operationRef',
];

/** The offset of every reference in the document. */
function places(): { key: string; offset: number }[] {
  const found: { key: string; offset: number }[] = [];
  visit(parseDocument(text), {
    Pair(_, pair, path) {
      if (!isPair(pair) || !isScalar(pair.key) || !isScalar(pair.value) || typeof pair.value.value !== 'string') return;
      const key = String(pair.key.value);
      const inPolicies = path.some((node) => isMap(node) && node.has('definitions'));
      if (references.includes(key) && !inPolicies) found.push({ key, offset: pair.value.range![0] });
    },
  });
  return found;
}

describe('every reference of a document is checked', () => {
  const all = places();

  it('at more than thirty places in the fixture', () => {
    expect(all.length).toBeGreaterThan(30);
    expect(new Set(all.map(({ key }) => key)).size).toBeGreaterThan(8);
  });

  it.each(all)('$key at $offset is reported if it dangles', ({ key, offset }) => {
    const end = offset + /^[^\s,}]+/.exec(text.slice(offset))![0].length;
    const broken = `${text.slice(0, offset)}nowhere.at.all${text.slice(end)}`;
    const { definition, findings } = load({ text: broken }, { catalogue, compat: false });
    const line = text.slice(0, offset).split('\n').length;
    expect(findings.filter((finding) => finding.line === line).length, key).toBeGreaterThan(0);
    expect(definition === undefined).toBe(
      !(key === 'resiliencePolicyRef' && findings.every(({ severity }) => severity === 'warning')),
    );
  });
});

it('LESS-8 ENV-3 server replaces the servers of an OpenAPI document', async () => {
  const document = `apiVersion: v1
kind: Journey
metadata: { name: probe, version: 1.0.0 }
spec:
  platform: { config: { base: { type: string, default: "https://here.example" } } }
  apis: { mail: { openApiRef: apis/mail.openapi.yaml, server: "\${platform.config.base}/v2/" } }
  start: a
  states:
    a: { type: task, task: { kind: "httpCall:v1", operationRef: mail.send, body: {}, resultVar: r }, next: b }
    b: { type: succeed }
`;
  const specs = await readApiCatalogue({ root: new URL('../../../specs/', import.meta.url).pathname });
  const { definition, findings } = load({ text: document }, { catalogue: specs.catalogue });
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(definition!.states.a).toMatchObject({ task: { url: '${platform.config.base}/v2/messages' } });
});
