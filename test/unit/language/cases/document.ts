import { defaultMetadataLimits } from '../../../../src/engine/definition/metadata-limits.js';
import { doc, type FaultCase } from './case.js';

const head = 'apiVersion: v1\nkind: Journey\nmetadata: { name: probe, version: 1.0.0 }\n';
const tail = 'spec:\n  start: a\n  states:\n    a: { type: succeed }\n';
const meta = (metadata: string) => `apiVersion: v1\nkind: Journey\nmetadata: ${metadata}\n${tail}`;

/** The text itself and the identity of the document. */
export const documentCases: FaultCase[] = [
  { code: 'DOC_PARSE', text: '', about: 'empty' },
  { code: 'DOC_PARSE', text: '§just some words\n' },
  { code: 'DOC_PARSE', text: '§- a\n- list\n' },
  { code: 'DOC_PARSE', text: `${head}spec: { start: a, states: { a: { type: succeed }\n§`, about: 'unclosed' },
  { code: 'DOC_PARSE', text: '{ "apiVersion": "v1", §}', path: 'x.journey.json', about: 'JSON is JSON, not YAML' },
  { code: 'DOC_PARSE', text: '{ §apiVersion: v1 }', path: 'x.journey.json' },
  {
    code: 'DOC_PARSE',
    text: '{\n  "apiVersion": §,\n  "kind": "Journey"\n}',
    path: 'x.journey.json',
    about: 'a value',
  },
  { code: 'DOC_PARSE', text: '{ §apiVersion: v1 }', path: 'X.JOURNEY.JSON', about: 'a name in capitals' },
  {
    code: 'DOC_KEY',
    text: '{ "apiVersion": "v1", "kind": "Journey", "metadata": { "name": "a", "version": "1.0.0" }, "spec": { "start": "a", "states": { §"a\\ud800": { "type": "succeed" } } } }',
    path: 'x.journey.json',
    also: ['START_UNKNOWN', 'STATE_UNREACHABLE'],
    about: 'half a character in a name',
  },
  { code: 'DOC_KIND', text: '§{}\n', hint: 'journeyman new', about: 'an empty document has one finding' },
  { code: 'DOC_KIND', text: '§scenarios: { one: { expect: { phase: FAILED } } }\n', hint: 'journeyman test' },
  { code: 'DOC_KIND', text: '§openapi: 3.1.0\ninfo: { title: a }\npaths: {}\n', hint: 'spec.apis' },
  { code: 'DOC_YAML_ANCHOR', text: doc({ states: 'a: §&one { type: succeed }' }) },
  {
    code: 'DOC_YAML_ANCHOR',
    text: doc({ spec: 'mappers:\n  one: &one { lang: dataweave, expr: "1" }\n  two: §*one' }),
    also: ['DOC_YAML_ANCHOR', 'EXPR_REQUIRED'],
  },
  { code: 'DOC_YAML_TAG', text: meta('{ name: probe, version: §!!str 1.0.0 }') },
  { code: 'DOC_YAML_TAB', text: `${head}spec:\n§\tstart: a\n`, also: ['DOC_PARSE'] },
  {
    code: 'DOC_YAML_TAB',
    text: `${head}spec: {\n§\tstart: a, states: { a: { type: succeed } } }\n`,
    also: ['DOC_PARSE'],
    about: 'in a flow mapping',
  },
  { code: 'DOC_MULTIPLE', text: `${head}${tail}§---\n${head}${tail}` },
  {
    code: 'DOC_DUPLICATE_KEY',
    text: doc({ states: 'a: { type: succeed }\n§a: { type: fail, errorCode: X, reason: x }' }),
  },
  {
    code: 'DOC_DUPLICATE_KEY',
    text: '{"apiVersion":"v1",§"apiVersion":"v1"}',
    path: 'x.journey.json',
    also: ['DOC_KIND', 'FIELD_REQUIRED'],
  },
  { code: 'DOC_KEY', text: doc({ spec: 'outcomes:\n  ? §[a, b]\n  : { when: { phase: FAILED } }' }) },
  { code: 'DOC_NUMBER', text: doc({ spec: 'input: { schema: { const: §12345678901234567890 } }' }) },
  { code: 'DOC_TOO_LARGE', text: `# ${'x'.repeat(500_001)}` },
  { code: 'DOC_TOO_DEEP', text: doc({ spec: `input: { schema: ${'{ not: '.repeat(300)}true${' }'.repeat(300)} }` }) },
  ...['yes', 'No', 'ON', 'off', '2026-01-31', '2026-01-31T10:00:00Z', '22:30:00', '007', '.inf', '.NaN'].map(
    (value): FaultCase => ({
      code: 'DOC_YAML_IMPLICIT_TYPE',
      text: doc({ spec: `input: { schema: { const: §${value} } }` }),
      about: value,
    }),
  ),
  {
    code: 'DOC_YAML_IMPLICIT_TYPE',
    text: doc({ spec: 'outcomes:\n  §yes: { when: { phase: FAILED } }' }),
    about: 'as a key',
  },
  {
    code: 'DOC_API_VERSION',
    text: `apiVersion: §v2\nkind: Journey\nmetadata: { name: probe, version: 1.0.0 }\n${tail}`,
  },
  {
    code: 'DOC_KIND',
    text: `apiVersion: v1\nkind: §Jorney\nmetadata: { name: probe, version: 1.0.0 }\n${tail}`,
    hint: 'Journey',
  },
  {
    code: 'DOC_KIND',
    text: `apiVersion: v1\nkind: §MetadataLimits\nmetadata: { name: probe, version: 1.0.0 }\n${tail}`,
    hint: 'configuration',
  },
  { code: 'META_NAME', text: meta('{ name: §Tea_Order, version: 1.0.0 }') },
  { code: 'META_NAME', text: meta(`{ name: §${'a'.repeat(64)}, version: 1.0.0 }`) },
  { code: 'META_NAME_RESERVED', text: meta('{ name: §constructor, version: 1.0.0 }'), hint: 'another name' },
  { code: 'META_VERSION', text: meta('{ name: probe, version: §1.0 }'), hint: 'quotes' },
  { code: 'META_VERSION', text: meta('{ name: probe, version: §"1.0" }') },
  { code: 'META_VERSION', text: meta('{ name: probe, version: §01.0.0 }') },
  { code: 'META_VERSION', text: meta('{ name: probe, version: §1.0.0junk }') },
  { code: 'META_DESCRIPTION', text: meta('{ name: probe, version: 1.0.0, description: §" " }') },
  { code: 'META_TAGS', text: meta('{ name: probe, version: 1.0.0, tags: §tea }') },
  { code: 'META_TAGS', text: meta('{ name: probe, version: 1.0.0, tags: [tea, §7] }') },
  { code: 'META_TAGS_LIMIT', text: meta('{ name: probe, version: 1.0.0, tags: §[a, b, c, d, e, f, g, h, i, j, k] }') },
  {
    code: 'META_TAGS_LIMIT',
    text: meta('{ name: probe, version: 1.0.0, tags: §[a, b] }'),
    options: { metadata: { ...defaultMetadataLimits, definitionTags: 1 } },
  },
  { code: 'META_TAGS_LIMIT', text: meta(`{ name: probe, version: 1.0.0, tags: §[${'t'.repeat(41)}] }`) },
  { code: 'FIELD_REQUIRED', text: '§apiVersion: v1\nkind: Journey\nmetadata: { name: probe, version: 1.0.0 }\n' },
  { code: 'FIELD_REQUIRED', text: `§apiVersion: v1\nkind: Journey\n${tail}` },
  { code: 'FIELD_TYPE', text: `apiVersion: v1\nkind: Journey\nmetadata: §probe\n${tail}` },
  { code: 'UNKNOWN_FIELD', text: `${head}${tail}§status: {}\n` },
  { code: 'UNKNOWN_FIELD', text: doc({ spec: '§outcome: {}' }), hint: 'outcomes' },
  { code: 'UNKNOWN_FIELD', text: `${head}${tail}§x-owner: {}\n`, severity: 'warning' },
  { code: 'UNKNOWN_FIELD', text: doc({ spec: '§route: { path: /x }' }), severity: 'warning', hint: 'bindings.http' },
  { code: 'UNKNOWN_FIELD', text: meta('{ name: probe, version: 1.0.0, §labels: {} }'), severity: 'warning' },
];
