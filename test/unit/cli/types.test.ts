import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { typesCommand } from '../../../src/cli/author/types.js';
import { captured } from './capture.js';

const { folder, printed, run } = captured(typesCommand);

/** A journey with these schemas; its step is called `decide-now`. */
function journey({ input = {}, output = {}, step = {} }: { input?: object; output?: object; step?: object }): string {
  const file = join(folder(), 'a.journey.yaml');
  const spec = {
    input: { schema: input },
    output: { schema: output },
    start: 'decide-now',
    states: {
      'decide-now': { type: 'wait', wait: { channel: 'manual', input: { schema: step } }, next: 'done' },
      done: { type: 'succeed' },
    },
  };
  const metadata = { name: 'a', version: '1.0.0', description: 'Decides */ things.' };
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'Journey', metadata, spec }));
  return file;
}

/** The written type of an output schema, on one line. */
async function typeOf(output: object): Promise<string> {
  await run(journey({ output }));
  const [, type] = /\n {4}output: ([\s\S]*?);\n {4}steps:/.exec(printed()) ?? [];
  return type!.replaceAll(/\s+/g, ' ');
}

const object = (properties: object, more = {}) => ({ type: 'object', properties, ...more });
const recursive = { $ref: '#/$defs/node', $defs: { node: object({ next: { $ref: '#/$defs/node' } }) } };

it.each([
  ['nothing', {}, 'unknown'],
  [
    'scalars',
    object({ a: { type: 'string' }, b: { type: 'integer' }, c: { type: 'null' } }, { required: ['b'] }),
    '{ a?: string; b: number; c?: null; }',
  ],
  ['names that are not identifiers', object({ 'a-b': { type: 'boolean' } }), '{ "a-b"?: boolean; }'],
  ['required names without a schema', { required: ['a'] }, '{ a: unknown; }'],
  ['any object', { type: 'object' }, 'Record<string, unknown>'],
  ['objects by name', { type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
  [
    'other properties',
    object({ a: { type: 'string' } }, { additionalProperties: { type: 'number' } }),
    '{ a?: string; [name: string]: unknown; }',
  ],
  ['no properties', { type: 'object', additionalProperties: false }, '{}'],
  ['several types', { type: ['string', 'null'] }, 'string | null'],
  ['values', { enum: ['a', 1, null, { b: [2] }] }, '"a" | 1 | null | {"b":[2]}'],
  ['a constant', { const: 'on' }, '"on"'],
  ['a list of two alternatives', { type: 'array', items: { type: ['string', 'number'] } }, '(string | number)[]'],
  [
    'a list of objects or null',
    { items: { anyOf: [object({ a: true }), { type: 'null' }] } },
    '({ a?: unknown; } | null)[]',
  ],
  ['a tuple', { prefixItems: [{ type: 'string' }], items: false }, '[string?]'],
  ['a tuple with additional items', { prefixItems: [{ type: 'string' }] }, '[string?, ...unknown[]]'],
  ['alternatives', { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'string' }] }, 'string | number'],
  ['an alternative of any type', { anyOf: [{ type: 'string' }, {}] }, 'unknown'],
  [
    'allOf',
    { allOf: [object({ a: true }), { anyOf: [{ type: 'string' }, { type: 'null' }] }] },
    '{ a?: unknown; } & (string | null)',
  ],
  ['a reference', { $ref: '#/$defs/id', $defs: { id: { type: 'string' } } }, 'string'],
  ['a recursive reference', recursive, '{ next?: unknown; }'],
  ['nothing at all', object({ a: false }), '{ a?: never; }'],
])('%s', async (_, schema, type) => {
  expect(await typeOf(schema)).toBe(type);
});

it('writes input, output and steps of every journey by name, with descriptions', async () => {
  const step = object({ yes: { type: 'boolean', description: 'The\ndecision.' } });
  await run(journey({ input: object({ id: { type: 'string' } }, { required: ['id'] }), step }));
  expect(printed()).toBe(`// Written by \`journeyman types\`.

/** Journeys by name. */
export interface Journeys {
  /** Decides * / things. */
  a: {
    input: {
      id: string;
    };
    output: unknown;
    steps: {
      "decide-now": {
        /** The decision. */
        yes?: boolean;
      };
    };
  };
}
`);
});

it('does not require what the start copies from headers', async () => {
  const file = journey({ input: object({ id: { type: 'string' } }, { required: ['id'] }) });
  const document = JSON.parse(readFileSync(file, 'utf8')) as { spec: object };
  const bindings = { http: { start: { headersToContext: { 'x-id': 'id' } } } };
  writeFileSync(file, JSON.stringify({ ...document, spec: { ...document.spec, bindings } }));
  await run(file);
  expect(printed()).toContain('id?: string;');
});

it('writes to a file, without Apis', async () => {
  const out = join(folder(), 'journeys.d.ts');
  await run('specs', '--out', out);
  expect(printed()).toBe(`${out}\n`);
  const text = readFileSync(out, 'utf8');
  expect(text).toContain('  checkout: {');
  expect(text).not.toContain('product-page');
});

it('writes nothing while a journey has errors', async () => {
  const file = journey({});
  writeFileSync(file, readFileSync(file, 'utf8').replace('"start":"decide-now"', '"start":"gone"'));
  const out = join(folder(), 'journeys.d.ts');
  await expect(run(file, '--out', out)).rejects.toMatchObject({ problem: { code: 'JOURNEY_BROKEN' } });
  expect(() => readFileSync(out)).toThrow('ENOENT');
});
