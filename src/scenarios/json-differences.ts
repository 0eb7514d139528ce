import { equal, isObject, type Json } from '../base/json/value.js';

/** A difference between the expected and the actual value. */
export interface Difference {
  /** Dot path from the compared value; empty for the value itself. */
  path: string;
  expected?: Json;
  actual?: Json;
}

const mostDifferences = 20;

/** Differences between `actual` and `expected`. With `part`, objects may have more fields than expected. */
export function differences(expected: Json, actual: Json | undefined, part = false): Difference[] {
  const found: Difference[] = [];
  compare(expected, actual, '', part, found);
  return found.slice(0, mostDifferences);
}

function compare(expected: Json, actual: Json | undefined, path: string, part: boolean, found: Difference[]): void {
  if (isObject(expected) && isObject(actual)) {
    const keys = Object.keys(expected);
    const more = part ? [] : Object.keys(actual).filter((key) => !Object.hasOwn(expected, key));
    for (const key of keys) {
      const there = Object.hasOwn(actual, key) ? actual[key] : undefined;
      compare(expected[key]!, there, join(path, key), part, found);
    }
    for (const key of more) found.push({ path: join(path, key), actual: actual[key]! });
    return;
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    for (let i = 0; i < Math.max(expected.length, actual.length); i++) {
      if (i >= expected.length) found.push({ path: `${path}[${i}]`, actual: actual[i]! });
      else compare(expected[i]!, actual[i], `${path}[${i}]`, part, found);
    }
    return;
  }
  if (equal(expected, actual)) return;
  found.push({ path, expected, ...(actual !== undefined && { actual }) });
}

function join(path: string, key: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** A difference as one line of text. */
export function describeDifference({ expected, actual }: Difference): string {
  return expected === undefined ? `unexpected ${show(actual)}` : `expected ${show(expected)}, got ${show(actual)}`;
}

/** The path of a part: `output` and `total` become `output.total`. */
export function subjectAt(subject: string, path: string): string {
  return path === '' || path.startsWith('[') ? subject + path : `${subject}.${path}`;
}

function show(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 197)}…` : text;
}
