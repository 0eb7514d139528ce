import type { Place } from '../../../base/document/placed-value.js';
import { describeType, ifDefined, isBlock, optionalOneOf, texts } from '../../../base/document/read-fields.js';
import { listOf, shape, textOf, wholeOf, wordOf } from '../../../base/document/schema-builders.js';
import { addDuration, likelyDuration, parseDuration } from '../../../base/time/duration.js';
import type {
  ActivityRetry,
  ActivityTimeouts,
  ChildCancellation,
  ParentClose,
  TaskPriority,
  WorkflowTimeouts,
} from '../../../engine/definition/external-activity-types.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { template } from '../../read/read-templates.js';

/** The longest timeout: a server accepts more, but computes with less. */
const longestMs = 100 * 365 * 86_400_000;
/** Temporal's own default of `initialInterval`. */
const defaultIntervalMs = 1_000;

const duration = (description: string) => textOf(`${description} An ISO-8601 duration, like PT30S.`);

/** JSON Schema of `timeouts`. */
export const timeoutsSchema = {
  ...shape('Temporal’s timeouts of the activity; startToClose, scheduleToClose or both are required.', {
    startToClose: duration('Of one attempt.'),
    scheduleToStart: duration('Until a worker accepts it.'),
    scheduleToClose: duration('Of all attempts together.'),
    heartbeat: duration('Between two heartbeats; without it, a dead worker is noticed only after startToClose.'),
  }),
  anyOf: [{ required: ['startToClose'] }, { required: ['scheduleToClose'] }],
};

/** JSON Schema of `retry`. */
export const retrySchema = shape(
  'Temporal’s retry policy. Without it, there is one attempt.',
  {
    maximumAttempts: wholeOf('The most attempts, the first included.'),
    initialInterval: duration('Before the second attempt; PT1S by default.'),
    backoffCoefficient: { type: 'number', minimum: 1, description: 'The factor of later intervals; 2 by default.' },
    maximumInterval: duration('The longest interval; by default 100 times the first.'),
    nonRetryableErrorTypes: listOf('Types of failures after which there is no further attempt.', {
      type: 'string',
      minLength: 1,
    }),
  },
  ['maximumAttempts'],
);

/** JSON Schema of `priority`. */
export const prioritySchema = shape('Temporal’s priority of the task.', {
  priorityKey: wholeOf('A lower number is served earlier.'),
  fairnessKey: textOf('Tasks of different keys are served in turn, such as those of tenants; with placeholders.'),
  fairnessWeight: { type: 'number', minimum: 0.001, maximum: 1000, description: 'The share of the key; 1 by default.' },
});

const parentClosePolicies = ['terminate', 'requestCancel', 'abandon'] as const satisfies ParentClose[];
const cancellationTypes = [
  'waitCancellationCompleted',
  'waitCancellationRequested',
  'tryCancel',
  'abandon',
] as const satisfies ChildCancellation[];

/** JSON Schema of the timeouts of a workflow. */
export const workflowTimeoutsSchema = shape(
  'Temporal’s timeouts of the workflow. Without them, it is awaited without a limit.',
  {
    execution: duration('Of the workflow, with its retries and continuations.'),
    run: duration('Of one run of it.'),
    task: duration('Of one workflow task; ten seconds by default.'),
  },
);

/** JSON Schema of the fields that decide what a child is told when its parent is cut short, or closes. */
export const closingSchemas = {
  parentClosePolicy: wordOf(
    'Temporal’s parent close policy, for a run that closes before the child; terminate by default.',
    ...parentClosePolicies,
  ),
  cancellationType: wordOf(
    'Temporal’s cancellation type: what the child is told when the run is cut short, and whether its end is awaited. By default waitCancellationCompleted, and tryCancel if it is safe.',
    ...cancellationTypes,
  ),
};

export function readTimeouts(place: Place, kind: string): ActivityTimeouts | undefined {
  if (place.value !== undefined && !isBlock(place, 'FIELD_TYPE', 'timeouts')) return undefined;
  place.only(Object.keys(timeoutsSchema.properties));
  if (!place.has('startToClose') && !place.has('scheduleToClose')) {
    place.error(
      'FIELD_REQUIRED',
      `${kind} needs timeouts.startToClose or timeouts.scheduleToClose.`,
      'For example, timeouts: { startToClose: PT30S, heartbeat: PT10S }.',
      'key',
    );
    return undefined;
  }
  const field = (name: keyof ActivityTimeouts) => ifDefined(name, readMs(place.at(name), `timeouts.${name}`));
  return { ...field('startToClose'), ...field('scheduleToStart'), ...field('scheduleToClose'), ...field('heartbeat') };
}

export function readWorkflowTimeouts(place: Place): WorkflowTimeouts {
  if (place.value === undefined || !isBlock(place, 'FIELD_TYPE', 'timeouts')) return {};
  place.only(Object.keys(workflowTimeoutsSchema.properties));
  const field = (name: keyof WorkflowTimeouts) => ifDefined(name, readMs(place.at(name), `timeouts.${name}`));
  return { ...field('execution'), ...field('run'), ...field('task') };
}

