import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { AskedDispatch, ChildStart, PreparedDispatch } from '../../../workflows/dispatch-input.js';
import { attributesOf } from '../../../workflows/search-attributes.js';
import type { Config } from '../../config/config.js';
import { ProblemError } from '../../problems/problem.js';
import type { Cadence } from '../../scheduling/cadence/cadence.js';
import { nextAfter } from '../../scheduling/cadence/occurrences.js';
import { type Account, accountRun, misfireOf, spanOf, triggerOf } from '../../scheduling/jobs/account.js';
import type { DispatchResult, Envelope } from '../../scheduling/jobs/envelope.js';
import { cadenceOf, isOver, type JobRecord } from '../../scheduling/jobs/record.js';
import type { PreparedStart } from '../../service/start.js';
import type { Targets } from '../../service/targets.js';
import { callbackUrls } from '../callbacks.js';
import { checkSize } from '../payloads.js';
import { ownerOf } from '../run-ids.js';
import { startOptions } from '../start-options.js';
import { queueOf } from './action.js';
import { newest, runsOf, standingOf } from './occurrences.js';
import { journeyOf, listDispatches, nominalOf } from './runs.js';
import { findJob } from './snapshot.js';

/** A run that starts no later than this after its time is on time. */
export const misfireGraceMs = 60_000;

/** The longest a run without a job may take. */
const maxDurationSec = 86_400;

export interface FireGround {
  readonly client: Client;
  readonly config: Config;
  readonly targets: Targets;
  readonly graceMs?: number;
}

type Closes = Pick<DispatchResult, 'outcome' | 'reason'>;

/** Decides what a dispatch is to do, when a worker takes it: whether it runs at all, what it stands for, and its target as it is today. */
export async function prepareDispatch(
  ground: FireGround,
  asked: AskedDispatch,
  taskQueue: string,
): Promise<PreparedDispatch> {
  const { job } = asked;
  const fired = job && (await fire(ground, job, asked));
  // Whoever starts it, its id is the workflow's: one id is one run.
  const { executionId } = asked;
  const envelope = asked.envelope ? { ...asked.envelope, executionId } : envelopeOf(job!, asked);
  const base = {
    envelope,
    occurrences: fired?.occurrences ?? [],
    ...(fired?.account && { account: fired.account }),
    maxDurationSec: job?.maxDurationSec ?? maxDurationSec,
    ...(fired?.exhausts && { exhausts: true as const }),
  };
  if (fired?.closes) return { ...base, closes: fired.closes };
  try {
    if (taskQueue !== queueOf(ground.config.temporal.taskQueue, envelope.orchestratorId))
      return { ...base, closes: failed('ACCESS_DENIED', `This is not the queue of ${envelope.orchestratorId}.`) };
    const target = ground.targets.check(envelope);
    if (target.type === 'command_invoke') return base;
    // Its inputs go to the child; here they would only stand in the history once more.
    const slim = { ...envelope, targetAction: { type: target.type, workflowId: target.start.definition.name } };
    const prepared = { ...base, envelope: slim, child: await childOf(ground, envelope, target.start) };
    checkSize(prepared);
    return prepared;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.status >= 500) throw error;
    const { code, detail, title } = error.problem;
    return { ...base, closes: failed(code, detail ?? title) };
  }
}

interface Fired {
  readonly occurrences: DispatchResult['occurrences'];
  readonly account?: Account;
  readonly closes?: Closes;
  readonly exhausts?: boolean;
}

/** What a run of a job is for, and whether it is to run. */
async function fire(ground: FireGround, job: JobRecord, given: AskedDispatch): Promise<Fired> {
  if (isOver(job))
    return { occurrences: [], closes: skipped(`JOB_${job.state.toUpperCase()}`, `The job is ${job.state}.`) };
  const cadence = cadenceOf(job);
  const asked = { ...given, nominal: standsFor(cadence, job, given) };
  const trigger = triggerOf(cadence, asked.nominal);
  const closes = trigger === 'hand' ? undefined : await lateness(ground, job, cadence, asked, trigger);
  const reason = closes?.outcome === 'coalesced' ? 'coalesced' : closes ? 'missed' : 'run';
  const exhausts = trigger === 'grid' && cadence.kind === 'once';
  const more = { ...(closes && { closes }), exhausts };
  if (job.allowOverlap) {
    const own = trigger === 'grid' ? spanOf(cadence, asked.nominal - 1, asked.nominal, reason) : [];
    return { occurrences: own, ...more };
  }
  const before = asked.previous?.account
    ? newest(job, { account: asked.previous.account, previousEnd: Date.parse(asked.previous.endedAt) })
    : await standingOf(ground.client, job, asked.runId);
  return { ...accountRun(cadence, before.account, asked, reason, before.previousEnd), ...more };
}

