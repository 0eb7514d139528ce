import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { ProblemError, refuse } from '../../../base/problems/problem.js';
import type { Config } from '../../../config/config-types.js';
import { interpreterVersion } from '../../../engine/interpreter-version.js';
import { scheduleStarts } from '../../../language/states/graph-traversal.js';
import {
  type BindingRecord,
  bindingCadence,
  isExhausted,
  isMigrated,
  logged,
  type Migration,
} from '../../../schedules/bindings/binding-record.js';
import { compile } from '../../../schedules/cadence/cadence-to-temporal-spec.js';
import { nextAfter } from '../../../schedules/cadence/occurrences.js';
import { accountGap } from '../../../schedules/occurrence-counts.js';
import { declaredConfig } from '../../../service/check-platform-config.js';
import type { LibraryEntry } from '../../../service/library-interface.js';
import { configProblem } from '../../../service/start/prepare-start.js';
import { migratedMemo } from '../../runs/run-start-options.js';
import { isUnknown } from '../managed-schedule.js';
import { journeyAction, sourceOf } from './binding-action.js';
import { idAfterMigration } from './binding-id.js';
import { gapFacts } from './binding-occurrence-counts.js';
import {
  type BindingSnapshot,
  type BindingWrite,
  bindingNote,
  bindingSchedule,
  refuseExhausted,
  refuseMigrated,
  uncountedRuns,
} from './binding-schedule.js';
import { passImminent, refuseExisting } from './create-binding.js';

/** Timeout for a run that started at the last moment. */
const patienceMs = 10_000;
const pollMs = 100;

/**
 * Replaces a binding with one of another version. First the old one is paused and records its successor; once no run of it is active, the
 * successor is created from it; then the old one is retired. Each step is idempotent, so repeating an interrupted migration completes it.
 */
export async function migrateBinding(
  client: Client,
  config: Pick<Config, 'platform'>,
  scheduleId: string,
  to: LibraryEntry,
  by: string,
): Promise<{ snapshot: BindingSnapshot; changed: boolean }> {
  const { version } = to.definition;
  const found = await bindingSchedule(client, scheduleId).read();
  const { record } = found;
  if (record.journeyVersion === version) return await unchanged(client, found, to);
  if (isMigrated(record)) {
    if (record.migration?.version !== version) refuseMigrated(record);
    return { snapshot: await bindingSchedule(client, record.migration!.scheduleId).read(), changed: false };
  }
  refuseMisfit(record, to, config);
  const target = await idAfterMigration(client, record, version);
  if (!record.migration) await refuseTaken(client, target);
  const { key } = (await hold(client, scheduleId, { scheduleId: target, version }, by)).record.migration!;
  try {
    const ready = await untilIdle(client, scheduleId, key);
    refuseExhausted(ready.record);
    await createSuccessor(client, await successor(client, config, ready, to, by), ready.record.migration!);
  } catch (error) {
    // After these problems the binding continues as before; after any other failure the progress is unknown.
    if (error instanceof ProblemError && harmless.has(error.problem.code)) await release(client, scheduleId, key);
    throw error;
  }
  await retire(client, scheduleId, record.creator, { scheduleId: target, version, key });
  return { snapshot: await bindingSchedule(client, target).read(), changed: true };
}

const harmless: ReadonlySet<string> = new Set([
  'RUN_ACTIVE',
  'SCHEDULE_ALREADY_EXISTS',
  'SCHEDULE_BROKEN',
  'SCHEDULE_EXHAUSTED',
]);

/** A binding of the wanted version needs no migration, unless the content of that version has changed. */
async function unchanged(client: Client, snapshot: BindingSnapshot, { definition, hash }: LibraryEntry) {
  refuseMigrated(snapshot.record);
  const { memo } = await sourceOf(client, snapshot);
  if (memo.definition !== hash)
    refuse('MIGRATION_NOT_POSSIBLE', `It already has version ${definition.version}, with different content.`, {
      hint: 'Raise the version of the changed journey.',
    });
  return { snapshot, changed: false };
}

