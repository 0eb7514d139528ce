import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { ProblemError } from '../../src/base/problems/problem.js';
import { scheduleDetailsText } from '../../src/cli/schedule/schedule-text.js';
import { definitionHash } from '../../src/library/read-document-file.js';
import type { LibraryEntry } from '../../src/service/library-interface.js';
import { bindingId } from '../../src/temporal/schedules/bindings/binding-id.js';
import { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import { journeyOf, type Rig, rig } from './support/rig.js';
import { binding, counting, endedRuns, until } from './support/schedules.js';
import { testSecret } from './support/secret.js';

const dying = fileURLToPath(new URL('./support/dying-migration.mjs', import.meta.url));

/** The code with which a migration was rejected. */
async function refusal(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => 'not refused',
    (error) => (error instanceof ProblemError ? error.problem.code : error),
  );
}

/** Another version of a counting journey; its runs return their version. */
function nextVersion(text: string, version = '2.0.0'): string {
  return text
    .replace('version: 1.0.0', `version: ${version}`)
    .replace('n: context.n + 1', `n: context.n + 1, by: '${version}'`);
}

function entryOf(text: string): LibraryEntry {
  const definition = journeyOf(text);
  return { definition, hash: definitionHash(definition) };
}

/** The id of the binding that replaces the one for a user. */
function migrated(subjectId: string, journeyName: string, journeyVersion = '2.0.0'): string {
  return bindingId({ journeyName, journeyVersion, subjectId, startStateId: 'tick' }, testSecret);
}

