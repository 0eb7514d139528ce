import { type Finding, refuse } from '../../problems/problem.js';
import { readCadence } from '../cadence/wire.js';
import type { JobRecord, JobState } from './record.js';

/** Where a job can go from each state. */
const ways: Readonly<Record<JobState, readonly JobState[]>> = {
  enabled: ['paused', 'disabled', 'deleted'],
  paused: ['enabled', 'disabled', 'deleted'],
  disabled: ['enabled', 'deleted'],
  deleted: [],
};

/** Whether a job has to move to get into a state: false when it is there. Refuses with JOB_STATE where no way leads. */
export function moves({ jobId, state }: Pick<JobRecord, 'jobId' | 'state'>, to: JobState): boolean {
  if (state === to) return false;
  if (ways[state].includes(to)) return true;
  const hint =
    state === 'deleted'
      ? 'Make a new one: what show prints of it can be sent to create.'
      : 'Resume it first; then it is enabled.';
  return refuse('JOB_STATE', `The job ${jobId} is ${state} and cannot become ${to}.`, { state, hint });
}

/** Refuses whatever would change a deleted job. */
export function assertKept({ jobId, state }: Pick<JobRecord, 'jobId' | 'state'>): void {
  if (state === 'deleted')
    refuse('JOB_STATE', `The job ${jobId} is deleted.`, {
      state,
      hint: 'Make a new one: what show prints of it can be sent to create.',
    });
}

/** Refuses to switch on what can never run again: a `once` whose time has passed. */
export function assertFuture(schedule: JobRecord['schedule'], now: number): void {
  const findings: Finding[] = readCadence(schedule, { now, pointer: '/schedule' }).findings;
  const past = findings.filter(({ code }) => code === 'CADENCE_IN_THE_PAST');
  if (past.length === 0) return;
  refuse('JOB_INVALID', 'Its one time has passed.', {
    pointer: past[0]!.pointer,
    errors: past,
    hint: 'Give it a new time together with the state: update with schedule and state enabled.',
  });
}
