import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import type { JobState } from '../../src/schedules/jobs/job-record.js';
import { connect } from '../../src/temporal/connection.js';
import { ensureNamespace } from '../../src/temporal/inspect-and-set-up-namespace.js';
import { tidyJobs } from '../../src/temporal/schedules/daily-maintenance.js';
import { jobSchedule } from '../../src/temporal/schedules/jobs/job-schedule.js';
import { startServer } from '../../src/temporal/server/start-server.js';
import { eventually } from '../support/eventually.js';
import { expectAllAccounted } from './support/accounted.js';
import { codeOf, endedRuns, every, type JobRig, job, jobRig, slow } from './support/jobs.js';
import { journeyOf } from './support/rig.js';

const awayMs = 9_000;
const kinds = [
  { misfirePolicy: 'fire_once_on_recovery', allowOverlap: false },
  { misfirePolicy: 'skip_missed', allowOverlap: false },
  { misfirePolicy: 'fire_once_on_recovery', allowOverlap: true },
  { misfirePolicy: 'skip_missed', allowOverlap: true },
] as const;

it('R3-43, R3-44, R3-46: across outages of the server, and of server and worker, every occurrence is accounted for exactly once', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'journeyman-jobs-'));
  const env = {
    JOURNEYMAN_SERVER_DATA_DIR: dataDir,
    JOURNEYMAN_SERVER_PORT: '0',
    JOURNEYMAN_SERVER_UI_PORT: '0',
    JOURNEYMAN_SERVER_ARGS: inject('serverArgs'),
  };
  let server = await startServer(loadConfig({ env }));
  const port = server.address.split(':').at(-1)!;
  const config = loadConfig({ env: { ...env, JOURNEYMAN_SERVER_PORT: port } });
  const connected = await connect(config, { address: server.address });
  await ensureNamespace(connected.connection, 'default');
  await connected.close();
  const rigged = await jobRig({ address: server.address, graceMs: 3_000 });
  rigged.journeys.set('six', journeyOf(slow(6, 'six')));
  const away = async () => {
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    await server.stop();
    await sleep(awayMs);
    server = await startServer(config);
  };
  try {
    const schedule = every(2);
    const slowly = { type: 'workflow_start', workflowId: 'six' } as const;
    const wanted = [...kinds.map((kind) => job({ schedule, ...kind })), job({ schedule, targetAction: slowly })];
    for (const each of wanted) await rigged.jobs.create(each, 'a');
    const ids = wanted.map(({ jobId }) => jobId);
    const ended = async (id: string) =>
      (await rigged.jobs.runs('main', id, { pageSize: 500 })).items.filter((it) => it.result);
    for (const id of ids)
      await eventually(
        () => ended(id),
        (it) => it.length >= 1,
      );

    const beforeServer = new Date().toISOString();
    await away();
    for (const id of ids)
      await eventually(
        () => ended(id),
        (it) => it.some((run) => run.startedAt > beforeServer && run.result?.outcome === 'succeeded'),
      );

    await rigged.stopDispatching();
    const beforeBoth = new Date().toISOString();
    await away();
    await rigged.startDispatching();
    for (const id of ids)
      await eventually(
        () => ended(id),
        (it) => it.some((run) => run.startedAt > beforeBoth && run.result?.outcome === 'succeeded'),
      );

    for (const id of ids) await rigged.jobs.change('main', id, (it) => ({ ...it, state: 'paused' }));
    const all = await Promise.all(ids.map((id) => endedRuns(rigged, id, 3, 60_000)));
    const counts = all.map((runs) => expectAllAccounted(schedule, runs));
    const [once, none, onceBeside, noneBeside, slowRuns] = counts;
    // Two outages, each spanning several times: one late run, or none, for all of them.
    expect(once?.missed).toBeGreaterThanOrEqual(4);
    expect(once).not.toHaveProperty('coalesced');
    expect(none?.missed).toBeGreaterThanOrEqual(4);
    expect(all[1]!.filter(({ result }) => result?.reason?.code === 'MISSED').length).toBeGreaterThanOrEqual(1);
    expect(onceBeside?.coalesced).toBeGreaterThanOrEqual(2);
    expect(noneBeside?.missed).toBeGreaterThanOrEqual(2);
    expect((slowRuns?.missed ?? 0) + (slowRuns?.overlapped ?? 0)).toBeGreaterThanOrEqual(4);
    // The recovery run is never lost: a run followed the coalesced occurrences.
    const ran = all[2]!.filter(({ result }) => result?.outcome === 'succeeded').map(({ triggeredAt }) => triggeredAt);
    for (const run of all[2]!.filter(({ result }) => result?.outcome === 'coalesced'))
      expect(ran.some((at) => at > run.triggeredAt)).toBe(true);
    await tidied(rigged, ids);
  } finally {
    await rigged.stop();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/** Maintenance at a later time, on a separate server, because it affects every job. */
async function tidied(rigged: JobRig, ids: string[]): Promise<void> {
  const { client, config } = rigged.rigged;
  const { taskQueue } = config.temporal;
  const tidy = (days: number) => tidyJobs(client, taskQueue, 30, Date.now() + days * 86_400_000);
  const to = (id: string, state: JobState) => rigged.jobs.change('main', id, (it) => ({ ...it, state }));
  const [first, second] = ids as [string, string];
  await to(first, 'deleted');
  await to(second, 'disabled');
  await client.schedule.getHandle(second).unpause('by mistake');
  const schedule = { type: 'cron', expression: '30 2 * * *', timezone: 'Europe/Rome' };
  const { jobId } = await rigged.jobs.create(job({ schedule }), 'a');
  await eventually(
    () => rigged.jobs.list({ orchestratorId: 'main', pageSize: 50, state: 'deleted' }),
    ({ items }) => items.length === 1,
  );
  const written = async () => (await jobSchedule(client, jobId).read()).record;
  const before = await written();
  expect(Date.parse(before.writtenUntil!)).toBeGreaterThan(Date.now() + 4 * 365 * 86_400_000);

  expect(await tidy(29)).toBe(0);
  expect((await client.schedule.getHandle(second).describe()).state.paused).toBe(true);
  expect(await written()).toEqual(before);

  expect(await tidy(400)).toBe(1);
  expect(await codeOf(rigged.jobs.show('main', first))).toBe('JOB_UNKNOWN');
  expect(await rigged.jobs.show('main', second)).toMatchObject({ state: 'disabled' });
  const after = await written();
  expect(after.changes.length).toBe(before.changes.length + 1);
  expect(after).toMatchObject({ schedule, state: 'enabled', account: before.account });
}
