import { randomUUID } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';
import { inject } from 'vitest';
import { dispatchActivities } from '../../../activities/dispatch/dispatch-activities.js';
import type { Json, JsonObject } from '../../../src/base/json/value.js';
import { ProblemError, refuse } from '../../../src/base/problems/problem.js';
import type { Definition } from '../../../src/engine/definition/definition.js';
import type { Envelope } from '../../../src/schedules/jobs/dispatch-envelope.js';
import type { AuditEntry } from '../../../src/service/audit/audit-interface.js';
import type { ChannelAdapter, Post } from '../../../src/service/channel-interface.js';
import type { Targets } from '../../../src/service/check-and-invoke-job-targets.js';
import type { JobRun, JobView, NewJob } from '../../../src/service/jobs-interface.js';
import type { RunView } from '../../../src/service/runs-interface.js';
import { queueOf } from '../../../src/temporal/schedules/jobs/dispatch-action.js';
import { TemporalDispatcher } from '../../../src/temporal/schedules/jobs/temporal-dispatcher.js';
import { TemporalJobs } from '../../../src/temporal/schedules/jobs/temporal-jobs.js';
import { DispatchWorker } from '../../../src/temporal/worker/create-worker.js';
import type { EndedDispatch } from '../../../workflows/dispatch/workflow-contract.js';
import { eventually } from '../../support/eventually.js';
import { prepared } from '../../support/prepared.js';
import { bundled } from './encryption.js';
import { journeyOf, type Rig, rig } from './rig.js';

/** A journey that returns its input. */
export const echo = `
apiVersion: v1
kind: Journey
metadata: { name: echo, version: 1.0.0 }
spec:
  start: say
  input: { schema: { type: object, properties: { text: { type: string } } } }
  states:
    say: { type: transform, transform: { mapper: { lang: dataweave, expr: "{ text: context.text default 'hello' }" }, target: { kind: var }, resultVar: out }, next: done }
    done: { type: succeed, outputVar: out }
`;

/** One with a delay. */
export const slow = (seconds: number, name = 'slow') => `
apiVersion: v1
kind: Journey
metadata: { name: ${name}, version: 1.0.0 }
spec:
  start: rest
  states:
    rest: { type: timer, timer: { duration: PT${seconds}S }, next: done }
    done: { type: succeed }
`;

/** One that fails. */
export const failing = `
apiVersion: v1
kind: Journey
metadata: { name: failing, version: 1.0.0 }
spec:
  start: end
  states:
    end: { type: fail, errorCode: NO_LUCK, reason: not today }
`;

/** Two workers (journeys, and the queue of the orchestrator `main`) and jobs on a server. */
export interface JobRig {
  rigged: Rig;
  jobs: TemporalJobs;
  dispatcher: TemporalDispatcher;
  /** Messages in the channel `test`. */
  posts: Post[];
  audit: AuditEntry[];
  ended: EndedDispatch[];
  /** Permitted journeys and functions. */
  journeys: Map<string, Definition>;
  functions: Map<string, (args: JsonObject, envelope: Envelope) => Promise<Json>>;
  revoked: Set<string>;
  /** Returns a journey by its id. */
  runs(id: string): Promise<RunView>;
  stopDispatching(): Promise<void>;
  startDispatching(): Promise<void>;
  stop(): Promise<void>;
}

export interface JobRigOptions {
  address?: string;
  graceMs?: number;
  orchestratorId?: string;
  /** Channels in addition to `test`. */
  channels?: Readonly<Record<string, ChannelAdapter>>;
}