function refuseMisfit(record: BindingRecord, { definition }: LibraryEntry, { platform }: Pick<Config, 'platform'>) {
  const { startStateId } = record;
  const { name, version } = definition;
  refuseExhausted(record);
  if (!scheduleStarts(definition).has(startStateId))
    refuse('MIGRATION_NOT_POSSIBLE', `${name} ${version} does not create schedules that start at '${startStateId}'.`, {
      pointer: '/spec/states',
      hint: `Runs can start there without a caller only if a schedule:v1 task has start: ${startStateId}.`,
    });
  const problem = configProblem(definition, platform);
  if (problem) throw new ProblemError(problem);
}

/** Only one of the two can continue, and an operator must choose. */
function refuseInTheWay(scheduleId: string): never {
  return refuseExisting(
    scheduleId,
    `It has the target version. Delete it (journeyman schedule delete ${scheduleId}) and repeat the migration, or keep it and delete the one to migrate.`,
  );
}

/** An exhausted binding does not block the migration. */
async function refuseTaken(client: Client, target: string): Promise<void> {
  const taken = await bindingSchedule(client, target).find();
  if (taken && !isExhausted(taken.record)) refuseInTheWay(target);
}

/** Pauses the binding for the migration, unless it is already paused. Does not wait for an active run, which may take long. */
async function hold(client: Client, scheduleId: string, to: Pick<Migration, 'scheduleId' | 'version'>, by: string) {
  const key = randomUUID();
  return await bindingSchedule(client, scheduleId).change(`${key} holds`, (snapshot) => {
    const { record, paused, note } = snapshot;
    if (record.migration?.version === to.version && record.migration.before) return undefined;
    refuseMigrated(record);
    refuseActive(snapshot);
    const now = Date.now();
    const migration: Migration = { ...to, key, at: new Date(now).toISOString(), before: { paused, note } };
    return {
      record: { ...logged(record, by, `migrates to version ${to.version}`, now), migration },
      paused: true,
      note: `Migrating to version ${to.version}: ${to.scheduleId}`,
    };
  });
}

function isActive(snapshot: BindingSnapshot): boolean {
  return uncountedRuns(snapshot).length > 0 || snapshot.buffered > 0;
}

function refuseActive(snapshot: BindingSnapshot): void {
  if (!isActive(snapshot)) return;
  const run = uncountedRuns(snapshot)[0]?.id;
  refuse('RUN_ACTIVE', `${run === undefined ? 'A run' : `The run ${run}`} has not written its context back yet.`, {
    ...(run !== undefined && { journeyId: run }),
  });
}

/** Waits for a run that started while the binding was being paused. */
async function untilIdle(client: Client, scheduleId: string, key: string): Promise<BindingSnapshot> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const snapshot = await bindingSchedule(client, scheduleId).read();
    if (snapshot.record.migration?.key !== key)
      refuse('SCHEDULE_BUSY', 'The schedule was changed during the migration.', {
        hint: 'Check its state first.',
      });
    if (!isActive(snapshot)) return snapshot;
    if (Date.now() > end) refuseActive(snapshot);
    await sleep(pollMs);
  }
}

/** The new binding, and the time that became due while neither could start a run, which the new one recovers. */
interface Successor {
  readonly write: BindingWrite;
  readonly late?: number;
}

