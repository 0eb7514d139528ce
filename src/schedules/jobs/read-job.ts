import { equal, isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import { type Finding, refuse } from '../../base/problems/problem.js';
import type { Code } from '../../base/problems/registry.js';
import { cadenceJson, readCadence } from '../cadence/cadence-json.js';
import { jobBounds } from '../cadence/interval-bounds.js';
import { fault } from '../cadence/read-cadence-fields.js';
import {
  type JobRecord,
  type JobState,
  jobStates,
  type MisfirePolicy,
  misfirePolicies,
  type TargetAction,
} from './job-record.js';
import { readTargetRef } from './read-output-destination.js';
import { readTargetAction } from './read-target-action.js';

/** The fields of a job that a user sets. */
export type JobDraft = Pick<
  JobRecord,
  'name' | 'schedule' | 'targetAction' | 'targetRef' | 'state' | 'misfirePolicy' | 'allowOverlap' | 'maxDurationSec'
>;

/** The defaults of a job. */
export const jobDefaults = {
  name: null,
  targetRef: null,
  state: 'enabled',
  misfirePolicy: 'fire_once_on_recovery',
  allowOverlap: false,
  maxDurationSec: 86_400,
} as const satisfies Partial<JobDraft>;

const longestName = 200;
const longestRunSec = 31_536_000;

/** Fields that `show` prints and that cannot be set. */
export const readOnlyFields = [
  'jobId',
  'createdBy',
  'createdAt',
  'updatedAt',
  'nextRunAt',
  'lastRunAt',
  'lastResult',
  'cadence',
  'note',
  'nextRuns',
  'activeRuns',
  'occurrences',
  'drift',
  'changed',
];

/** The state of reading a new or existing job. All fields are read, so that every error is reported together. */
interface Reading {
  readonly source: JsonObject;
  readonly base: JobDraft | undefined;
  readonly now: number;
  readonly findings: Finding[];
}

/** Reads the job from the arguments of a create; throws JOB_INVALID with every finding. The output of `show` is accepted too. */
export function readNewJob(args: JsonObject, now: number): JobDraft {
  const { state, ...rest } = args;
  // A whole job, as show prints it, may contain read-only fields; a copy of a deleted job is not deleted.
  const whole = Object.hasOwn(args, 'jobId');
  const source = whole && state === 'deleted' ? rest : args;
  const reading: Reading = { source, base: undefined, now, findings: [] };
  for (const key of whole ? [] : readOnlyFields)
    if (Object.hasOwn(args, key))
      complain(reading, `/${key}`, 'JOB_INVALID', `"${key}" cannot be set by the caller`, 'Remove it.');
  return readDraft(reading);
}

/**
 * Applies a patch to a job: fields that it names are replaced as a whole, and null clears them. Refuses with JOB_INVALID. A whole job,
 * as `show` prints it, is a patch too.
 */
export function patchedJob(record: JobRecord, patch: JsonObject, now: number): JobDraft {
  const reading: Reading = { source: patch, base: record, now, findings: [] };
  const whole = own(patch, 'jobId') === record.jobId;
  for (const key of [...readOnlyFields, 'orchestratorId']) {
    const given = own(patch, key);
    if (given === undefined) continue;
    const fixed = key === 'createdBy' || key === 'orchestratorId' || key === 'jobId';
    if (whole && (!fixed || equal(given, record[key] as Json))) continue;
    complain(reading, `/${key}`, 'JOB_INVALID', `"${key}" cannot be changed`, 'Leave it out.');
  }
  const keys = Object.keys(patch).filter((key) => !readOnlyFields.includes(key) && key !== 'orchestratorId');
  if (keys.length === 0 && reading.findings.length === 0)
    complain(reading, '', 'JOB_INVALID', 'The change is empty', 'Name at least one field of the job.');
  return readDraft(reading);
}

function readDraft(reading: Reading): JobDraft {
  const draft = {
    name: readName(reading),
    schedule: readSchedule(reading),
    targetAction: readAction(reading),
    targetRef: readRef(reading),
    state: readState(reading),
    misfirePolicy: oneOf<MisfirePolicy>(reading, 'misfirePolicy', misfirePolicies),
    allowOverlap: readOverlap(reading),
    maxDurationSec: readDuration(reading),
  };
  const { findings } = reading;
  if (findings.length > 0)
    refuse('JOB_INVALID', `${findings[0]!.message}.`, { pointer: findings[0]!.pointer, errors: findings });
  return draft as JobDraft;
}

function complain({ findings }: Reading, pointer: string, code: Code, message: string, hint: string): undefined {
  findings.push(fault(pointer, code, message, hint));
  return undefined;
}

/** The value to read: undefined if it stays unchanged or has its default, which is `kept`. */
function given<K extends keyof typeof jobDefaults>(
  { source, base }: Reading,
  key: K,
): { value?: Json; kept: JobDraft[K] } {
  const value = own(source, key);
  if (value === undefined) return { kept: (base ?? jobDefaults)[key] as JobDraft[K] };
  if (value === null) return { kept: jobDefaults[key] as JobDraft[K] };
  return { value, kept: jobDefaults[key] as JobDraft[K] };
}

function readName(reading: Reading): string | null {
  const { value, kept } = given(reading, 'name');
  if (value === undefined) return kept;
  const text = typeof value === 'string' ? value.trim() : '';
  if (text !== '' && text.length <= longestName && !/\p{Cc}/u.test(text)) return text;
  const hint = `Give a text of 1 to ${longestName} characters on one line, or null for none.`;
  return complain(reading, '/name', 'JOB_INVALID', '"name" is not usable', hint) ?? null;
}

function readSchedule(reading: Reading): JsonObject | undefined {
  const { source, base, now, findings } = reading;
  let value = own(source, 'schedule');
  const type = own(source, 'scheduleType');
  if (value === undefined && base && type === undefined) return base.schedule;
  if (isObject(value) && type !== undefined) {
    const inner = own(value, 'type');
    if (inner !== undefined && inner !== type)
      return complain(
        reading,
        '/scheduleType',
        'JOB_INVALID',
        'scheduleType and schedule.type differ',
        'One is enough.',
      );
    value = { ...value, type };
  }
  // An unchanged time may be in the past; a new one must not.
  const unchanged = base !== undefined && equal(value, base.schedule);
  const read = readCadence(value ?? null, { now, pointer: '/schedule', bounds: jobBounds, allowPast: unchanged });
  if (read.cadence) return cadenceJson(read.cadence);
  const missing = value === undefined || (type === undefined && isObject(value) && !Object.hasOwn(value, 'type'));
  const named = base ? 'schedule.type' : 'scheduleType';
  findings.push(
    ...read.findings.map((it) =>
      missing && it.code === 'CADENCE_TYPE_UNKNOWN' ? { ...it, hint: `${it.hint} It is ${named}.` } : it,
    ),
  );
  return undefined;
}

function readAction(reading: Reading): TargetAction | undefined {
  const value = own(reading.source, 'targetAction');
  if (value === undefined && reading.base) return reading.base.targetAction;
  const { action, findings } = readTargetAction(value, '/targetAction');
  reading.findings.push(...findings);
  return action;
}

function readRef(reading: Reading): JobDraft['targetRef'] {
  const { value, kept } = given(reading, 'targetRef');
  if (value === undefined) return kept;
  const { ref, findings } = readTargetRef(value, '/targetRef');
  reading.findings.push(...findings);
  return ref ?? null;
}

/** `deleted` cannot be written: deletion is a separate function. */
function readState(reading: Reading): JobState | undefined {
  const { value, kept } = given(reading, 'state');
  if (value === undefined || (reading.base && value === reading.base.state))
    return value === undefined ? kept : reading.base!.state;
  const states = jobStates.filter((it) => it !== 'deleted');
  const state = states.find((it) => it === value);
  const hint = value === 'deleted' && reading.base ? 'Use schedule.delete.' : `Use ${states.join(', ')}.`;
  return state ?? complain(reading, '/state', 'JOB_INVALID', 'The state cannot be set to this', hint);
}

function oneOf<T extends string>(reading: Reading, key: 'misfirePolicy', words: readonly T[]): T | undefined {
  const { value, kept } = given(reading, key);
  if (value === undefined) return kept as unknown as T;
  const hint = `Use ${words.join(' or ')}.`;
  return words.find((it) => it === value) ?? complain(reading, `/${key}`, 'JOB_INVALID', `"${key}" is not known`, hint);
}

function readOverlap(reading: Reading): boolean {
  const { value, kept } = given(reading, 'allowOverlap');
  if (value === undefined) return kept;
  if (typeof value === 'boolean') return value;
  return (
    complain(reading, '/allowOverlap', 'JOB_INVALID', '"allowOverlap" is not true or false', 'Write true or false.') ??
    false
  );
}

function readDuration(reading: Reading): number {
  const { value, kept } = given(reading, 'maxDurationSec');
  if (value === undefined) return kept;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= longestRunSec) return value;
  const hint = `Give a whole number of seconds from 1 to ${longestRunSec}.`;
  return complain(reading, '/maxDurationSec', 'JOB_INVALID', '"maxDurationSec" is not usable', hint) ?? kept;
}
