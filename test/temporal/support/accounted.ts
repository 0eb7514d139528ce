import { expect } from 'vitest';
import type { JsonObject } from '../../../src/base/json/value.js';
import type { OccurrenceReason } from '../../../src/schedules/occurrence-counts.js';
import type { JobRun } from '../../../src/service/jobs-interface.js';
import { accountTimes } from '../../support/occurrence-times.js';

/** Fails unless every time between the first and the last one of the runs is accounted for exactly once. */
export function expectAllAccounted(schedule: JsonObject, runs: readonly JobRun[]): Record<string, number> {
  const spans = runs.flatMap(({ result }) => result?.occurrences ?? []);
  const { times, faults } = accountTimes(schedule, spans);
  expect(faults).toEqual([]);
  const counts: Partial<Record<OccurrenceReason, number>> = {};
  for (const [, reason] of times) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts as Record<string, number>;
}
