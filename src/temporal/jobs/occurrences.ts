import type { Client } from '@temporalio/client';
import type { Cadence } from '../../scheduling/cadence/cadence.js';
import { countBetween } from '../../scheduling/cadence/occurrences.js';
import { type Account, accountGap, accountRun, triggerOf } from '../../scheduling/jobs/account.js';
import { cadenceOf, isOver, type JobRecord } from '../../scheduling/jobs/record.js';
import { asProblem } from '../failures.js';
import { quoted } from '../quoted.js';
import { closeOf, listDispatches, nominalOf, type Seen } from './runs.js';
import type { JobSnapshot } from './snapshot.js';

/** The longest the server takes between the time of a run and its start, unless it was away. */
const settlingMs = 1_000;
/** How many runs in a row may have been ended from outside before their account is given up. */
const looked = 50;

/** Where the account of a job stands, and until when its last run was active. */
export interface Standing {
  readonly account: Account;
  readonly previousEnd?: number;
}

/** The runs of a job in a query. */
export function runsOf(jobId: string): string {
  return `TemporalScheduledById = ${quoted(jobId)}`;
}

/**
 * The account that the runs of a job left behind. One that was ended from outside left none: it is accounted for as it would have done
 * itself, and so is one that is active. `but`: a run that asks, and does not count itself.
 */
export async function standingOf(client: Client, record: JobRecord, but?: string): Promise<Standing> {
  const { infos } = await listDispatches(client, runsOf(record.jobId), { pageSize: looked });
  const cadence = cadenceOf(record);
  const without: Seen[] = [];
  let standing: Standing = { account: record.account };
  for (const info of infos) {
    if (info.runId === but) continue;
    const { account, endedAt } = (await closeOf(client, info)) ?? {};
    if (account && endedAt !== undefined) {
      standing = newest(record, { account, previousEnd: (info.closeTime ?? new Date(endedAt)).getTime() });
      break;
    }
    without.unshift(info);
  }
  for (const info of without) standing = withRun(cadence, standing, info);
  return newest(record, standing);
}

/** The record's own account is newer when its cadence has changed since. */
export function newest({ account }: JobRecord, standing: Standing): Standing {
  return Date.parse(account.through) > Date.parse(standing.account.through) ? { ...standing, account } : standing;
}

function withRun(cadence: Cadence, { account, previousEnd }: Standing, info: Seen): Standing {
  const startedAt = info.startTime.getTime();
  const run = { nominal: nominalOf(info), startedAt, takenAt: startedAt };
  const reason = triggerOf(cadence, run.nominal) === 'repeated' ? 'coalesced' : 'run';
  const ended = info.status.name === 'RUNNING' ? Number.POSITIVE_INFINITY : info.closeTime?.getTime();
  return {
    account: accountRun(cadence, account, run, reason, previousEnd).account,
    ...(ended !== undefined && { previousEnd: ended }),
  };
}

/** What became of every time a job was due until now. */
export async function accountNow(client: Client, snapshot: JobSnapshot, now: number): Promise<Account> {
  const { paused, next } = snapshot;
  // A time that has just come due may still be on its way. While it is paused, the server looks at nothing.
  return await accountUntil(client, snapshot, Math.min(now - settlingMs, paused ? now : (next[0] ?? now) - 1));
}

/** The account that a job begins anew with, when its cadence changes or it is switched off or on: nothing before now counts any more. */
export async function accountSoFar(client: Client, snapshot: JobSnapshot): Promise<Account> {
  const now = Date.now();
  return { ...(await accountUntil(client, snapshot, now)), through: new Date(now).toISOString() };
}

async function accountUntil(client: Client, { record }: JobSnapshot, until: number): Promise<Account> {
  if (isOver(record)) return record.account;
  if (record.allowOverlap) return await counted(client, record, until);
  const { account, previousEnd } = await standingOf(client, record);
  return accountGap(cadenceOf(record), account, until, previousEnd);
}

/**
 * The account of a job whose runs may overlap. Each of its runs stands for its own time and for no other, so they are counted; what is
 * left of the times that came due had no run.
 */
async function counted(client: Client, record: JobRecord, until: number): Promise<Account> {
  const { account } = record;
  const since = Date.parse(account.through);
  if (until <= since) return account;
  const { workflowService } = client;
  const { namespace } = client.options;
  const count = async (more: string) => {
    const query = `${runsOf(record.jobId)} AND TemporalScheduledStartTime > '${account.through}'${more}`;
    const answer = await workflowService
      .countWorkflowExecutions({ namespace, query })
      .catch((error) => Promise.reject(asProblem(error)));
    return Number(answer.count);
  };
  const [all, byHand, coalesced, skipped, others] = await Promise.all([
    count(''),
    count(" AND JourneyTags = 'origin=run_now'"),
    count(" AND JourneyOutcome = 'COALESCED'"),
    count(" AND JourneyOutcome = 'MISSED'"),
    count(" AND JourneyOutcome IN ('REPEATED', 'JOB_DISABLED', 'JOB_DELETED', 'RUN_DUPLICATE')"),
  ]);
  const ran = Math.max(0, all - byHand - coalesced - skipped - others);
  const due = countBetween(cadenceOf(record), since, until);
  const missed = skipped + Math.max(0, due - ran - coalesced - skipped);
  return {
    through: new Date(until).toISOString(),
    ran: account.ran + ran,
    coalesced: account.coalesced + coalesced,
    missed: account.missed + missed,
    overlapped: account.overlapped,
  };
}
