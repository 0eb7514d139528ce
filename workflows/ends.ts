import { metricMeter } from '@temporalio/workflow';
import type { Outcome } from '../src/engine/outcome.js';

/** Journeys and error codes stand in documents, so there are never more of these than an operator can watch. */
const ended = metricMeter.createCounter(
  'journeyman_runs_ended',
  undefined,
  'Runs that ended, by journey and error code',
);

/** Counts how a run ended, once however often it is replayed. An error that must not happen counts as its cause. */
export function countEnd(journey: string, { phase, error }: Outcome, scheduled: boolean): void {
  const code = error ? String(error.cause ?? error.code) : '';
  ended.add(1, { journey, phase, code, scheduled });
}
