import { metricMeter } from '@temporalio/workflow';
import type { Definition } from '../../src/engine/definition/definition.js';
import type { Outcome } from '../../src/engine/outcome.js';
import { spanError } from '../../src/engine/trace-context-and-run-spans.js';
import { publicErrorCode } from '../../src/language/states/error-code-for-telemetry.js';

/*
 * Journeys, versions and error codes come from documents, so their number is bounded; all codes that journeys compute count as one. A
 * replay counts nothing.
 */
const started = metricMeter.createCounter('journey_runs_started', undefined, 'Runs started, by journey');
const completed = metricMeter.createCounter(
  'journey_runs_completed',
  undefined,
  'Runs that ended, by journey and phase',
);
const duration = metricMeter.createHistogram(
  'journey_run_duration_seconds',
  'float',
  undefined,
  'Seconds from the start of a run to its end',
);
const ended = metricMeter.createCounter(
  'journeyman_runs_ended',
  undefined,
  'Runs that ended, by journey and error code',
);

function labels({ name: journeyName, version: journeyVersion, kind }: Definition) {
  return { journeyName, journeyVersion, kind };
}

/** Counts the start of a run. */
export function countStart(definition: Definition): void {
  started.add(1, labels(definition));
}

/** Counts the end of a run. */
export function countEnd(definition: Definition, outcome: Outcome, startedAt: number, scheduled: boolean): void {
  const { phase } = outcome;
  const code = publicErrorCode(definition, spanError(outcome)) ?? '';
  ended.add(1, { journey: definition.name, phase, code, scheduled });
  completed.add(1, { ...labels(definition), phase });
  duration.record((Date.now() - startedAt) / 1000, { ...labels(definition), phase });
}