/**
 * The time that a run stands for. After an outage that began between two showings of a repeated time, the second showing is the oldest
 * that was missed, and gets the one late run: then that stands for the next.
 */
function standsFor(cadence: Cadence, { allowOverlap }: JobRecord, { nominal, takenAt }: AskedDispatch): number {
  if (allowOverlap || triggerOf(cadence, nominal) !== 'repeated') return nominal;
  const next = nextAfter(cadence, nominal);
  return next !== undefined && next <= takenAt ? next : nominal;
}

/** Why a run of the cadence is not to run; undefined when it is. */
async function lateness(
  { client, graceMs = misfireGraceMs }: FireGround,
  job: JobRecord,
  cadence: Cadence,
  { nominal, takenAt: now }: AskedDispatch,
  trigger: 'grid' | 'repeated',
): Promise<Closes | undefined> {
  if (trigger === 'repeated')
    return coalesced('REPEATED', 'The clock shows this time twice; the first showing had its run.');
  const { allowOverlap, misfirePolicy: policy, jobId } = job;
  const misfire = misfireOf(cadence, { policy, allowOverlap, nominal, now, graceMs });
  if (misfire === 'skip') return skipped('MISSED', `It came ${Math.round((now - nominal) / 1000)} s late.`);
  if (misfire === 'ask' && (await hasNewer(client, jobId, cadence, nominal)))
    return coalesced('COALESCED', 'A newer time has come due, and one run is enough for all that were missed.');
  return undefined;
}

const looks = 20;
const betweenLooksMs = 250;

/**
 * Whether a run exists, or is about to, for a later time of the cadence. There is none when the job was paused at all of them. A server
 * that comes back starts what it missed one after another, and lists runs a moment late.
 */
async function hasNewer(client: Client, jobId: string, cadence: Cadence, nominal: number): Promise<boolean> {
  const after = new Date(nominal).toISOString();
  const query = `${runsOf(jobId)} AND TemporalScheduledStartTime > '${after}'`;
  for (let look = 0; look < looks; look++) {
    const { infos } = await listDispatches(client, query, { pageSize: 10 });
    // The server compares times less exactly than it shows them: the run that asks is among them.
    if (infos.map(nominalOf).some((time) => time > nominal && triggerOf(cadence, time) === 'grid')) return true;
    const found = await findJob(client, jobId);
    if (!found) return false;
    const { recent, buffered, next, paused } = found;
    if (recent.some((it) => it.nominal > nominal && triggerOf(cadence, it.nominal) === 'grid')) return true;
    const isBehind = !paused && next[0] !== undefined && next[0] <= Date.now();
    const isClose = (nextAfter(cadence, nominal) ?? 0) > Date.now() - 1_000;
    if (buffered === 0 && !isBehind && !isClose && look >= 3) return false;
    await sleep(betweenLooksMs);
  }
  return false;
}

function envelopeOf(job: JobRecord, { executionId, nominal }: AskedDispatch): Envelope {
  const { jobId, orchestratorId, createdBy, targetAction, targetRef } = job;
  return {
    executionId,
    jobId,
    triggeredAt: new Date(nominal).toISOString(),
    orchestratorId,
    origin: triggerOf(cadenceOf(job), nominal) === 'hand' ? 'run_now' : 'schedule',
    requestedBy: createdBy,
    targetAction,
    targetRef,
  };
}

async function childOf({ client, config }: FireGround, envelope: Envelope, start: PreparedStart): Promise<ChildStart> {
  const id = await journeyOf(client, envelope.executionId);
  const { caller } = envelope.requestedBy;
  const { definition } = start;
  const callbacks = await callbackUrls(client, config, id, definition);
  const { args, memo, taskQueue, staticSummary, staticDetails } = startOptions(
    id,
    { ...start, mode: 'async', caller },
    config,
    { callbacks },
  );
  return {
    workflowId: id,
    taskQueue,
    workflowType: definition.name,
    args,
    memo: memo ?? {},
    attributes: {
      ...attributesOf(definition, start),
      OrchestratorId: envelope.orchestratorId,
      StartedBy: ownerOf(caller),
    },
    summary: staticSummary ?? definition.name,
    ...(staticDetails !== undefined && { details: staticDetails }),
  };
}

function failed(code: string, message: string): Closes {
  return { outcome: 'failed', reason: { code, message } };
}

function skipped(code: string, message: string): Closes {
  return { outcome: 'skipped', reason: { code, message } };
}

function coalesced(code: string, message: string): Closes {
  return { outcome: 'coalesced', reason: { code, message } };
}
