import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/value.js';
import { configSchema } from '../../../src/config/config-schema.js';
import type { Schema } from '../../../src/config/config-schema-builders.js';
import { type Setting, settingsOf, withDefaults } from '../../../src/config/settings-from-schema.js';

const file = new URL('../../../docs/configuration.md', import.meta.url);
const [begin, end] = ['<!-- keys: begin -->', '<!-- keys: end -->'];

const code = (text: string) => `\`${text}\``;
const cell = (text: string) => text.replaceAll('|', '\\|');

function typeOf({ type, enum: values, items, additionalProperties, oneOf }: Schema): string {
  if (values !== undefined) return values.map((value) => code(String(value))).join(', ');
  if (oneOf !== undefined) return '`{ env }` or `{ file }`';
  if (type === 'array') return `list of ${items?.type ?? 'value'}s`;
  if (type === 'object') return typeof additionalProperties === 'object' ? 'map' : 'object';
  return String(type);
}

function row({ name, variable, schema }: Setting): string {
  const fallback = schema.default === undefined ? '' : code(JSON.stringify(schema.default));
  return `| ${[code(name), typeOf(schema), fallback, schema.description ?? '', code(variable)].map(cell).join(' | ')} |`;
}

function tables(): string {
  return Object.entries(configSchema.properties ?? {})
    .map(([name, section]) => {
      const keys = settingsOf(section, [name]);
      const about = section.properties === undefined ? [] : [section.description ?? '', ''];
      return [
        `### ${name}`,
        '',
        ...about,
        '| key | type | default | meaning | variable |',
        '|---|---|---|---|---|',
        ...keys.map(row),
      ].join('\n');
    })
    .join('\n\n');
}

describe('the reference', () => {
  it('docs/configuration.md lists every key with its default and variable (UPDATE_DOCS=1 rewrites it)', () => {
    const text = readFileSync(file, 'utf8');
    const [before, rest] = text.split(begin);
    const [inside, after] = (rest ?? '').split(end);
    if (process.env.UPDATE_DOCS) writeFileSync(file, `${before}${begin}\n\n${tables()}\n\n${end}${after}`);
    else expect(inside?.trim()).toBe(tables());
  });

  it('no two keys share a variable', () => {
    const variables = settingsOf(configSchema).map(({ variable }) => variable);
    expect(new Set(variables).size).toBe(variables.length);
  });

  it('every key has a description', () => {
    for (const { name, schema } of settingsOf(configSchema)) expect(schema.description, name).toBeTruthy();
  });

  it('the schema is a valid one, and its defaults and examples satisfy it', () => {
    const ajv = new Ajv2020({ strict: true, allErrors: true, formats: { path: true, uri: true } });
    const check = ajv.compile(configSchema as object);
    expect(check(withDefaults(configSchema, {}))).toBe(true);
    for (const { path, schema } of settingsOf(configSchema)) {
      for (const example of schema.examples ?? []) {
        const value = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), example) as JsonObject;
        check(value);
        expect(check.errors ?? [], path.join('.')).toEqual([]);
      }
    }
  });
});
