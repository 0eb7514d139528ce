import { createHash } from 'node:crypto';
import { equal, type Json, type JsonObject } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { isId } from '../../scheduling/jobs/paths.js';
import { type JobDraft, patchedJob, readNewJob } from '../../scheduling/jobs/read.js';
import type { CreatedBy, JobRecord, JobState } from '../../scheduling/jobs/record.js';
import { assertFuture, assertKept, moves } from '../../scheduling/jobs/transitions.js';
import { formatInstant } from '../../time/duration.js';
import type { Audit, AuditEvent } from '../audit.js';
import type { Jobs, JobView, NewJob } from '../jobs.js';
import type { Orchestrator } from '../orchestrators.js';
import type { Caller, ServiceFunction } from './registry.js';
import { pageOf, scheduleParameters } from './schedule-schemas.js';
import { checkTarget, type TargetGround } from './target.js';

export interface ScheduleParts {
  readonly jobs: Jobs;
  readonly audit: Audit;
  readonly targets: TargetGround;
  readonly now: () => number;
}

const draftFields = [
  'name',
  'schedule',
  'targetAction',
  'targetRef',
  'state',
  'misfirePolicy',
  'allowOverlap',
  'maxDurationSec',
] as const satisfies (keyof JobDraft)[];

/** `schedule.create|list|show|update|pause|resume|delete|run_now`: everything that can be done with jobs. */
export function scheduleFunctions({ jobs, audit, targets, now }: ScheduleParts): ServiceFunction[] {
  async function create(args: JsonObject, caller: Caller): Promise<JobView> {
    const { orchestrator, by, requestId } = caller;
    const at = now();
    const draft = readNewJob(args, at);
    const created = formatInstant(at);
    const job: NewJob = {
      ...draft,
      jobId: newJobId(caller),
      orchestratorId: orchestrator.id,
      createdBy: by,
      createdAt: created,
      updatedAt: created,
    };
    const view = await jobs.create(job, requestId);
    if (view.createdAt !== created) assertSame(view, draft, args);
    else await told('created', caller, view.jobId, undefined, picked(view, draftFields));
    return view;
  }

  /** Changes a job as `decide` says, and tells the log what became different. */
  async function change(
    { jobId }: JsonObject,
    caller: Caller,
    event: 'updated' | 'paused' | 'resumed' | 'deleted',
    decide: (record: JobRecord) => Partial<JobDraft> | undefined,
  ): Promise<JobView & { changed: boolean }> {
    let before: JsonObject = {};
    let after: JsonObject = {};
    const view = await jobs.change(
      caller.orchestrator.id,
      idOf(jobId),
      (record) => {
        const changes = decide(record);
        const next: JobRecord = { ...record, ...changes };
        const different = draftFields.filter((key) => !equal(next[key] as Json, record[key] as Json));
        if (changes === undefined || different.length === 0) return undefined;
        [before, after] = [picked(record, different), picked(next, different)];
        return { ...next, updatedAt: formatInstant(now()) };
      },
      nameOf(caller.by),
    );
    if (view.changed) await told(event, caller, view.jobId, before, after);
    return view;
  }

  /** A move to another state, or nothing if the job is there. */
  const moved = (args: JsonObject, caller: Caller, event: 'paused' | 'resumed' | 'deleted', to: JobState) =>
    change(args, caller, event, (record) => {
      if (!moves(record, to)) return undefined;
      if (to !== 'enabled') return { state: to };
      assertFuture(record.schedule, now());
      checkTarget(targets, caller.orchestrator, record.targetAction, record.targetRef);
      return { state: to };
    });

  const update = (args: JsonObject, caller: Caller) =>
    change(args, caller, 'updated', (record) => {
      assertKept(record);
      const draft = patchedJob(record, args.patch as JsonObject, now());
      const switched = moves(record, draft.state) && draft.state === 'enabled';
      if (switched) assertFuture(draft.schedule, now());
      // What was allowed once may be allowed no longer; switching it off must go all the same.
      if (draft.state !== 'disabled') checkTarget(targets, caller.orchestrator, draft.targetAction, draft.targetRef);
      return draft;
    });

  async function runNow(args: JsonObject, caller: Caller) {
    const jobId = idOf(args.jobId);
    const requestId = typeof args.requestId === 'string' ? args.requestId : caller.requestId;
    const { executionId } = await jobs.runNow(caller.orchestrator.id, jobId, requestId);
    await told('run_now', caller, jobId, undefined, undefined, { executionId });
    return { executionId, requestId };
  }

  async function repair(args: JsonObject, caller: Caller) {
    const view = await jobs.repair(caller.orchestrator.id, idOf(args.jobId));
    if (view.changed) await told('repaired', caller, view.jobId);
    return view;
  }

  async function told(
    what: 'created' | 'updated' | 'paused' | 'resumed' | 'deleted' | 'run_now' | 'repaired',
    { orchestrator, by }: Caller,
    id: string,
    before?: JsonObject,
    after?: JsonObject,
    more: { executionId?: string } = {},
  ): Promise<void> {
    const event: AuditEvent = `scheduler.job.${what}`;
    await audit.record({
      event,
      orchestratorId: orchestrator.id,
      jobId: id,
      by,
      ...more,
      ...(before && { before }),
      ...(after && { after }),
    });
  }

  /** Arguments may repeat the scope, never leave it. */
  const scoped = (args: JsonObject, orchestrator: Orchestrator): void => {
    if (args.orchestratorId !== undefined && args.orchestratorId !== orchestrator.id)
      refuse('ACCESS_DENIED', `The caller acts in the orchestrator ${orchestrator.id}.`, {
        pointer: '/orchestratorId',
        hint: 'Name that one, or call in the scope of the other.',
      });
  };

  return [
    {
      id: 'schedule.create',
      description: 'Makes a job: what runs, when, and where its output goes.',
      parameters: scheduleParameters.create,
      check: (args, orchestrator) => {
        scoped(args, orchestrator);
        const { targetAction, targetRef } = readNewJob(args, now());
        checkTarget(targets, orchestrator, targetAction, targetRef);
      },
      invoke: create,
    },
    {
      id: 'schedule.list',
      description: 'Lists the jobs of the orchestrator.',
      parameters: scheduleParameters.list,
      check: scoped,
      invoke: async (args, { orchestrator }) =>
        await jobs.list({
          ...pageOf(args),
          orchestratorId: orchestrator.id,
          ...(args.state !== undefined && { state: args.state as JobState }),
        }),
    },
    {
      id: 'schedule.show',
      description: 'Shows one job: the record, its next runs, how the last one ended.',
      parameters: scheduleParameters.one,
      invoke: async ({ jobId }, { orchestrator }) => await jobs.show(orchestrator.id, idOf(jobId)),
    },
    {
      id: 'schedule.runs',
      description: 'Lists what became of the times of a job, newest first.',
      parameters: scheduleParameters.runs,
      invoke: async (args, { orchestrator }) => await jobs.runs(orchestrator.id, idOf(args.jobId), pageOf(args)),
    },
    {
      id: 'schedule.update',
      description: 'Replaces fields of a job; what is not named stays as it is.',
      parameters: scheduleParameters.update,
      invoke: update,
    },
    {
      id: 'schedule.pause',
      description: 'Lets a job start no runs until it is resumed.',
      parameters: scheduleParameters.one,
      invoke: (args, caller) => moved(args, caller, 'paused', 'paused'),
    },
    {
      id: 'schedule.resume',
      description: 'Enables a paused or disabled job; no run starts because of it.',
      parameters: scheduleParameters.one,
      invoke: (args, caller) => moved(args, caller, 'resumed', 'enabled'),
    },
    {
      id: 'schedule.delete',
      description: 'Ends a job for ever; its record stays readable for a while.',
      parameters: scheduleParameters.one,
      invoke: (args, caller) => moved(args, caller, 'deleted', 'deleted'),
    },
    {
      id: 'schedule.repair',
      description: 'Makes a job do what it says again, when something else changed its Schedule.',
      parameters: scheduleParameters.one,
      invoke: repair,
    },
    {
      id: 'schedule.run_now',
      description: 'Starts one run at once, also of a paused job; its times stay as they are.',
      parameters: scheduleParameters.runNow,
      invoke: runNow,
    },
  ];
}

