import { metricMeter } from '@temporalio/workflow';
import type { Definition } from '../src/definition/definition.js';
import type { Outcome } from '../src/engine/outcome.js';
import { errorOf } from '../src/engine/trace.js';
import { toldCode } from '../src/states/told-code.js';

/*
 * Journeys, versions and error codes stand in documents, so there are never more of these than an operator can watch; a code that a
 * journey computed counts as one of all such. A replay counts nothing again.
 */
const started = metricMeter.createCounter('journey_runs_started', undefined, 'Runs that began, by journey');
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

/** Counts a run that begins. */
export function countStart(definition: Definition): void {
  started.add(1, labels(definition));
}

/** Counts how a run ended. */
export function countEnd(definition: Definition, outcome: Outcome, startedAt: number, scheduled: boolean): void {
  const { phase } = outcome;
  const code = toldCode(definition, errorOf(outcome)) ?? '';
  ended.add(1, { journey: definition.name, phase, code, scheduled });
  completed.add(1, { ...labels(definition), phase });
  duration.record((Date.now() - startedAt) / 1000, { ...labels(definition), phase });
}