/** Reads the fields of `closingSchemas`. A detached child outlives its parent, so it has none of them. */
export function readClosing(
  block: Place,
  { detach, safe }: { detach: boolean; safe: boolean },
): { parentClosePolicy: ParentClose; cancellationType: ChildCancellation } {
  const [policy, type] = [block.at('parentClosePolicy'), block.at('cancellationType')];
  const parentClosePolicy = optionalOneOf(policy, parentClosePolicies, 'FIELD_TYPE', 'parentClosePolicy');
  const cancellationType = optionalOneOf(type, cancellationTypes, 'FIELD_TYPE', 'cancellationType');
  if (detach)
    for (const place of [policy, type])
      if (place.value !== undefined && place.value !== 'abandon')
        place.error('FIELD_TYPE', 'A detached child outlives its parent.', 'Remove the field, or detach.', 'key');
  if (detach) return { parentClosePolicy: 'abandon', cancellationType: 'abandon' };
  return {
    parentClosePolicy: parentClosePolicy ?? 'terminate',
    cancellationType: cancellationType ?? (safe ? 'tryCancel' : 'waitCancellationCompleted'),
  };
}

export function readRetry(place: Place): ActivityRetry | undefined {
  if (!isBlock(place, 'FIELD_TYPE', 'retry')) return undefined;
  place.only(Object.keys(retrySchema.properties));
  const most = place.at('maximumAttempts');
  const maximumAttempts = numberFrom(most, 'retry.maximumAttempts', 1, 2 ** 31 - 1, true);
  if (most.value === undefined) place.error('FIELD_REQUIRED', 'retry needs maximumAttempts.', undefined, 'key');
  const types = texts(place.at('nonRetryableErrorTypes'), 'FIELD_TYPE', 'retry.nonRetryableErrorTypes');
  const initialInterval = readMs(place.at('initialInterval'), 'retry.initialInterval');
  const maximumInterval = readMs(place.at('maximumInterval'), 'retry.maximumInterval');
  if (maximumInterval !== undefined && maximumInterval < (initialInterval ?? defaultIntervalMs))
    place.at('maximumInterval').error('FIELD_TYPE', 'retry.maximumInterval must not be shorter than initialInterval.');
  if (maximumAttempts === undefined) return undefined;
  return {
    maximumAttempts,
    ...ifDefined('initialInterval', initialInterval),
    ...ifDefined(
      'backoffCoefficient',
      numberFrom(place.at('backoffCoefficient'), 'retry.backoffCoefficient', 1, 1_000_000),
    ),
    ...ifDefined('maximumInterval', maximumInterval),
    ...(types.length > 0 && { nonRetryableErrorTypes: types }),
  };
}

/** Milliseconds between attempt number `attempt`, from 1, and the next one. */
export function delayAfter(
  {
    initialInterval = defaultIntervalMs,
    backoffCoefficient = 2,
    maximumInterval = 100 * initialInterval,
  }: ActivityRetry,
  attempt: number,
): number {
  return Math.min(maximumInterval, initialInterval * backoffCoefficient ** (attempt - 1));
}

export function readPriority(place: Place, within: GraphReading): TaskPriority | undefined {
  if (!isBlock(place, 'FIELD_TYPE', 'priority')) return undefined;
  place.only(Object.keys(prioritySchema.properties));
  return {
    ...ifDefined('priorityKey', numberFrom(place.at('priorityKey'), 'priority.priorityKey', 1, 2 ** 31 - 1, true)),
    ...ifDefined('fairnessKey', optionalTemplate(place.at('fairnessKey'), 'priority.fairnessKey', within)),
    ...ifDefined('fairnessWeight', numberFrom(place.at('fairnessWeight'), 'priority.fairnessWeight', 0.001, 1000)),
  };
}

/** A text with placeholders. */
export function optionalTemplate(place: Place, name: string, within: GraphReading): string | undefined {
  if (place.value === undefined) return undefined;
  if (typeof place.value === 'string' && place.value !== '') return template(place, within);
  place.error('FIELD_TYPE', `${name} must be a non-empty text, not ${describeType(place.value)}.`);
  return undefined;
}

function numberFrom(place: Place, name: string, least: number, most: number, whole = false): number | undefined {
  const { value } = place;
  if (value === undefined) return undefined;
  const fits = typeof value === 'number' && value >= least && value <= most && (!whole || Number.isSafeInteger(value));
  if (fits) return value;
  place.error(
    'FIELD_TYPE',
    `${name} must be a ${whole ? 'whole ' : ''}number, ${least} to ${most}, not ${describeType(value)}.`,
  );
  return undefined;
}

function readMs(place: Place, name: string): number | undefined {
  const { value } = place;
  if (value === undefined) return undefined;
  const parsed = typeof value === 'string' ? parseDuration(value) : undefined;
  const ms = parsed && addDuration(0, parsed);
  if (ms !== undefined && ms > 0 && ms <= longestMs) return ms;
  const meant = typeof value === 'string' && !parsed ? likelyDuration(value) : undefined;
  const hint = meant === undefined ? 'For example, PT30S.' : `Write ${meant}.`;
  place.error('FIELD_TYPE', `${name} must be an ISO-8601 duration, not ${describeType(value)}.`, hint);
  return undefined;
}
