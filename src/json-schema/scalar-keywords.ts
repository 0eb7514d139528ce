import { equal, type Json } from '../base/json/value.js';
import { matchesFormat } from './formats.js';
import { compilePattern } from './linear-pattern.js';
import type { Keyword, Validation } from './validation-state.js';

function isType(value: Json, name: Json): boolean {
  switch (name) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    default:
      return typeof value === name;
  }
}

export const type: Keyword = (names, { value, at }, run) => {
  const list = Array.isArray(names) ? names : [names];
  if (!list.some((name) => isType(value, name))) run.fail(at, 'type', `must be ${list.join(',')}`);
};

export const enumeration: Keyword = (allowed, { value, at }, run) => {
  if (!Array.isArray(allowed)) return;
  if (!allowed.some((item) => same(item, value, run))) {
    run.fail(at, 'enum', 'must be equal to one of the allowed values', { argument: allowed });
  }
};

export const constant: Keyword = (expected, { value, at }, run) => {
  if (!same(expected, value, run)) run.fail(at, 'const', 'must be equal to constant', { argument: expected });
};

function same(a: Json, b: Json, run: Validation): boolean {
  run.spend(typeof a === 'object' && a !== null ? Object.keys(a).length + 1 : 1);
  return equal(a, b);
}

/** A bound on numbers: applies where both the keyword's value and the value are numbers. */
function bound(name: string, sign: string, holds: (value: number, limit: number) => boolean): Keyword {
  return (limit, { value, at }, run) => {
    if (typeof limit !== 'number' || typeof value !== 'number' || holds(value, limit)) return;
    run.fail(at, name, `must be ${sign} ${limit}`);
  };
}

export const minimum = bound('minimum', '>=', (value, limit) => value >= limit);
export const maximum = bound('maximum', '<=', (value, limit) => value <= limit);
export const exclusiveMinimum = bound('exclusiveMinimum', '>', (value, limit) => value > limit);
export const exclusiveMaximum = bound('exclusiveMaximum', '<', (value, limit) => value < limit);

/** The quotient must print as an integer, as in ajv: beyond 1e21 nothing is a multiple. */
export const multipleOf = bound('multipleOf', 'multiple of', (value, unit) => {
  const quotient = value / unit;
  return Number.isInteger(quotient) && Math.abs(quotient) < 1e21;
});

/** A bound on the length of texts, in code points. */
function lengthBound(name: string, fewer: string, holds: (length: number, limit: number) => boolean): Keyword {
  return (limit, { value, at }, run) => {
    if (typeof limit !== 'number' || typeof value !== 'string') return;
    if (!holds(codePoints(value), limit)) run.fail(at, name, `must NOT have ${fewer} than ${limit} characters`);
  };
}

export const minLength = lengthBound('minLength', 'fewer', (length, limit) => length >= limit);
export const maxLength = lengthBound('maxLength', 'more', (length, limit) => length <= limit);

function codePoints(text: string): number {
  let length = text.length;
  for (let i = 0; i + 1 < text.length; i++) {
    if (text.charCodeAt(i) >> 10 === 0x36 && text.charCodeAt(i + 1) >> 10 === 0x37) {
      length -= 1;
      i += 1;
    }
  }
  return length;
}

export const pattern: Keyword = (source, { value, at }, run) => {
  if (typeof source !== 'string' || typeof value !== 'string') return;
  if (!matches(source, value, run)) run.fail(at, 'pattern', `must match pattern "${source}"`);
};

/** True if `text` matches a schema's pattern; an unusable pattern matches nothing. */
export function matches(source: string, text: string, run: Validation): boolean {
  run.spend(1 + Math.ceil((text.length * source.length) / 100));
  try {
    return compilePattern(source).test(text);
  } catch {
    return false;
  }
}

export const format: Keyword = (name, { value, at }, run) => {
  if (!run.options.assertFormats || typeof name !== 'string') return;
  if (typeof value !== 'string' && typeof value !== 'number') return;
  if (typeof value === 'string') run.spend(Math.ceil(value.length / 10));
  if (!matchesFormat(name, value)) run.fail(at, 'format', `must match format "${name}"`, { argument: name });
};
