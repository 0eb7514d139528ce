import {
  describe,
  given,
  isBlock,
  list,
  optionalInteger,
  optionalOneOf,
  optionalText,
  texts,
} from '../document/fields.js';
import type { Place } from '../document/place.js';
import type { JsonObject } from '../json/value.js';
import { callPattern, duration, readPattern, textMap } from './read-values.js';
import type { Expectation, ExpectedCall, StepExpectation } from './scenario.js';

const phases = ['RUNNING', 'SUCCEEDED', 'FAILED'] as const;
export const terminationKinds = ['Success', 'Fail', 'Timeout', 'Cancel', 'RuntimeError'] as const;

/** Fields of expectations, for the reader and for the published schema. */
export const expectationFields: readonly string[] = [
  'refused',
  'phase',
  'errorCode',
  'reason',
  'terminationKind',
  'status',
  'outcomeId',
  'output',
  'outputIncludes',
  'contextIncludes',
  'calls',
  'callsInAnyOrder',
  'states',
  'elapsed',
  'dueAt',
  'currentState',
  'activeSteps',
  'tags',
  'attributes',
  'compensation',
  'schedules',
];
export const stepExpectationFields: readonly string[] = [
  'status',
  'code',
  'phase',
  'currentState',
  'activeSteps',
  'includes',
];
export const scheduleFields: readonly string[] = [
  'scheduleId',
  'startStateId',
  'subjectId',
  'maxRuns',
  'runsExecuted',
  'state',
  'overlapped',
  'nextRunAt',
  'context',
  'runs',
];
export const scheduledRunFields: readonly string[] = [
  'at',
  'endedAt',
  'phase',
  'status',
  'terminatedAtState',
  'output',
  'errorCode',
  'reason',
  'context',
];
export const compensationFields: readonly string[] = ['mode', 'phase', 'errorCode'];
export const expectedCallFields: readonly string[] = ['call', 'operation', 'body', 'bodyIncludes', 'headers'];

/** `expect` of a scenario; one that expects nothing proves nothing. */
export function readExpectation(scenario: Place): Expectation {
  const place = scenario.at('expect');
  if (!isBlock(place, 'FIELD_TYPE', 'expect') || place.entries().length === 0) {
    if (place.value === undefined || place.value === null || place.object) {
      (place.object ? place : scenario).error(
        'FIELD_REQUIRED',
        'A scenario needs expect, with at least one field.',
        'Like expect: {phase: SUCCEEDED}.',
      );
    }
    return {};
  }
  place.only(expectationFields);
  checkTogether(place);
  const plain = (field: string) => given(field, optionalText(place.at(field), 'FIELD_TYPE', field));
  return {
    ...plain('refused'),
    ...given('phase', optionalOneOf(place.at('phase'), phases, 'FIELD_TYPE', 'phase')),
    ...plain('errorCode'),
    ...plain('reason'),
    ...given(
      'terminationKind',
      optionalOneOf(place.at('terminationKind'), terminationKinds, 'FIELD_TYPE', 'terminationKind'),
    ),
    ...plain('status'),
    ...plain('outcomeId'),
    ...plain('currentState'),
    ...given('output', place.at('output').value),
    ...given('outputIncludes', place.at('outputIncludes').value),
    ...given('contextIncludes', objectAt(place, 'contextIncludes')),
    ...given('attributes', objectAt(place, 'attributes')),
    ...callsAt(place, 'calls'),
    ...callsAt(place, 'callsInAnyOrder'),
    ...textsAt(place, 'states'),
    ...textsAt(place, 'activeSteps'),
    ...textsAt(place, 'tags'),
    ...given('elapsed', duration(place.at('elapsed'), 'elapsed')),
    ...given('dueAt', duration(place.at('dueAt'), 'dueAt')),
    ...given('compensation', readCompensation(place.at('compensation'))),
    ...given('schedules', readSchedules(place.at('schedules'), scenario)),
  };
}

