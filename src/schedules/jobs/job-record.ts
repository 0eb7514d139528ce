import type { JsonObject } from '../../base/json/value.js';
import { type Finding, refuse } from '../../base/problems/problem.js';
import type { Cadence } from '../cadence/cadence.js';
import { readCadence } from '../cadence/cadence-json.js';
import type { JobAccount } from '../occurrence-counts.js';

/** `disabled`: exhausted, or switched off by an update. `deleted`: kept readable, never run again. */
export type JobState = 'enabled' | 'paused' | 'disabled' | 'deleted';
export const jobStates: readonly JobState[] = ['enabled', 'paused', 'disabled', 'deleted'];

/** The policy for missed occurrences: one late run, or none. */
export type MisfirePolicy = 'fire_once_on_recovery' | 'skip_missed';
export const misfirePolicies: readonly MisfirePolicy[] = ['fire_once_on_recovery', 'skip_missed'];

/** The author of a job: the authenticated caller, or a channel adapter for its own profile. */
export interface CreatedBy {
  readonly caller: string;
  readonly channelProfileId?: string;
  readonly senderId?: string;
  readonly sender?: string;
  readonly requestMessageId?: string;
}

/** The target of a job. */
export type TargetAction =
  | { readonly type: 'workflow_start'; readonly workflowId: string; readonly inputs?: JsonObject }
  | { readonly type: 'command_invoke'; readonly functionId: string; readonly functionArgs?: JsonObject };

/** The destination of a run's output. Scheduling checks only its shape; the channel's adapter checks the rest. */
export interface TargetRef extends JsonObject {
  readonly channel: string;
  readonly channelProfileId: string;
}

/** The settings of a job. The record is stored in the memo of its Schedule's action. */
export interface JobRecord {
  readonly jobId: string;
  readonly orchestratorId: string;
  readonly name: string | null;
  readonly createdBy: CreatedBy;
  /** The cadence as `readCadence` reads it. */
  readonly schedule: JsonObject;
  readonly targetAction: TargetAction;
  readonly targetRef: TargetRef | null;
  readonly state: JobState;
  readonly misfirePolicy: MisfirePolicy;
  readonly allowOverlap: boolean;
  /** Maximum duration of a run. */
  readonly maxDurationSec: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Keys of the latest changes, newest first: a change is applied once, however often it is tried. */
  readonly changes: readonly string[];
  /** The account until the cadence last changed or the job was last enabled; its runs continue it. */
  readonly account: JobAccount;
  /** RFC 3339; irregular start times are listed in the Schedule up to this time. */
  readonly writtenUntil?: string;
}

/** The public part of a job's record. */
export type PublicJob = Omit<JobRecord, 'changes' | 'account' | 'writtenUntil'>;

/** The cadence of a job. It was valid when the job was created. */
export function jobCadence({ schedule, createdAt }: Pick<JobRecord, 'schedule' | 'createdAt'>): Cadence {
  const { cadence } = readCadence(schedule, { now: Date.parse(createdAt), allowPast: true });
  if (!cadence) throw new Error('a job without a readable cadence');
  return cadence;
}

/** Whether the job will never run again, whatever the state of its Schedule. */
export function isFinished({ state }: Pick<JobRecord, 'state'>): boolean {
  return state === 'disabled' || state === 'deleted';
}

/** The states that a job can change to. */
const ways: Readonly<Record<JobState, readonly JobState[]>> = {
  enabled: ['paused', 'disabled', 'deleted'],
  paused: ['enabled', 'disabled', 'deleted'],
  disabled: ['enabled', 'deleted'],
  deleted: [],
};

/** Whether a job has to change to get into a state. Refuses with JOB_STATE if it cannot. */
export function needsStateChange({ jobId, state }: Pick<JobRecord, 'jobId' | 'state'>, to: JobState): boolean {
  if (state === to) return false;
  if (ways[state].includes(to)) return true;
  const hint =
    state === 'deleted'
      ? 'Create a new one: the output of show is valid input of create.'
      : 'Resume it first; then it is enabled.';
  return refuse('JOB_STATE', `The job ${jobId} is ${state} and cannot become ${to}.`, { state, hint });
}

/** Refuses changes of a deleted job. */
export function refuseDeleted({ jobId, state }: Pick<JobRecord, 'jobId' | 'state'>): void {
  if (state === 'deleted')
    refuse('JOB_STATE', `The job ${jobId} is deleted.`, {
      state,
      hint: 'Create a new one: the output of show is valid input of create.',
    });
}

/** Refuses to enable a job that can never run again: a `once` whose time has passed. */
export function refusePast(schedule: JobRecord['schedule'], now: number): void {
  const findings: Finding[] = readCadence(schedule, { now, pointer: '/schedule' }).findings;
  const past = findings.filter(({ code }) => code === 'CADENCE_IN_THE_PAST');
  if (past.length === 0) return;
  refuse('JOB_INVALID', 'Its one time has passed.', {
    pointer: past[0]!.pointer,
    errors: past,
    hint: 'Give it a new time together with the state: update with schedule and state enabled.',
  });
}
