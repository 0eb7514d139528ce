import type { JsonObject } from '../../json/value.js';
import type { Cadence } from '../cadence/cadence.js';
import { readCadence } from '../cadence/wire.js';
import type { Account } from './account.js';

/** `disabled`: exhausted, or switched off by an update. `deleted`: kept readable, never run again. */
export type JobState = 'enabled' | 'paused' | 'disabled' | 'deleted';
export const jobStates: readonly JobState[] = ['enabled', 'paused', 'disabled', 'deleted'];

/** What happens to times that were missed while nothing could run: one late run, or none. */
export type MisfirePolicy = 'fire_once_on_recovery' | 'skip_missed';
export const misfirePolicies: readonly MisfirePolicy[] = ['fire_once_on_recovery', 'skip_missed'];

/** Who asked for a job: always taken from the authenticated caller, or from a channel adapter for its own profile. */
export interface CreatedBy {
  readonly caller: string;
  readonly channelProfileId?: string;
  readonly senderId?: string;
  readonly sender?: string;
  readonly requestMessageId?: string;
}

/** What a job does when it fires. */
export type TargetAction =
  | { readonly type: 'workflow_start'; readonly workflowId: string; readonly inputs?: JsonObject }
  | { readonly type: 'command_invoke'; readonly functionId: string; readonly functionArgs?: JsonObject };

/** Where the output of a run goes. Scheduling checks its shape alone; the channel's adapter knows the rest. */
export interface TargetRef extends JsonObject {
  readonly channel: string;
  readonly channelProfileId: string;
}

/** What a user set about a job: the record that travels in the memo of its Schedule's action. */
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
  /** The longest a run may take. */
  readonly maxDurationSec: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Keys of the latest changes, newest first: how a writer knows that its own was applied. */
  readonly changes: readonly string[];
  /** What became of its occurrences until the cadence last changed, or it was last switched on; its runs continue from there. */
  readonly account: Account;
  /** Times that have no pattern are written out in its Schedule up to here. */
  readonly writtenUntil?: string;
}

/** What everybody may see of a record. */
export type PublicJob = Omit<JobRecord, 'changes' | 'account' | 'writtenUntil'>;

/** When a job runs. It was accepted when it was made, so it can be read. */
export function cadenceOf({ schedule, createdAt }: Pick<JobRecord, 'schedule' | 'createdAt'>): Cadence {
  const { cadence } = readCadence(schedule, { now: Date.parse(createdAt), allowPast: true });
  if (!cadence) throw new Error('a job without a readable cadence');
  return cadence;
}

/** It will never run again, whatever its Schedule says. */
export function isOver({ state }: Pick<JobRecord, 'state'>): boolean {
  return state === 'disabled' || state === 'deleted';
}
