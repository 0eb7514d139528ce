import type { Client } from '@temporalio/client';
import type { Cadence } from '../../../schedules/cadence/cadence.js';
import { countBetween } from '../../../schedules/cadence/occurrences.js';
import { isFinished, type JobRecord, jobCadence } from '../../../schedules/jobs/job-record.js';
import { triggerOf } from '../../../schedules/jobs/misfire-policy.js';
import { accountGap, accountJobRun, type JobAccount } from '../../../schedules/occurrence-counts.js';
import { countExecutions, nominalOf, runsOf } from '../scheduled-executions.js';
import type { JobSnapshot } from './job-schedule.js';
import { closeOf, type DispatchInfo, listDispatches, phaseOf } from './list-dispatches.js';

/** Maximum delay between the due time of a run and its start, unless the server was unavailable. */
const settlingMs = 1_000;
/** The number of runs that are read to find one that computed an account. */
const runsRead = 50;

/** The latest account of a job, and the end of its last run. */
export interface LatestAccount {
  readonly account: JobAccount;
  readonly previousEnd?: number;
  /** The nominal time of a run that no worker has accepted yet: the result of that time and of later ones is still open. */
  readonly waiting?: number;
}

/**
 * Reads the latest account from the runs of a job. Active and terminated runs have none; their account is computed as if they had written it.
 * `except` is the run that asks, which does not count itself. With `taken`, the account ends before a run that waits for a worker.
 */
export async function latestAccount(
  client: Client,
  record: JobRecord,
  { except, taken }: { except?: string; taken?: boolean } = {},
): Promise<LatestAccount> {
  const { infos } = await listDispatches(client, runsOf(record.jobId), { pageSize: runsRead });
  const cadence = jobCadence(record);
  const without: DispatchInfo[] = [];
  let standing: LatestAccount = { account: record.account };
  for (const info of infos) {
    if (info.runId === except) continue;
    const { account, endedAt } = (await closeOf(client, info)) ?? {};
    if (account && endedAt !== undefined) {
      standing = newerAccount(record, { account, previousEnd: (info.closeTime ?? new Date(endedAt)).getTime() });
      break;
    }
    without.unshift(info);
  }
  for (const info of without) {
    if (taken && phaseOf(info) === 'incoming') return { ...newerAccount(record, standing), waiting: nominalOf(info) };
    standing = withRun(cadence, standing, info);
  }
  return newerAccount(record, standing);
}

/** The record's own account is newer if its cadence has changed since. */
export function newerAccount({ account }: JobRecord, standing: LatestAccount): LatestAccount {
  return Date.parse(account.through) > Date.parse(standing.account.through) ? { ...standing, account } : standing;
}

function withRun(cadence: Cadence, { account, previousEnd }: LatestAccount, info: DispatchInfo): LatestAccount {
  const startedAt = info.startTime.getTime();
  const run = { nominal: nominalOf(info), startedAt, takenAt: startedAt };
  const reason = triggerOf(cadence, run.nominal) === 'repeated' ? 'coalesced' : 'run';
  const ended = info.status.name === 'RUNNING' ? Number.POSITIVE_INFINITY : info.closeTime?.getTime();
  return {
    account: accountJobRun(cadence, account, run, reason, previousEnd).account,
    ...(ended !== undefined && { previousEnd: ended }),
  };
}

/** The account of all occurrences of a job until now, or until a run that waits for a worker. */
export async function accountNow(client: Client, snapshot: JobSnapshot, now: number): Promise<JobAccount> {
  const { paused, next } = snapshot;
  // A run that has just come due may not have started yet. While the Schedule is paused, the server processes nothing.
  const until = Math.min(now - settlingMs, paused ? now : (next[0] ?? now) - 1);
  return await accountUntil(client, snapshot, until, { taken: true });
}

/** The account that a job continues with when its cadence changes, or when it is enabled or disabled: it is closed as of now. */
export async function accountSoFar(client: Client, snapshot: JobSnapshot): Promise<JobAccount> {
  const now = Date.now();
  return { ...(await accountUntil(client, snapshot, now)), through: new Date(now).toISOString() };
}

async function accountUntil(
  client: Client,
  { record }: JobSnapshot,
  until: number,
  only: { taken?: boolean } = {},
): Promise<JobAccount> {
  if (isFinished(record)) return record.account;
  if (record.allowOverlap) return await counted(client, record, until, only);
  const { account, previousEnd, waiting = Number.POSITIVE_INFINITY } = await latestAccount(client, record, only);
  return accountGap(jobCadence(record), account, Math.min(until, waiting - 1), { previousEnd });
}

/**
 * The account of a job whose runs may overlap. Each run has exactly one occurrence, so visibility counts them; all other occurrences were
 * missed.
 */
async function counted(
  client: Client,
  record: JobRecord,
  until: number,
  { taken = false }: { taken?: boolean },
): Promise<JobAccount> {
  const { account } = record;
  const since = Date.parse(account.through);
  if (until <= since) return account;
  const started = `${runsOf(record.jobId)} AND TemporalScheduledStartTime > '${account.through}'`;
  const count = (more: string) => countExecutions(client, `${started}${more}`);
  const [all, byHand, coalesced, skipped, waiting, others] = await Promise.all([
    count(''),
    count(" AND JourneyTags = 'origin=run_now'"),
    count(" AND JourneyOutcome = 'COALESCED'"),
    count(" AND JourneyOutcome = 'MISSED'"),
    taken ? count(" AND JourneyState = 'incoming' AND JourneyOutcome IS NULL AND ExecutionStatus = 'Running'") : 0,
    count(" AND JourneyOutcome IN ('REPEATED', 'JOB_DISABLED', 'JOB_DELETED', 'RUN_DUPLICATE')"),
  ]);
  const ran = Math.max(0, all - byHand - coalesced - skipped - waiting - others);
  const due = countBetween(jobCadence(record), since, until);
  const missed = skipped + Math.max(0, due - ran - coalesced - skipped - waiting);
  return {
    through: new Date(until).toISOString(),
    ran: account.ran + ran,
    coalesced: account.coalesced + coalesced,
    missed: account.missed + missed,
    overlapped: account.overlapped,
  };
}