/** Who somebody is, for a note. */
function nameOf({ caller, sender, senderId }: CreatedBy): string {
  return sender ?? senderId ?? caller;
}

/** An id that can name a job; what is none is not repeated. */
function idOf(value: Json | undefined): string {
  if (typeof value === 'string' && isId(value)) return value;
  return refuse('PATH_REFUSED', 'The value is not the id of a job.', { pointer: '/jobId', hint: 'List the jobs.' });
}

/** The same request of the same caller gives the same id. */
function newJobId({ orchestrator, by, requestId }: Caller): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([orchestrator.id, by.caller, requestId]))
    .digest('hex');
  return `job-${orchestrator.id}-${hash.slice(0, 12)}`;
}

/** A key that made a job before stands for that job; with other values it was meant for another. */
function assertSame(view: JobView, draft: JobDraft, args: JsonObject): void {
  if (view.updatedAt !== view.createdAt) return;
  const anchored = (args.schedule as JsonObject).anchorAt !== undefined;
  const bare = (it: JobDraft): JsonObject => {
    const { anchorAt, ...schedule } = it.schedule;
    return { ...picked(it, draftFields), schedule: anchored ? { ...schedule, anchorAt: anchorAt ?? null } : schedule };
  };
  if (!equal(bare(view), bare(draft)))
    refuse('IDEMPOTENCY_KEY_REUSED', `The key made the job ${view.jobId}, which is a different one.`);
}

function picked(from: JobDraft, keys: readonly (keyof JobDraft)[]): JsonObject {
  return Object.fromEntries(keys.map((key) => [key, from[key] as Json]));
}
