import type { Place } from '../../base/document/placed-value.js';
import {
  describeType,
  ifDefined,
  isBlock,
  list,
  optionalInteger,
  optionalOneOf,
  optionalText,
  texts,
} from '../../base/document/read-fields.js';
import type { JsonObject } from '../../base/json/value.js';
import type { Expectation, ExpectedCall, StepExpectation } from '../scenario.js';
import { callPattern, readDuration, readPattern, textMap } from './durations-and-call-patterns.js';

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

/** Reads `expect` of a scenario, which must not be empty. */
export function readExpectation(scenario: Place): Expectation {
  const place = scenario.at('expect');
  if (!isBlock(place, 'FIELD_TYPE', 'expect') || place.entries().length === 0) {
    if (place.value === undefined || place.value === null || place.object) {
      (place.object ? place : scenario).error(
        'FIELD_REQUIRED',
        'A scenario needs expect, with at least one field.',
        'For example, expect: {phase: SUCCEEDED}.',
      );
    }
    return {};
  }
  place.only(expectationFields);
  checkTogether(place);
  const plain = (field: string) => ifDefined(field, optionalText(place.at(field), 'FIELD_TYPE', field));
  return {
    ...plain('refused'),
    ...ifDefined('phase', optionalOneOf(place.at('phase'), phases, 'FIELD_TYPE', 'phase')),
    ...plain('errorCode'),
    ...plain('reason'),
    ...ifDefined(
      'terminationKind',
      optionalOneOf(place.at('terminationKind'), terminationKinds, 'FIELD_TYPE', 'terminationKind'),
    ),
    ...plain('status'),
    ...plain('outcomeId'),
    ...plain('currentState'),
    ...ifDefined('output', place.at('output').value),
    ...ifDefined('outputIncludes', place.at('outputIncludes').value),
    ...ifDefined('contextIncludes', objectAt(place, 'contextIncludes')),
    ...ifDefined('attributes', objectAt(place, 'attributes')),
    ...callsAt(place, 'calls'),
    ...callsAt(place, 'callsInAnyOrder'),
    ...textsAt(place, 'states'),
    ...textsAt(place, 'activeSteps'),
    ...textsAt(place, 'tags'),
    ...ifDefined('elapsed', readDuration(place.at('elapsed'), 'elapsed')),
    ...ifDefined('dueAt', readDuration(place.at('dueAt'), 'dueAt')),
    ...ifDefined('compensation', readCompensation(place.at('compensation'))),
    ...ifDefined('schedules', readSchedules(place.at('schedules'), scenario)),
  };
}

/** Rejects contradictory expectations, one of which would be ignored. */
function checkTogether(place: Place): void {
  if (place.has('refused'))
    for (const [field, value] of place.entries())
      if (field !== 'refused')
        value.error('SCENARIO_EXPECT', `A rejected start has no ${field}.`, 'Remove it, or remove refused.', 'key');
  if (place.has('calls') && place.has('callsInAnyOrder'))
    place
      .at('callsInAnyOrder')
      .error('SCENARIO_EXPECT', 'callsInAnyOrder cannot be combined with calls.', 'Keep one of them.', 'key');
}

/** Reads `expect` of one step. */
export function readStepExpectation(place: Place): StepExpectation {
  if (!isBlock(place, 'FIELD_TYPE', 'expect')) return {};
  place.only(stepExpectationFields);
  return {
    ...ifDefined('status', optionalInteger(place.at('status'), 'FIELD_TYPE', 'status', 100)),
    ...ifDefined('code', optionalText(place.at('code'), 'FIELD_TYPE', 'code')),
    ...ifDefined('phase', optionalOneOf(place.at('phase'), phases, 'FIELD_TYPE', 'phase')),
    ...ifDefined('currentState', optionalText(place.at('currentState'), 'FIELD_TYPE', 'currentState')),
    ...textsAt(place, 'activeSteps'),
    ...ifDefined('includes', objectAt(place, 'includes')),
  };
}

/** Reads `compensation`: `none`, or its expected fields. */
function readCompensation(place: Place): JsonObject | null | undefined {
  if (place.value === 'none') return null;
  if (!isBlock(place, 'FIELD_TYPE', 'compensation')) return undefined;
  place.only(compensationFields);
  return {
    ...ifDefined('mode', optionalOneOf(place.at('mode'), ['sync', 'async'], 'FIELD_TYPE', 'mode')),
    ...ifDefined('phase', optionalOneOf(place.at('phase'), phases, 'FIELD_TYPE', 'phase')),
    ...ifDefined('errorCode', optionalText(place.at('errorCode'), 'FIELD_TYPE', 'errorCode')),
  };
}

/** Reads the expected schedules and their runs at `until`, the end of the scenario. */
function readSchedules(place: Place, scenario: Place): JsonObject[] | undefined {
  if (place.value === undefined) return undefined;
  if (!scenario.has('until'))
    place.error(
      'SCENARIO_EXPECT',
      'schedules requires until, up to which scheduled runs are played.',
      'For example, until: P1Y.',
      'key',
    );
  return list(place, 'FIELD_TYPE', 'schedules').flatMap((item) => {
    if (!item.object) {
      item.error('FIELD_TYPE', `A schedule must be an object, not ${describeType(item.value)}.`);
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
  return ifDefined(field, place.has(field) ? texts(place.at(field), 'FIELD_TYPE', field) : undefined);
}

/** Reads a list of expected calls, if present. */
export function callsAt<K extends string>(place: Place, field: K): { [P in K]?: ExpectedCall[] } {
  return ifDefined(field, place.has(field) ? readCalls(place.at(field)) : undefined);
}

function readCalls(place: Place): ExpectedCall[] {
  return list(place, 'FIELD_TYPE', 'calls').flatMap((item) => {
    if (typeof item.value === 'string') {
      const calls = callPattern(item);
      return calls ? { calls } : [];
    }
    if (!item.object) {
      item.error('FIELD_TYPE', `A call must be a text or an object, not ${describeType(item.value)}.`);
      return [];
    }
    item.only(expectedCallFields);
    const calls = readPattern(item);
    return calls
      ? {
          calls,
          ...ifDefined('body', item.at('body').value),
          ...ifDefined('bodyIncludes', item.at('bodyIncludes').value),
          ...ifDefined('headers', item.has('headers') ? textMap(item.at('headers'), 'headers') : undefined),
        }
      : [];
  });
}