describe.concurrent('R15-MOVE migrating a schedule to another version of its journey', () => {
  let rigged: Rig;
  let schedules: TemporalSchedules;
  let folder: string;
  beforeAll(async () => {
    rigged = await rig();
    schedules = new TemporalSchedules(rigged.client, rigged.config);
    folder = mkdtempSync(join(tmpdir(), 'journeyman-migrate-'));
  });
  afterAll(async () => {
    await rigged.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A binding whose first run is complete and whose next run is in an hour. */
  async function startedBinding(name: string, maxRuns = 4) {
    const text = counting({ name, interval: 'PT1H', maxRuns });
    await rigged.start(text, { user: name, n: 0 });
    const id = binding(name, name);
    await until(rigged, id, ({ record, running }) => record.runsExecuted === 1 && running.length === 0);
    return { id, text, to: entryOf(nextVersion(text)), next: migrated(name, name) };
  }

  it('keeps context, count, bound and pause, ends the old one, and is idempotent', async ({ expect }) => {
    const { id, to, next } = await startedBinding('moves');
    await schedules.pause(id, 'the bank is closed', 'ada');
    const before = await schedules.show(id);
    const view = await schedules.migrate(id, to, 'ada');
    expect(view).toMatchObject({
      changed: true,
      scheduleId: next,
      journeyVersion: '2.0.0',
      subjectId: 'moves',
      state: 'paused',
      note: 'the bank is closed',
      runsExecuted: 1,
      maxRuns: 4,
      startAt: before.startAt,
      lastContext: { n: 1, seen: [0] },
      lastResult: 'SUCCEEDED',
      occurrences: { ran: 1, missed: 0 },
      migratedFrom: id,
    });
    expect(scheduleDetailsText(view)).toContain(`Migrated from  ${id}; its runs: journeyman schedule runs ${id}\n`);
    expect((await schedules.runs(id, { pageSize: 9 })).items).toHaveLength(1);
    expect(view.log.map(({ by, what }) => [by, what]).slice(0, 2)).toEqual([
      ['ada', 'migrated from version 1.0.0'],
      ['ada', 'migrates to version 2.0.0'],
    ]);
    expect(await schedules.migrate(id, to, 'ada')).toMatchObject({ changed: false, scheduleId: next });
    expect(await schedules.migrate(next, to, 'ada')).toMatchObject({ changed: false, scheduleId: next });
    expect(await schedules.show(id)).toMatchObject({
      state: 'migrated',
      note: `Migrated to version 2.0.0: ${next}`,
      migratedTo: { scheduleId: next, version: '2.0.0' },
      nextRunAt: null,
    });
    await expect
      .poll(async () => (await schedules.list({ state: 'migrated', subjectId: 'moves', pageSize: 9 })).items)
      .toMatchObject([{ scheduleId: id, state: 'migrated' }]);
    const third = entryOf(nextVersion(counting({ name: 'moves' }), '3.0.0'));
    const attempts = [
      () => schedules.resume(id, '', 'ada'),
      () => schedules.update(id, { maxRuns: 9 }, 'ada'),
      () => schedules.runNow(id, 'again'),
      () => schedules.migrate(id, third, 'ada'),
    ];
    for (const attempt of attempts) expect(await refusal(attempt())).toBe('SCHEDULE_MIGRATED');

    await schedules.resume(next, '', 'ada');
    const { executionId } = await schedules.runNow(next, 'once');
    const ran = await until(rigged, next, ({ record, running }) => record.runsExecuted === 2 && running.length === 0);
    expect(ran.context).toMatchObject({ n: 2, seen: [0, 1], by: '2.0.0' });
    expect(await rigged.runs.status(executionId)).toMatchObject({ journeyVersion: '2.0.0' });
  });

  it('back to the earlier version replaces the remains of that one', async ({ expect }) => {
    const { id, text, to, next } = await startedBinding('returns');
    await schedules.migrate(id, to, 'ada');
    const back = await schedules.migrate(next, entryOf(text), 'ada');
    expect(back).toMatchObject({ scheduleId: id, state: 'active', generation: 2, runsExecuted: 1, migratedTo: null });
    await schedules.runNow(id, 'once');
    const { context } = await until(rigged, id, ({ record }) => record.runsExecuted === 2);
    expect(context).toEqual({ user: 'returns', n: 2, seen: [0, 1] });
  });

  it('is rejected without effect if impossible', async ({ expect }) => {
    const { id, text, to, next } = await startedBinding('stays');
    const elsewhere = text.replaceAll('start: tick', 'start: end');
    expect(await refusal(schedules.migrate(id, entryOf(nextVersion(elsewhere)), 'ada'))).toBe('MIGRATION_NOT_POSSIBLE');
    const configured = nextVersion(text).replace(
      'spec:',
      'spec:\n  platform: { config: { key: { type: string, required: true } } }',
    );
    expect(await refusal(schedules.migrate(id, entryOf(configured), 'ada'))).toBe('CONFIG_MISSING');
    const changed = text.replace('n: context.n + 1', 'n: context.n + 2');
    expect(await refusal(schedules.migrate(id, entryOf(changed), 'ada'))).toBe('MIGRATION_NOT_POSSIBLE');
    await rigged.start(nextVersion(text), { user: 'stays', n: 7 });
    await until(rigged, next, ({ record }) => record.runsExecuted === 1);
    const taken = schedules.migrate(id, to, 'ada');
    await expect(taken).rejects.toMatchObject({
      problem: { hint: expect.stringContaining(`schedule delete ${next}`) },
    });
    expect(await refusal(taken)).toBe('SCHEDULE_ALREADY_EXISTS');
    expect(await schedules.show(id)).toMatchObject({ state: 'active', migratedTo: null, lastContext: { n: 1 } });
    expect(await schedules.show(next)).toMatchObject({ lastContext: { n: 8 }, runsExecuted: 1 });

    const after = '    after: { type: timer, timer: { duration: PT3S }, next: end }';
    const slow = counting({ name: 'stays-slow', interval: 'PT1H', maxRuns: 3, after });
    await rigged.start(slow, { user: 'stays-slow', n: 0 });
    const active = binding('stays-slow', 'stays-slow');
    await until(rigged, active, ({ running }) => running.length > 0);
    expect(await refusal(schedules.migrate(active, entryOf(nextVersion(slow)), 'ada'))).toBe('RUN_ACTIVE');
    expect(await schedules.show(active)).toMatchObject({ state: 'active', migratedTo: null });
  });

  /** Migrates it in a process that dies after the server has accepted its nth write. */
  async function cutShort(id: string, text: string, n: number): Promise<unknown> {
    const file = join(folder, `${id}.yaml`);
    writeFileSync(file, nextVersion(text));
    const address = inject('temporalAddress');
    const env = { ...process.env, TEMPORAL_ADDRESS: address };
    const child = spawn(process.execPath, [dying, address, id, file, String(n)], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return (await once(child, 'exit'))[1];
  }

  it.for([1, 2, 3])(
    'kill -9 after write %i of a migration: a repetition completes it with a single successor',
    async (n, { expect }) => {
      const name = `cut-${n}`;
      const { id, text, to, next } = await startedBinding(name);
      expect(await cutShort(id, text, n)).toBe('SIGKILL');

      const cut = await schedules.show(id);
      expect(cut).toMatchObject({
        state: n === 3 ? 'migrated' : 'paused',
        migratedTo: { scheduleId: next },
        nextRunAt: null,
      });
      expect(await refusal(schedules.show(next))).toBe(n === 1 ? 'SCHEDULE_UNKNOWN' : 'not refused');
      expect(await refusal(schedules.resume(id, '', 'ada'))).toBe('SCHEDULE_MIGRATED');
      // The repetition must not undo a run of the successor.
      if (n > 1) {
        await schedules.runNow(next, 'once');
        await until(rigged, next, ({ record, running }) => record.runsExecuted === 2 && running.length === 0);
      }
      const views = await Promise.all([schedules.migrate(id, to, 'ada'), schedules.migrate(id, to, 'bob')]);
      for (const view of views)
        expect(view).toMatchObject({
          scheduleId: next,
          state: 'active',
          runsExecuted: n > 1 ? 2 : 1,
          lastContext: { n: n > 1 ? 2 : 1 },
        });
      expect(await schedules.show(id)).toMatchObject({ state: 'migrated', runsExecuted: 1, lastContext: { n: 1 } });
      await expect
        .poll(async () => (await schedules.list({ subjectId: name, state: 'active', pageSize: 9 })).items)
        .toMatchObject([{ scheduleId: next }]);
    },
  );

  it.for([false, true])(
    'each occurrence has one run, with the context of the previous one; interrupted: %s',
    async (cut, { expect }) => {
      const name = cut ? 'held-up' : 'often';
      const startAt = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_000).toISOString();
      const text = counting({ name, interval: 'PT2S', maxRuns: 100, startAt });
      await rigged.start(text, { user: name, n: 0 });
      const id = binding(name, name);
      await until(rigged, id, ({ record }) => record.runsExecuted >= 2);
      let isHeld = false;
      if (cut) {
        expect(await cutShort(id, text, 1)).toBe('SIGKILL');
        // A run that wrote back at the same moment may have won, and no process was left to retry.
        isHeld = (await schedules.show(id)).migratedTo !== null;
        await sleep(4_500);
      }
      const to = entryOf(nextVersion(text));
      await expect.poll(() => refusal(schedules.migrate(id, to, 'ada'))).toBe('not refused');
      const next = migrated(name, name);
      const { runsExecuted } = await schedules.show(id);
      await until(rigged, next, ({ record }) => record.runsExecuted >= runsExecuted + 3);
      await schedules.pause(next, '', 'ada');
      const { record, context } = await until(rigged, next, ({ running }) => running.length === 0);
      const n = record.runsExecuted;
      expect(context).toMatchObject({ n, seen: Array.from({ length: n }, (_, i) => i), by: '2.0.0' });
      const runs = [...(await endedRuns(rigged, next)), ...(await endedRuns(rigged, id))];
      expect(runs.filter(({ skipped }) => !skipped)).toHaveLength(n);
      expect(new Set(runs.map(({ scheduledAt }) => scheduledAt.slice(0, 19))).size).toBe(runs.length);
      const { through, ran, missed, overlapped } = record.occurrences;
      const due = 1 + Math.floor((Date.parse(through) - Date.parse(record.startAt)) / 2_000);
      const account = JSON.stringify([record.occurrences, runs], null, 1);
      expect([ran, ran + missed + overlapped], account).toEqual([n, due]);
      if (isHeld) expect(missed + overlapped, account).toBeGreaterThanOrEqual(1);
    },
  );
});
