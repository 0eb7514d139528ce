import { coerceTo } from '../runtime/coerce.js';
import { difference } from '../runtime/dates/arithmetic.js';
import type { DateTimeValue } from '../runtime/dates/values.js';
import { type Definition, overload } from '../runtime/dispatch.js';
import type { Evaluation } from '../runtime/evaluation.js';
import { DwObject, T, type Value } from '../runtime/values.js';

/** The time from `start` to `end`, in whole units of each kind. */
function durationBetween(ev: Evaluation, start: Value, end: Value): Value {
  const at = (value: Value) => coerceTo(ev, value, T.DateTime) as DateTimeValue;
  const { seconds, nanos } = difference(at(end), at(start));
  const total = seconds ?? 0;
  const units: [string, number][] = [
    ['milliseconds', total * 1000 + Math.floor(nanos / 1e6)],
    ['seconds', total],
    ['minutes', Math.trunc(total / 60)],
    ['hours', Math.trunc(total / 3600)],
    ['days', Math.trunc(total / 86_400)],
  ];
  return new DwObject(
    units.map(([unit]) => unit),
    units.map(([, n]) => n),
  );
}

/** What journeys use although DataWeave has no such function (deviation D8). */
export const journeyFunctions: readonly Definition[] = [['durationBetween', overload([T.Any, T.Any], durationBetween)]];
