import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { ChildStart, DispatchStart, PreparedDispatch } from '../../../../workflows/dispatch/workflow-contract.js';
import { attributesOf } from '../../../../workflows/shared/run-search-attributes.js';
import { ProblemError } from '../../../base/problems/problem.js';
import type { Config } from '../../../config/config-types.js';
import type { Cadence } from '../../../schedules/cadence/cadence.js';
import { nextAfter } from '../../../schedules/cadence/occurrences.js';
import type { DispatchResult, Envelope } from '../../../schedules/jobs/dispatch-envelope.js';
import { isFinished, type JobRecord, jobCadence } from '../../../schedules/jobs/job-record.js';
import { misfireOf, triggerOf } from '../../../schedules/jobs/misfire-policy.js';
import { accountJobRun, type JobAccount, spanOf } from '../../../schedules/occurrence-counts.js';
import type { Targets } from '../../../service/check-and-invoke-job-targets.js';
import type { PreparedStart } from '../../../service/prepare-start-with-ajv.js';
import { checkSize } from '../../check-payload-size.js';
import { callbackUrls } from '../../runs/callback-urls.js';
import { ownerOf } from '../../runs/run-ids.js';
import { startOptions } from '../../runs/run-start-options.js';
import { nominalOf, runsOf } from '../scheduled-executions.js';
import { queueOf } from './dispatch-action.js';
import { latestAccount, newerAccount } from './job-occurrence-counts.js';
import { jobSchedule } from './job-schedule.js';
import { journeyOf, listDispatches } from './list-dispatches.js';

/** Maximum delay of a run that counts as on time. */
export const misfireGraceMs = 60_000;

/** Maximum duration of a run without a job. */
const maxDurationSec = 86_400;

export interface DispatchDeps {
  readonly client: Client;
  readonly config: Config;
  readonly targets: Targets;
  readonly graceMs?: number;
}

type Closes = Pick<DispatchResult, 'outcome' | 'reason'>;

/** Prepares a dispatch when a worker accepts it: whether it runs, its occurrences, and its current target. */
export async function prepareDispatch(
  ground: DispatchDeps,
  asked: DispatchStart,
  taskQueue: string,
): Promise<PreparedDispatch> {
  const { job } = asked;
  const fired = job && (await fire(ground, job, asked));
  // The execution id is the workflow id: one id is one run.
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
    // The child gets the inputs; repeating them in this history would be redundant.
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
  readonly account?: JobAccount;
  readonly closes?: Closes;
  readonly exhausts?: boolean;
}

/** Determines the occurrences of a job's run, and whether it runs. */
async function fire(ground: DispatchDeps, job: JobRecord, given: DispatchStart): Promise<Fired> {
  if (isFinished(job))
    return { occurrences: [], closes: skipped(`JOB_${job.state.toUpperCase()}`, `The job is ${job.state}.`) };
  const cadence = jobCadence(job);
  const asked = { ...given, nominal: occurrenceOf(cadence, job, given) };
  const trigger = triggerOf(cadence, asked.nominal);
  const closes = trigger === 'hand' ? undefined : await skipReason(ground, job, cadence, asked, trigger);
  const reason = closes?.outcome === 'coalesced' ? 'coalesced' : closes ? 'missed' : 'run';
  const exhausts = trigger === 'grid' && cadence.kind === 'once';
  const more = { ...(closes && { closes }), exhausts };
  if (job.allowOverlap) {
    const own = trigger === 'grid' ? spanOf(cadence, asked.nominal - 1, asked.nominal, reason) : undefined;
    return { occurrences: own ? [own] : [], ...more };
  }
  const before = asked.previous?.account
    ? newerAccount(job, { account: asked.previous.account, previousEnd: Date.parse(asked.previous.endedAt) })
    : await latestAccount(ground.client, job, { except: asked.runId });
  return { ...accountJobRun(cadence, before.account, asked, reason, before.previousEnd), ...more };
}

/**
 * The occurrence of a run. After an outage that started between the two instants of a repeated time, the second instant is the oldest missed time
 * and gets the one late run, which then counts for the next occurrence.
 */
function occurrenceOf(cadence: Cadence, { allowOverlap }: JobRecord, { nominal, takenAt }: DispatchStart): number {
  if (allowOverlap || triggerOf(cadence, nominal) !== 'repeated') return nominal;
  const next = nextAfter(cadence, nominal);
  return next !== undefined && next <= takenAt ? next : nominal;
}

/** The reason to skip a run of the cadence; undefined if it runs. */
async function skipReason(
  { client, graceMs = misfireGraceMs }: DispatchDeps,
  job: JobRecord,
  cadence: Cadence,
  { nominal, takenAt: now }: DispatchStart,
  trigger: 'grid' | 'repeated',
): Promise<Closes | undefined> {
  if (trigger === 'repeated')
    return coalesced('REPEATED', 'The clock shows this time twice; the first one had its run.');
  const { allowOverlap, misfirePolicy: policy, jobId } = job;
  const misfire = misfireOf(cadence, { policy, allowOverlap, nominal, now, graceMs });
  if (misfire === 'skip') return skipped('MISSED', `It was ${Math.round((now - nominal) / 1000)} s late.`);
  if (misfire === 'ask' && (await hasNewer(client, jobId, cadence, nominal)))
    return coalesced('COALESCED', 'A newer time is due; one run covers all missed times.');
  return undefined;
}

const looks = 20;
const betweenLooksMs = 250;

/**
 * Whether a run exists, or is about to start, for a later occurrence. There is none if the job was paused at all of them. After an outage the
 * server starts missed runs one after another, and lists them with a delay.
 */
async function hasNewer(client: Client, jobId: string, cadence: Cadence, nominal: number): Promise<boolean> {
  const after = new Date(nominal).toISOString();
  const query = `${runsOf(jobId)} AND TemporalScheduledStartTime > '${after}'`;
  for (let look = 0; look < looks; look++) {
    const { infos } = await listDispatches(client, query, { pageSize: 10 });
    // The server compares times less precisely than it shows them: the run that asks is among them.
    if (infos.map(nominalOf).some((time) => time > nominal && triggerOf(cadence, time) === 'grid')) return true;
    const found = await jobSchedule(client, jobId).find();
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

function envelopeOf(job: JobRecord, { executionId, nominal }: DispatchStart): Envelope {
  const { jobId, orchestratorId, createdBy, targetAction, targetRef } = job;
  return {
    executionId,
    jobId,
    triggeredAt: new Date(nominal).toISOString(),
    orchestratorId,
    origin: triggerOf(jobCadence(job), nominal) === 'hand' ? 'run_now' : 'schedule',
    requestedBy: createdBy,
    targetAction,
    targetRef,
  };
}

async function childOf(
  { client, config }: DispatchDeps,
  envelope: Envelope,
  start: PreparedStart,
): Promise<ChildStart> {
  const id = await journeyOf(client, envelope.executionId);
  const { caller } = envelope.requestedBy;
  const { definition } = start;
  const callbacks = await callbackUrls(client, config, { id }, definition);
  const { args, memo, taskQueue, staticSummary, staticDetails } = startOptions(
    { id },
    { ...start, mode: 'async', caller, ownSchedules: envelope.requestedBy.channelProfileId !== undefined },
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