async function successor(
  client: Client,
  config: Pick<Config, 'platform'>,
  old: BindingSnapshot,
  to: LibraryEntry,
  by: string,
): Promise<Successor> {
  const { definition } = to;
  const { holder: _, migration, ...kept } = old.record;
  const { scheduleId, version, key, at, before } = migration!;
  const { paused, note } = before!;
  const cadence = bindingCadence(kept);
  if (!paused) await passImminent(nextAfter(cadence, Date.now()) ?? Number.POSITIVE_INFINITY);
  const now = Date.now();
  const late = paused ? undefined : missedSince(old, Date.parse(at), now);
  const times = compile(cadence, { now });
  const through = (late ?? times.spec.startAt!.getTime()) - 1;
  const migrated: BindingRecord = {
    ...kept,
    scheduleId,
    journeyVersion: version,
    creator: `migrated/${kept.scheduleId}/${key}`,
    interpreter: interpreterVersion,
    generation: 1,
    createdAt: new Date(now).toISOString(),
    updatedAt: new Date(now).toISOString(),
    changes: [key],
    accounted: [],
    overlapSkipped: 0,
    atOnce: false,
    occurrences: accountGap(cadence, kept.occurrences, through, gapFacts(old)),
    migratedFrom: { scheduleId: kept.scheduleId, key },
  };
  const record = logged(migrated, by, `migrated from version ${kept.journeyVersion}`, now);
  const source = await sourceOf(client, old);
  const { input, memo } = source;
  const action = journeyAction(record, {
    ...source,
    input: {
      ...input,
      definition,
      info: { ...input.info, config: declaredConfig(definition, config.platform) },
    },
    memo: migratedMemo(memo, to),
  });
  const write: BindingWrite = {
    record,
    memo: { context: old.context },
    times,
    action,
    resetPolicies: true,
    paused,
    note: paused ? note : bindingNote(record),
    remaining: Math.max(0, record.maxRuns - record.runsExecuted - (late === undefined ? 0 : 1)),
  };
  return { write, ...(late !== undefined && { late }) };
}

/** The first time since `at` for which no run was started; as after an outage, one late run covers all missed times. */
function missedSince({ record, recent }: BindingSnapshot, at: number, now: number): number | undefined {
  const cadence = bindingCadence(record);
  let due = nextAfter(cadence, Math.max(at, Date.parse(record.occurrences.through)));
  while (due !== undefined && recent.some(({ nominal }) => nominal === due)) due = nextAfter(cadence, due);
  return due !== undefined && due <= now ? due : undefined;
}

/** Creates the new binding, unless this very migration has; an exhausted one is replaced. */
async function createSuccessor(
  client: Client,
  { write, late }: Successor,
  { scheduleId, key }: Migration,
): Promise<void> {
  const managed = bindingSchedule(client, scheduleId);
  if (await managed.create(write, { ...(late !== undefined && { nominal: late }) })) return;
  let replaced = false;
  const { overlapSkipped } = await managed.change(key, ({ record, recent, overlapSkipped }) => {
    if (record.migratedFrom?.key === key) return undefined;
    if (!isExhausted(record)) return refuseInTheWay(scheduleId);
    replaced = true;
    const next = {
      ...write.record,
      generation: record.generation + 1,
      accounted: recent.map(({ run }) => run),
      overlapSkipped,
    };
    return { ...write, record: next };
  });
  // If it is interrupted here, the time is not recovered but counted as missed, as after a pause.
  if (replaced && late !== undefined) await managed.trigger('wait', { nominal: late, overlapSkipped });
}

/** Releases the binding, which continues as before. */
async function release(client: Client, scheduleId: string, key: string): Promise<void> {
  await bindingSchedule(client, scheduleId).change(`${key} releases`, (snapshot) => {
    const { migration, ...record } = snapshot.record;
    if (migration?.key !== key || !migration.before) return undefined;
    const before = isExhausted(record) ? { paused: true, note: bindingNote(record) } : migration.before;
    return { record, ...before };
  });
}

/** Ends the old binding, unless a run of its journey created it anew. It is kept for some time, like an exhausted one. */
async function retire(client: Client, scheduleId: string, creator: string, to: Omit<Migration, 'at'>): Promise<void> {
  try {
    await bindingSchedule(client, scheduleId).change(`${to.key} is done`, ({ record }) => {
      if (record.creator !== creator || isMigrated(record)) return undefined;
      const at = record.migration?.at ?? new Date().toISOString();
      const migrated: BindingRecord = { ...record, migration: { ...to, at } };
      return { record: migrated, paused: true, note: bindingNote(migrated), remaining: 0 };
    });
  } catch (error) {
    // It was deleted in the meantime.
    if (!isUnknown(error)) throw error;
  }
}
