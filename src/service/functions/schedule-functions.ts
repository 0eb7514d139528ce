import { createHash } from 'node:crypto';
import { equal, type Json, type JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { formatInstant } from '../../base/time/instant.js';
import { isId } from '../../schedules/jobs/check-file-paths-and-ids.js';
import type { CreatedBy, JobRecord, JobState } from '../../schedules/jobs/job-record.js';
import { needsStateChange, refuseDeleted, refusePast } from '../../schedules/jobs/job-record.js';
import { type JobDraft, patchedJob, readNewJob } from '../../schedules/jobs/read-job.js';
import type { Audit, AuditEvent } from '../audit/audit-interface.js';
import type { Jobs, JobView, NewJob } from '../jobs-interface.js';
import type { Orchestrator } from '../orchestrators.js';
import { checkTarget, type TargetDeps } from './check-target.js';
import { pageOf, scheduleParameters } from './function-parameter-schemas.js';
import type { Caller, ServiceFunction } from './function-registry.js';

export interface ScheduleFunctionDeps {
  readonly jobs: Jobs;
  readonly audit: Audit;
  readonly targets: TargetDeps;
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

/** `schedule.create|list|show|update|pause|resume|delete|run_now`: functions for jobs. */
export function scheduleFunctions({ jobs, audit, targets, now }: ScheduleFunctionDeps): ServiceFunction[] {
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

  /** Updates a job by `decide` and records the changed fields in the audit log. */
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

  /** Changes the state of a job, unless it already has it. */
  const moved = (args: JsonObject, caller: Caller, event: 'paused' | 'resumed' | 'deleted', to: JobState) =>
    change(args, caller, event, (record) => {
      if (!needsStateChange(record, to)) return undefined;
      if (to !== 'enabled') return { state: to };
      refusePast(record.schedule, now());
      checkTarget(targets, caller.orchestrator, record.targetAction, record.targetRef);
      return { state: to };
    });

  const update = (args: JsonObject, caller: Caller) =>
    change(args, caller, 'updated', (record) => {
      refuseDeleted(record);
      const draft = patchedJob(record, args.patch as JsonObject, now());
      const switched = needsStateChange(record, draft.state) && draft.state === 'enabled';
      if (switched) refusePast(draft.schedule, now());
      // A target may no longer be allowed; disabling the job must still work.
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

  /** Arguments may repeat the scope but not change it. */
  const scoped = (args: JsonObject, orchestrator: Orchestrator): void => {
    if (args.orchestratorId !== undefined && args.orchestratorId !== orchestrator.id)
      refuse('ACCESS_DENIED', `The caller acts in the orchestrator ${orchestrator.id}.`, {
        pointer: '/orchestratorId',
        hint: 'Use that orchestrator, or call in the scope of the other.',
      });
  };

  return [
    {
      id: 'schedule.create',
      description: 'Creates a job: target, schedule and target of the output.',
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
      description: 'Shows a job: the record, its next runs and the last result.',
      parameters: scheduleParameters.one,
      invoke: async ({ jobId }, { orchestrator }) => await jobs.show(orchestrator.id, idOf(jobId)),
    },
    {
      id: 'schedule.runs',
      description: 'Lists the runs of a job, newest first.',
      parameters: scheduleParameters.runs,
      invoke: async (args, { orchestrator }) => await jobs.runs(orchestrator.id, idOf(args.jobId), pageOf(args)),
    },
    {
      id: 'schedule.update',
      description: 'Updates fields of a job; fields that are not given stay unchanged.',
      parameters: scheduleParameters.update,
      invoke: update,
    },
    {
      id: 'schedule.pause',
      description: 'Pauses a job until it is resumed.',
      parameters: scheduleParameters.one,
      invoke: (args, caller) => moved(args, caller, 'paused', 'paused'),
    },
    {
      id: 'schedule.resume',
      description: 'Enables a paused or disabled job. Does not start a run.',
      parameters: scheduleParameters.one,
      invoke: (args, caller) => moved(args, caller, 'resumed', 'enabled'),
    },
    {
      id: 'schedule.delete',
      description: 'Deletes a job. Its record stays readable for a while.',
      parameters: scheduleParameters.one,
      invoke: (args, caller) => moved(args, caller, 'deleted', 'deleted'),
    },
    {
      id: 'schedule.repair',
      description: 'Repairs drift: restores the Schedule of a job after changes by other tools.',
      parameters: scheduleParameters.one,
      invoke: repair,
    },
    {
      id: 'schedule.run_now',
      description: 'Starts one run now, even of a paused job. The schedule stays unchanged.',
      parameters: scheduleParameters.runNow,
      invoke: runNow,
    },
  ];
}

/** The name of a caller, for notes. */
function nameOf({ caller, sender, senderId }: CreatedBy): string {
  return sender ?? senderId ?? caller;
}

/** Validates the id of a job; messages do not repeat an invalid one. */
function idOf(value: Json | undefined): string {
  if (typeof value === 'string' && isId(value)) return value;
  return refuse('PATH_REFUSED', 'The value is not a valid id of a job.', { pointer: '/jobId', hint: 'List the jobs.' });
}

/** Derives the id of a job from the caller and its request. */
function newJobId({ orchestrator, by, requestId }: Caller): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([orchestrator.id, by.caller, requestId]))
    .digest('hex');
  return `job-${orchestrator.id}-${hash.slice(0, 12)}`;
}

/** Rejects a repeated key with different values. */
function assertSame(view: JobView, draft: JobDraft, args: JsonObject): void {
  if (view.updatedAt !== view.createdAt) return;
  const anchored = (args.schedule as JsonObject).anchorAt !== undefined;
  const bare = (it: JobDraft): JsonObject => {
    const { anchorAt, ...schedule } = it.schedule;
    return { ...picked(it, draftFields), schedule: anchored ? { ...schedule, anchorAt: anchorAt ?? null } : schedule };
  };
  if (!equal(bare(view), bare(draft)))
    refuse('IDEMPOTENCY_KEY_REUSED', `The key was used to create the job ${view.jobId} with different values.`);
}

function picked(from: JobDraft, keys: readonly (keyof JobDraft)[]): JsonObject {
  return Object.fromEntries(keys.map((key) => [key, from[key] as Json]));
}