export async function jobRig(options: JobRigOptions = {}): Promise<JobRig> {
  const rigged = await rig(options.address === undefined ? {} : { address: options.address });
  const { client, config } = rigged;
  const connection = await NativeConnection.connect({ address: options.address ?? inject('temporalAddress') });
  const posts: Post[] = [];
  const audit: AuditEntry[] = [];
  const ended: EndedDispatch[] = [];
  const journeys = new Map([echo, slow(3), failing].map(journeyOf).map((it) => [it.name, it]));
  const functions: JobRig['functions'] = new Map([['test.add', async ({ a, b }) => Number(a) + Number(b)]]);
  const revoked = new Set<string>();
  const targets: Targets = {
    check: ({ targetAction }) => {
      const name = targetAction.type === 'workflow_start' ? targetAction.workflowId : targetAction.functionId;
      if (revoked.has(name)) refuse('ACCESS_DENIED', `${name} may not be used.`);
      if (targetAction.type === 'command_invoke')
        return functions.has(name)
          ? { type: 'command_invoke', functionId: name, functionArgs: targetAction.functionArgs ?? {} }
          : refuse('FUNCTION_UNKNOWN');
      const definition = journeys.get(name) ?? refuse('JOURNEY_UNKNOWN');
      return { type: 'workflow_start', start: prepared(definition, targetAction.inputs) };
    },
    invoke: async (envelope) => {
      const { targetAction } = envelope;
      if (targetAction.type !== 'command_invoke') throw new Error('not a function');
      return await functions.get(targetAction.functionId)!(targetAction.functionArgs ?? {}, envelope);
    },
  };
  const activities = dispatchActivities({
    client,
    config,
    targets,
    channels: {
      ...options.channels,
      test: {
        post: async (post) => {
          posts.push(post);
          return { messageId: String(posts.length) };
        },
      },
    },
    audit: { record: async (entry) => void audit.push(entry) },
    ended: async (run) => void ended.push(run),
    ...(options.graceMs !== undefined && { graceMs: options.graceMs }),
  });
  const taskQueue = queueOf(config.temporal.taskQueue, options.orchestratorId ?? 'main');
  const { MAX_CACHED_WORKFLOWS } = process.env;
  const cached = MAX_CACHED_WORKFLOWS === undefined ? {} : { maxCachedWorkflows: Number(MAX_CACHED_WORKFLOWS) };
  const startWorker = async () => {
    const worker = await DispatchWorker.create({
      connection,
      taskQueue,
      ...bundled(config),
      activities,
      ...cached,
    });
    const done = worker.run();
    return async () => {
      worker.shutdown();
      await done;
    };
  };
  let stopWorker: (() => Promise<void>) | undefined = await startWorker();
  const stopDispatching = async () => {
    await stopWorker?.();
    stopWorker = undefined;
  };
  return {
    rigged,
    jobs: new TemporalJobs(client, config),
    dispatcher: new TemporalDispatcher(client, config),
    posts,
    audit,
    ended,
    journeys,
    functions,
    revoked,
    runs: (id) => rigged.runs.status(id),
    stopDispatching,
    startDispatching: async () => {
      stopWorker ??= await startWorker();
    },
    stop: async () => {
      await stopDispatching();
      await connection.close();
      await rigged.stop();
    },
  };
}

/** A job, with defaults for omitted fields. */
export function job(more: Partial<NewJob> & Pick<NewJob, 'schedule'>): NewJob {
  const now = new Date().toISOString();
  return {
    jobId: `job-${randomUUID()}`,
    orchestratorId: 'main',
    name: null,
    createdBy: { caller: 'test' },
    targetAction: { type: 'workflow_start', workflowId: 'echo', inputs: { text: 'hi' } },
    targetRef: null,
    state: 'enabled',
    misfirePolicy: 'fire_once_on_recovery',
    allowOverlap: false,
    maxDurationSec: 86_400,
    createdAt: now,
    updatedAt: now,
    ...more,
  };
}

/** The next whole second at least this many milliseconds from now. */
export function secondsAhead(ms: number): number {
  return Math.ceil((Date.now() + ms) / 1000) * 1000;
}

/** A cadence that fires once soon and then not for a year. */
export function soon(ms = 2_500): JsonObject {
  return { type: 'once', runAt: new Date(secondsAhead(ms)).toISOString() };
}

/** Never within a test. */
export const yearly: JsonObject = { type: 'cron', expression: '0 0 1 1 *', timezone: 'UTC' };

/** Fires at this interval in seconds from an anchor. */
export function every(everySeconds: number, anchor = Date.now()): JsonObject {
  return { type: 'interval', everySeconds, anchorAt: new Date(Math.ceil(anchor / 1000) * 1000).toISOString() };
}

/** The runs of a job, newest first; waits until there are so many and all have ended. */
export async function endedRuns({ jobs }: JobRig, jobId: string, atLeast = 1, limitMs = 90_000): Promise<JobRun[]> {
  const look = async () => (await jobs.runs('main', jobId, { pageSize: 1_000 })).items;
  return await eventually(look, (runs) => runs.length >= atLeast && runs.every(({ result }) => result), { limitMs });
}

/** The error code of a rejection. */
export async function codeOf(refused: Promise<unknown>): Promise<string | undefined> {
  return await refused.then(
    () => undefined,
    (error) => (error instanceof ProblemError ? error.problem.code : Promise.reject(error)),
  );
}

/** The total number of occurrences of a job. */
export function total({ occurrences: { ran, missed, overlapped, coalesced } }: Pick<JobView, 'occurrences'>): number {
  return ran + missed + overlapped + coalesced;
}
