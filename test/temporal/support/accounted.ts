import { expect } from 'vitest';
import type { JsonObject } from '../../../src/json/value.js';
import { countBetween, enumerate } from '../../../src/scheduling/cadence/occurrences.js';
import { readCadence } from '../../../src/scheduling/cadence/wire.js';
import type { Occurrences } from '../../../src/scheduling/jobs/envelope.js';
import type { JobRun } from '../../../src/service/jobs.js';

/** Every time that the runs of a job say something about, in order, with what they say. Fails if one is in two of them. */
export function accountedTimes(schedule: JsonObject, runs: readonly JobRun[]): [number, Occurrences['reason']][] {
  const cadence = readCadence(schedule, { now: 0, allowPast: true }).cadence!;
  const times = runs
    .flatMap(({ result }) => result?.occurrences ?? [])
    .flatMap(({ first, last, count, reason }) => {
      const span = enumerate(cadence, Date.parse(first) - 1, { until: Date.parse(last) });
      expect(span).toHaveLength(count);
      return span.map((time): [number, Occurrences['reason']] => [time, reason]);
    })
    .sort(([a], [b]) => a - b);
  expect(new Set(times.map(([time]) => time)).size, 'no time is accounted for twice').toBe(times.length);
  return times;
}

/** Fails unless every time between the first and the last that the runs know of is accounted for, exactly once. */
export function expectAllAccounted(schedule: JsonObject, runs: readonly JobRun[]): Record<string, number> {
  const times = accountedTimes(schedule, runs);
  const cadence = readCadence(schedule, { now: 0, allowPast: true }).cadence!;
  expect(times.length).toBe(countBetween(cadence, times[0]![0] - 1, times.at(-1)![0]));
  const counts: Record<string, number> = {};
  for (const [, reason] of times) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}
