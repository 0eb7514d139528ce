import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../src/base/json/value.js';
import type { Call } from '../ledger.js';
import type { ProcessName } from '../stand.js';
import type { KillCase } from './cases.js';

/** The result of one run of the matrix. */
export interface KilledRun {
  readonly label: string;
  /** The id returned by its start. */
  readonly id: string;
  /** The phase, or the error code of a failure. */
  readonly end: string;
  /** The reason of a failure. */
  readonly reason?: string;
  readonly calls: readonly Call[];
}

/** All violations in a run whose process was killed; empty if there are none. */
export function judge(given: KillCase, killed: ProcessName, run: KilledRun): string[] {
  const { mayEnd, ends = 'SUCCEEDED' } = given;
  const gone = mayEnd !== undefined && run.end === mayEnd.code && mayEnd.killed.includes(killed);
  const wrongEnd = gone || run.end === ends ? [] : [`ended with ${run.end} instead of ${ends} ${run.reason ?? ''}`];
  const expected = { before: ['$/before#*'], ...(given.value && !gone && { after: ['$/after#*'] }), ...given.keys };
  const points = new Set([...Object.keys(expected), ...run.calls.map(({ point }) => point)]);
  return [
    ...wrongEnd,
    ...[...points].flatMap((point) => judgePoint(given, run, point, expected[point as 'before'] ?? [], gone)),
    ...run.calls.filter(({ point }) => point === 'after').flatMap(({ value }) => judgeValue(given, value)),
  ].map((it) => `${run.label}: ${it}`);
}

/** The number of calls repeated with their original keys. */
export function repeatedCalls({ calls }: KilledRun): number {
  return calls.length - new Set(calls.map(({ point, key }) => `${point} ${key}`)).size;
}

function judgePoint(
  given: KillCase,
  run: KilledRun,
  point: string,
  patterns: readonly string[],
  mayBeMissing: boolean,
): string[] {
  const calls = run.calls.filter((it) => it.point === point);
  if (given.safe?.includes(point)) return calls.length > 0 ? [] : [`${point} is lost`];
  const wanted = patterns.map((it) => it.replaceAll('$', run.id).replaceAll('@', run.label));
  const keys = [...new Set(calls.map(({ key }) => key ?? 'no key'))];
  const lost = wanted.filter((it) => !keys.some((key) => matches(key, it)));
  const strange = keys.filter((key) => wanted.filter((it) => matches(key, it)).length !== 1);
  const twins = wanted.filter((it) => keys.filter((key) => matches(key, it)).length > 1);
  const mayRepeat = !given.once?.includes(point);
  return [
    ...(mayBeMissing ? [] : lost.map((it) => `${point} is lost: no call with ${it}`)),
    ...strange.map((it) => `${point} was called with ${it}`),
    ...twins.map((it) => `${point} was called with several keys like ${it}`),
    ...(!mayRepeat && calls.length > keys.length ? [`${point} was repeated: ${calls.length} calls`] : []),
  ];
}

/** Whether a key matches this pattern: `*` is a number, `?` any text. */
function matches(key: string, form: string): boolean {
  const source = form
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '\\d+')
    .replaceAll('?', '.+');
  return new RegExp(`^${source}$`).test(key);
}

function judgeValue(given: KillCase, value: Json | undefined): string[] {
  const correct = given.value?.some((it) => isDeepStrictEqual(value, it));
  return correct ? [] : [`after has the value ${JSON.stringify(value)}`];
}
