import { equal, isObject, type Json, type JsonObject, own } from '../../json/value.js';
import { type Finding, refuse } from '../../problems/problem.js';
import type { Code } from '../../problems/registry.js';
import { jobBounds } from '../cadence/bounds.js';
import { fault } from '../cadence/read.js';
import { cadenceJson, readCadence } from '../cadence/wire.js';
import {
  type JobRecord,
  type JobState,
  jobStates,
  type MisfirePolicy,
  misfirePolicies,
  type TargetAction,
} from './record.js';
import { readTargetAction } from './target-action.js';
import { readTargetRef } from './target-ref.js';

/** What a user decides about a job. */
export type JobDraft = Pick<
  JobRecord,
  'name' | 'schedule' | 'targetAction' | 'targetRef' | 'state' | 'misfirePolicy' | 'allowOverlap' | 'maxDurationSec'
>;

/** What a job has when nobody says otherwise. */
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

/** What `show` prints and nobody can set. */
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

/** Of a job that exists, or of none: the reading goes on through all fields, so that every fault is named at once. */
interface Reading {
  readonly source: JsonObject;
  readonly base: JobDraft | undefined;
  readonly now: number;
  readonly findings: Finding[];
}

/** The job that the arguments of a create describe; refuses with JOB_INVALID and every finding. What `show` prints can be sent too. */
export function readNewJob(args: JsonObject, now: number): JobDraft {
  const { state, ...rest } = args;
  // A whole job, as show prints it, may bring along what it does not decide; a copy of a deleted one is not deleted.
  const whole = Object.hasOwn(args, 'jobId');
  const source = whole && state === 'deleted' ? rest : args;
  const reading: Reading = { source, base: undefined, now, findings: [] };
  for (const key of whole ? [] : readOnlyFields)
    if (Object.hasOwn(args, key))
      complain(reading, `/${key}`, 'JOB_INVALID', `"${key}" is not for the caller to say`, 'Leave it out.');
  return readDraft(reading);
}

/**
 * What a job becomes by a patch: fields that it names are replaced as a whole, and null clears them. Refuses with JOB_INVALID. A whole job,
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
  const said = Object.keys(patch).filter((key) => !readOnlyFields.includes(key) && key !== 'orchestratorId');
  if (said.length === 0 && reading.findings.length === 0)
    complain(reading, '', 'JOB_INVALID', 'Nothing is to be changed', 'Name at least one field of the job.');
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

/** The value to read: undefined when it stays as it is, or as it is by default, which `kept` gives. */
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
  // A time that has passed stays as it was; only a new one must lie ahead.
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

/** `deleted` is no value to write: deleting has a function of its own. */
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
