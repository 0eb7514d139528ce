import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { escapePointer, pointerParts } from '../base/json/pointer.js';
import type { Json } from '../base/json/value.js';
import { nearestName } from '../base/problems/nearest-name.js';
import type { Finding } from '../base/problems/problem.js';
import { validate as interpreted } from '../json-schema/validate.js';
import type { Schema } from './config-schema-builders.js';

const require = createRequire(import.meta.url);

type WrittenAt = { line?: number; column?: number; variable?: string };

/** Validates `value` against `schema`: each finding once, with its place. */
export function schemaFindings(
  schema: Schema,
  value: Json,
  place: (pointer: string) => WrittenAt,
): (Finding & WrittenAt)[] {
  // Most configurations are valid, and compiling the schema takes a quarter of a second; ajv is loaded only for its messages.
  if (interpreted(schema as Json, value).length === 0) return [];
  const check = compiled(schema);
  if (check(value)) return [];
  const errors = check.errors ?? [];
  const choices = errors.filter(({ keyword }) => keyword === 'oneOf').map(({ instancePath }) => instancePath);
  return errors
    .filter((error) => error.keyword !== 'if' && !isNoise(error, choices))
    .map((error) => {
      const finding = describe(error);
      return { ...finding, ...place(finding.pointer) };
    });
}

const cache = new WeakMap<Schema, ValidateFunction>();

function compiled(schema: Schema): ValidateFunction {
  let check = cache.get(schema);
  if (check === undefined) {
    const formats = { path: true, uri: true } as const;
    const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
    check = new Ajv2020({ allErrors: true, verbose: true, strict: true, formats }).compile(schema as object);
    cache.set(schema, check);
  }
  return check;
}

/** True for errors that only repeat another one: the branches of a failed choice, and the wrapper of an invalid name. */
function isNoise(error: ErrorObject, choices: readonly string[]): boolean {
  if (error.keyword === 'propertyNames') return true;
  return (
    error.keyword !== 'oneOf' &&
    choices.some((at) => error.instancePath === at || error.instancePath.startsWith(`${at}/`))
  );
}

function describe(error: ErrorObject): Finding {
  const { keyword, params, instancePath } = error;
  const name = (pointer: string) => pointerParts(pointer).join('.') || 'the file';
  const finding = (message: string, hint?: string, pointer = instancePath): Finding => ({
    code: keyword === 'additionalProperties' ? 'CONFIG_UNKNOWN_KEY' : 'CONFIG_VALUE_INVALID',
    severity: 'error',
    message,
    pointer,
    ...(hint === undefined ? {} : { hint }),
  });
  const meaning = (error.parentSchema as Schema | undefined)?.description;
  const hidden = (error.parentSchema as Schema | undefined)?.writeOnly === true;
  const here = name(instancePath);
  switch (keyword) {
    case 'additionalProperties': {
      const key = String(params.additionalProperty);
      const known = Object.keys((error.parentSchema as Schema).properties ?? {});
      const guess = nearestName(key, known);
      const hint = guess === undefined ? `Known here: ${known.join(', ')}.` : `Did you mean "${guess}"?`;
      const within = instancePath === '' ? '' : ` in ${here}`;
      return finding(`Unknown key "${key}"${within}`, hint, `${instancePath}/${escapePointer(key)}`);
    }
    case 'required':
      return finding(`${here} needs "${params.missingProperty}"`);
    case 'type':
      return finding(`${here} must be ${article(String(params.type))}, not ${show(error.data)}`, meaning);
    case 'enum':
      return finding(
        `${here} must be one of ${(params.allowedValues as Json[]).join(', ')}, not ${show(error.data)}`,
        typeof error.data === 'string' ? suggestion(error.data, params.allowedValues as string[]) : undefined,
      );
    case 'oneOf':
      return finding(
        `${here} must be { env: NAME } or { file: path }`,
        'Literal secrets do not belong in configuration.',
      );
    case 'pattern':
      return error.propertyName === undefined
        ? finding(`${here} must be ${formOf(params.pattern)}${hidden ? '' : `, not ${show(error.data)}`}`, meaning)
        : finding(
            `"${error.propertyName}" is not a valid name in ${here}: it must be ${formOf(params.pattern)}`,
            undefined,
            `${instancePath}/${escapePointer(error.propertyName)}`,
          );
    default:
      return finding(`${here} ${error.message ?? 'is not valid'}, not ${show(error.data)}`, meaning);
  }
}

const suggestion = (word: string, known: readonly string[]): string | undefined => {
  const guess = nearestName(word, known);
  return guess === undefined ? undefined : `Did you mean "${guess}"?`;
};
/** A pattern in words; a pattern without a description is shown itself. */
const forms: readonly [RegExp, string][] = [
  [/^\^\(\[A-Z\]\+ \)\?https/, 'an origin like https://example.com, optionally after a method'],
  [/^\^https\?:\/\/\[\^\/\?#@(\\s)?\]\+\$/, 'an origin like https://example.com:8443, without a path'],
  [/^\^https/, 'a URL like https://example.com/path'],
  [/^\^redis/, 'a URL like redis://example.com:6379'],
  [/:\[0-9\]\+\$$/, 'a host and a port, like example.com:9092'],
  [/^\^\(\[a-z0-9\]/, 'the name of a journey like order, or a prefix like order-*'],
];
const formOf = (pattern: unknown): string =>
  forms.find(([known]) => known.test(String(pattern)))?.[1] ?? `a text that matches ${String(pattern)}`;

const article = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);
const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
};
