import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JobMirror } from '../../../src/app/worker/mirror-jobs-to-files.js';
import { refuse } from '../../../src/base/problems/problem.js';
import type { AuditEntry } from '../../../src/service/audit/audit-interface.js';
import type { JobView } from '../../../src/service/jobs-interface.js';
import { orchestratorsOf } from '../../../src/service/orchestrators.js';
import type { EndedDispatch } from '../../../workflows/dispatch/workflow-contract.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mirror-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const grants = { journeys: ['*'], functions: ['*'], shared: [] };
const read = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), 'utf8'));

function mirrored(jobs: Map<string, { fingerprint: string; view: JobView | Error }>) {
  const orchestrators = orchestratorsOf({
    orchestrators: { main: { root: join(root, 'main'), ...grants }, other: { root: join(root, 'other'), ...grants } },
    channelProfiles: {},
  });
  const warned: string[] = [];
  const shown: string[] = [];
  const recorded: AuditEntry[] = [];
  const mirror = new JobMirror(
    orchestrators,
    {
      async *entries(id: string) {
        if (id === 'main')
          for (const [jobId, { fingerprint }] of jobs)
            yield { jobId, fingerprint, name: null, state: 'enabled' as const };
      },
      async show(_: string, jobId: string) {
        shown.push(jobId);
        const { view } = jobs.get(jobId) ?? refuse('JOB_UNKNOWN');
        if (view instanceof Error) throw view;
        return view;
      },
      async bury(job: JobView) {
        jobs.set(job.jobId, { fingerprint: 'buried', view: { ...job, state: 'deleted' } });
        return true;
      },
    },
    { warn: (_: unknown, message?: string) => void warned.push(message ?? '') } as never,
    { record: async (entry) => void recorded.push(entry) },
  );
  return { mirror, warned, shown, recorded };
}

const view = (jobId: string) => ({ jobId, orchestratorId: 'main', state: 'enabled' }) as JobView;

function ended(more: Partial<EndedDispatch['envelope']> = {}): EndedDispatch {
  return {
    envelope: {
      executionId: 'job-1-x',
      jobId: 'job-1',
      triggeredAt: '2027-01-01T09:00:00.000Z',
      orchestratorId: 'main',
      origin: 'schedule',
      requestedBy: { caller: 'test' },
      targetAction: { type: 'workflow_start', workflowId: 'hello' },
      targetRef: null,
      ...more,
    },
    startedAt: Date.UTC(2027, 0, 1, 9),
    journeyId: 'abc',
    result: { outcome: 'succeeded', reason: null, occurrences: [] },
    endedAt: '2027-01-01T09:00:01.000Z',
  };
}

describe('the job mirror', () => {
  it('R3-12, R3-13, R3-28: writes jobs, runs and state to files below the root of their own orchestrator', async () => {
    const { mirror } = mirrored(new Map([['job-1', { fingerprint: 'a', view: view('job-1') }]]));
    await mirror.sync();
    await mirror.ended(ended());
    await mirror.ended(ended({ orchestratorId: 'other', jobId: null, executionId: 'run-other-1' }));
    expect(read('main', 'automation', 'jobs', 'job-1.json')).toEqual(view('job-1'));
    expect(read('main', 'automation', 'runs', 'job-1', '2027-01-01T09-00-00.000Z.json')).toMatchObject({
      executionId: 'job-1-x',
      outcome: 'succeeded',
      journeyId: 'abc',
    });
    expect(read('main', 'automation', 'scheduler_state.json')).toMatchObject({ state: 'running' });
    expect(readdirSync(join(root, 'other', 'automation')).sort()).toEqual(['runs', 'scheduler_state.json']);
    await mirror.stop();
    expect(read('main', 'automation', 'scheduler_state.json')).toMatchObject({ state: 'stopped' });
  });

  it('GAP-26 writes files that only its own user can read, also in an existing folder', async () => {
    mkdirSync(join(root, 'main', 'automation'), { recursive: true, mode: 0o755 });
    const { mirror } = mirrored(new Map());
    await mirror.sync();
    expect(statSync(join(root, 'main', 'automation', 'scheduler_state.json')).mode & 0o777).toBe(0o600);
  });

  it('reads a job again only if its Schedule has changed or a run of it has ended', async () => {
    const jobs = new Map([['job-1', { fingerprint: 'a', view: view('job-1') }]]);
    const { mirror, shown } = mirrored(jobs);
    await mirror.sync();
    await mirror.sync();
    expect(shown).toHaveLength(1);
    jobs.set('job-1', { fingerprint: 'b', view: view('job-1') });
    await mirror.sync();
    await mirror.ended(ended());
    await mirror.sync();
    expect(shown).toHaveLength(3);
  });

  it('GAP-17 R3-12 R3-56: mirrors and audits changes made with Temporal’s own tools', async () => {
    const jobs = new Map([['job-1', { fingerprint: 'a', view: view('job-1') as JobView }]]);
    const { mirror, recorded } = mirrored(jobs);
    const seen = () => recorded.splice(0).map(({ event, by, after }) => [event, by?.caller, after?.state]);
    const mirroredState = () => read('main', 'automation', 'jobs', 'job-1.json').state;
    await mirror.sync();
    jobs.set('job-1', { fingerprint: 'b', view: { ...view('job-1'), state: 'paused' } });
    await mirror.sync();
    expect(mirroredState()).toBe('paused');
    expect(seen()).toEqual([['scheduler.job.paused', 'temporal', 'paused']]);
    // A change through Journeyman has its own entry.
    jobs.set('job-1', { fingerprint: 'c', view: { ...view('job-1'), updatedAt: 'later' } });
    await mirror.sync();
    expect(seen()).toEqual([]);
    jobs.delete('job-1');
    await mirror.sync();
    expect(seen()).toEqual([['scheduler.job.deleted', 'temporal', 'deleted']]);
    expect(mirroredState()).toBe('deleted');
    await mirror.sync();
    // Maintenance removes deleted jobs, which is not reported.
    jobs.delete('job-1');
    await mirror.sync();
    expect(seen()).toEqual([]);
    expect(jobs.size).toBe(0);
  });

  it('SCH-D12: writes the other jobs if one cannot be read', async () => {
    const { mirror, warned } = mirrored(
      new Map([
        ['broken', { fingerprint: 'a', view: new Error('no record') }],
        ['job-2', { fingerprint: 'a', view: view('job-2') }],
      ]),
    );
    await mirror.sync();
    expect(read('main', 'automation', 'jobs', 'job-2.json')).toEqual(view('job-2'));
    expect(warned).toEqual(['A job could not be mirrored']);
  });

  it('logs disk errors and continues', async () => {
    writeFileSync(join(root, 'main'), 'a file where the folder should be');
    chmodSync(join(root, 'main'), 0o400);
    const { mirror, warned } = mirrored(new Map());
    await mirror.ended(ended());
    expect(warned).toEqual(['The mirror of jobs could not be written']);
  });

  it('SCH-D15: never shows readers a partial file, and leaves no temporary files', async () => {
    const { mirror } = mirrored(new Map());
    await Promise.all(Array.from({ length: 20 }, () => mirror.ended(ended())));
    expect(readdirSync(join(root, 'main', 'automation', 'runs', 'job-1'))).toEqual(['2027-01-01T09-00-00.000Z.json']);
  });
});