/** Refuses expectations that cannot hold together: one of them would just be passed over. */
function checkTogether(place: Place): void {
  if (place.has('refused'))
    for (const [field, value] of place.entries())
      if (field !== 'refused')
        value.error(
          'SCENARIO_EXPECT',
          `A start that is refused has no ${field}.`,
          'Remove it, or expect no refusal.',
          'key',
        );
  if (place.has('calls') && place.has('callsInAnyOrder'))
    place.at('callsInAnyOrder').error('SCENARIO_EXPECT', 'calls already says the order.', 'Keep one of them.', 'key');
}

/** `expect` of one step. */
export function readStepExpectation(place: Place): StepExpectation {
  if (!isBlock(place, 'FIELD_TYPE', 'expect')) return {};
  place.only(stepExpectationFields);
  return {
    ...given('status', optionalInteger(place.at('status'), 'FIELD_TYPE', 'status', 100)),
    ...given('code', optionalText(place.at('code'), 'FIELD_TYPE', 'code')),
    ...given('phase', optionalOneOf(place.at('phase'), phases, 'FIELD_TYPE', 'phase')),
    ...given('currentState', optionalText(place.at('currentState'), 'FIELD_TYPE', 'currentState')),
    ...textsAt(place, 'activeSteps'),
    ...given('includes', objectAt(place, 'includes')),
  };
}

/** `none`, or how it went. */
function readCompensation(place: Place): JsonObject | null | undefined {
  if (place.value === 'none') return null;
  if (!isBlock(place, 'FIELD_TYPE', 'compensation')) return undefined;
  place.only(compensationFields);
  return {
    ...given('mode', optionalOneOf(place.at('mode'), ['sync', 'async'], 'FIELD_TYPE', 'mode')),
    ...given('phase', optionalOneOf(place.at('phase'), phases, 'FIELD_TYPE', 'phase')),
    ...given('errorCode', optionalText(place.at('errorCode'), 'FIELD_TYPE', 'errorCode')),
  };
}

/** What schedules and their runs came to by `until`, which says how long they are played. */
function readSchedules(place: Place, scenario: Place): JsonObject[] | undefined {
  if (place.value === undefined) return undefined;
  if (!scenario.has('until'))
    place.error(
      'SCENARIO_EXPECT',
      'Scheduled runs are played up to until, and there is none.',
      'Like until: P1Y.',
      'key',
    );
  return list(place, 'FIELD_TYPE', 'schedules').flatMap((item) => {
    if (!item.object) {
      item.error('FIELD_TYPE', `A schedule is an object, not ${describe(item.value)}.`);
      return [];
    }
    item.only(scheduleFields);
    for (const run of list(item.at('runs'), 'FIELD_TYPE', 'runs'))
      if (isBlock(run, 'FIELD_TYPE', 'A run')) run.only(scheduledRunFields);
    return [item.object];
  });
}

function objectAt(place: Place, field: string): JsonObject | undefined {
  const inner = place.at(field);
  return isBlock(inner, 'FIELD_TYPE', field) ? inner.object : undefined;
}

function textsAt<K extends string>(place: Place, field: K): { [P in K]?: string[] } {
  return given(field, place.has(field) ? texts(place.at(field), 'FIELD_TYPE', field) : undefined);
}

/** A list of expected calls, where there is one. */
export function callsAt<K extends string>(place: Place, field: K): { [P in K]?: ExpectedCall[] } {
  return given(field, place.has(field) ? readCalls(place.at(field)) : undefined);
}

function readCalls(place: Place): ExpectedCall[] {
  return list(place, 'FIELD_TYPE', 'calls').flatMap((item) => {
    if (typeof item.value === 'string') {
      const calls = callPattern(item);
      return calls ? { calls } : [];
    }
    if (!item.object) {
      item.error('FIELD_TYPE', `A call is a text or an object, not ${describe(item.value)}.`);
      return [];
    }
    item.only(expectedCallFields);
    const calls = readPattern(item);
    return calls
      ? {
          calls,
          ...given('body', item.at('body').value),
          ...given('bodyIncludes', item.at('bodyIncludes').value),
          ...given('headers', item.has('headers') ? textMap(item.at('headers'), 'headers') : undefined),
        }
      : [];
  });
}
