import type { JsonObject } from '../../src/base/json/value.js';
import { readCadence } from '../../src/schedules/cadence/cadence-json.js';
import { countBetween, enumerate } from '../../src/schedules/cadence/occurrences.js';
import type { OccurrenceReason, OccurrenceSpan } from '../../src/schedules/occurrence-counts.js';

/** Times that the runs of a job account for, and errors of that account. */
export interface AccountedTimes {
  /** In order, each with its result. */
  readonly times: readonly (readonly [number, OccurrenceReason])[];
  readonly faults: readonly string[];
}

/** Combines the accounts of a job's runs: each time between the first and the last must be accounted for exactly once. */
export function accountTimes(schedule: JsonObject, spans: readonly OccurrenceSpan[]): AccountedTimes {
  const cadence = readCadence(schedule, { now: 0, allowPast: true }).cadence!;
  const faults: string[] = [];
  const times = spans
    .flatMap(({ first, last, count, reason }) => {
      const span = enumerate(cadence, Date.parse(first) - 1, { until: Date.parse(last) });
      if (span.length !== count) faults.push(`${first} to ${last} has ${span.length} times, not ${count}`);
      return span.map((time) => [time, reason] as const);
    })
    .sort(([a], [b]) => a - b);
  const twice = times.filter(([time], i) => time === times[i + 1]?.[0]);
  faults.push(...twice.map(([time]) => `${new Date(time).toISOString()} is accounted for twice`));
  const [from, to] = [times[0]?.[0], times.at(-1)?.[0]];
  if (from !== undefined && to !== undefined) {
    const due = countBetween(cadence, from - 1, to);
    if (new Set(times.map(([time]) => time)).size !== due)
      faults.push(`${times.length} of ${due} times are accounted for`);
  }
  return { times, faults };
}
