import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { JsonObject } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import type { Config } from '../../../config/config-types.js';
import {
  accountedFor,
  type BindingPatch,
  type BindingRecord,
  bindingCadence,
  hasTimesOf,
  isExhausted,
  isMigrated,
  logged,
  readPatch,
  withTimes,
} from '../../../schedules/bindings/binding-record.js';
import { compile } from '../../../schedules/cadence/cadence-to-temporal-spec.js';
import { describeCadence } from '../../../schedules/cadence/describe-cadence.js';
import { countInWords } from '../../../schedules/cadence/duration-wording.js';
import { fault } from '../../../schedules/cadence/read-cadence-fields.js';
import type { LibraryEntry } from '../../../service/library-interface.js';
import type {
  ListSchedules,
  Page,
  ScheduleState,
  Schedules,
  ScheduleView,
} from '../../../service/schedules-interface.js';
import { realTimes } from '../check-and-extend-start-times.js';
import { isBroken } from '../managed-schedule.js';
import { requestRunNow } from '../request-run-now.js';
import { settleBinding } from './admit-and-finish-runs.js';
import { closedAccount, occurrencesNow } from './binding-occurrence-counts.js';
import { listScheduledRuns } from './binding-runs.js';
import {
  type BindingSnapshot,
  type BindingWrite,
  bindingNote,
  bindingSchedule,
  refuseExhausted,
  refuseMigrated,
  runsLeft,
  uncountedRuns,
} from './binding-schedule.js';
import { listBindings } from './list-bindings.js';
import { migrateBinding } from './migrate-binding-to-journey-version.js';
import { repairBinding } from './repair-binding.js';

const recentRuns = 10;

/** The author of a change if none is given. */
const operator = 'operator';

/** Bindings on Temporal, for the gateway and the CLI. */
export class TemporalSchedules implements Schedules {
  constructor(
    private readonly client: Client,
    private readonly config: Pick<Config, 'temporal' | 'limits' | 'platform'>,
  ) {}

  async list(query: ListSchedules) {
    return await listBindings(this.client, query);
  }

  async show(id: string): Promise<ScheduleView> {
    return await this.view(await settleBinding(this.client, id));
  }

  async runs(id: string, page: Page) {
    await bindingSchedule(this.client, id).read();
    return await listScheduledRuns(this.client, id, page);
  }

  async pause(id: string, reason: string, by = operator) {
    return await this.toggle(id, true, reason, by);
  }

  async resume(id: string, reason: string, by = operator) {
    return await this.toggle(id, false, reason, by);
  }

  private async toggle(id: string, paused: boolean, reason: string, by: string) {
    let changed = false;
    const what = `${paused ? 'paused' : 'resumed'}: ${reason}`;
    const snapshot = await bindingSchedule(this.client, id).change(randomUUID(), (found) => {
      refuseMigrated(found.record);
      refuseExhausted(found.record);
      if (found.paused === paused) return undefined;
      changed = true;
      const record = logged(found.record, by, what, Date.now());
      return { record, paused, note: paused ? reason : bindingNote(record) };
    });
    return { ...(await this.view(snapshot)), changed };
  }

  async repair(id: string, by: string) {
    const { snapshot, changed } = await repairBinding(this.client, id, by);
    return { ...(await this.view(snapshot)), changed };
  }

  async runNow(id: string, requestId: string): Promise<{ executionId: string }> {
    await bindingSchedule(this.client, id).read();
    return {
      executionId: await requestRunNow(this.client, this.config.temporal.taskQueue, requestId, [id, 'binding']),
    };
  }

  async update(id: string, patch: JsonObject, by = operator): Promise<ScheduleView> {
    const read = readPatch(patch, this.config.limits.scheduleIntervalSec);
    return await this.view(await updateBinding(this.client, id, read, by));
  }

  async migrate(id: string, to: LibraryEntry, by = operator) {
    const { snapshot, changed } = await migrateBinding(this.client, this.config, id, to, by);
    return { ...(await this.view(snapshot)), changed };
  }

  async delete(id: string): Promise<void> {
    await bindingSchedule(this.client, id)
      .read()
      .catch((error) => {
        if (!isBroken(error)) throw error;
      });
    await bindingSchedule(this.client, id).delete();
  }

  private async view(snapshot: BindingSnapshot): Promise<ScheduleView> {
    const { record, context, paused, note, recent, running } = snapshot;
    const { items } = await listScheduledRuns(this.client, record.scheduleId, { pageSize: recentRuns });
    const over = isMigrated(record) ? 'migrated' : isExhausted(record) ? 'exhausted' : undefined;
    const state: ScheduleState = over ?? (paused ? 'paused' : 'active');
    const cadence = bindingCadence(record);
    const planned = state === 'active' ? realTimes(cadence, snapshot.next) : [];
    const nextRuns = planned.slice(0, runsLeft(snapshot)).map(iso);
    return {
      scheduleId: record.scheduleId,
      kind: 'binding',
      journeyName: record.journeyName,
      journeyVersion: record.journeyVersion,
      startStateId: record.startStateId,
      subjectId: record.subjectId,
      owner: record.owner ?? null,
      startAt: record.startAt,
      interval: record.interval ?? null,
      anchor: record.anchor ?? null,
      cron: record.cron ?? null,
      timezone: record.timezone ?? null,
      maxRuns: record.maxRuns,
      generation: record.generation,
      createdAt: record.createdAt,
      updatedAt: record.updatedAt,
      cadence: describeCadence(cadence),
      runsExecuted: record.runsExecuted,
      state,
      note,
      nextRunAt: nextRuns[0] ?? null,
      lastRunAt: recent.length > 0 ? iso(recent.at(-1)!.startedAt) : null,
      nextRuns,
      activeRuns: running.map(({ id }) => id),
      recentRuns: items,
      occurrences: occurrencesNow(snapshot, Date.now()),
      lastContext: context,
      lastResult: record.lastResult ?? null,
      migratedTo: record.migration
        ? { scheduleId: record.migration.scheduleId, version: record.migration.version }
        : null,
      migratedFrom: record.migratedFrom?.scheduleId ?? null,
      drift: bindingSchedule(this.client, record.scheduleId).drift(snapshot),
      log: record.log ?? [],
    };
  }
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}

/** Changes cadence or maxRuns. Does not start a run; an exhausted binding whose maxRuns is raised continues. */
async function updateBinding(
  client: Client,
  scheduleId: string,
  patch: BindingPatch,
  by: string,
): Promise<BindingSnapshot> {
  const what = Object.entries(patch).map(([name, value]) => `${name} ${value}`);
  const managed = bindingSchedule(client, scheduleId);
  return await managed.change(randomUUID(), (snapshot) => {
    const now = Date.now();
    const write = patched(snapshot, patch, managed.drift(snapshot, now).length > 0, now);
    return { ...write, record: logged(write.record, by, `set ${what.join(', ')}`, now) };
  });
}

/** Rejects maxRuns below the number of runs so far. */
function refuseBelow(runs: number, { maxRuns }: BindingPatch): void {
  if (maxRuns === undefined || maxRuns >= runs) return;
  const message = `"maxRuns" is ${maxRuns}, but there have been ${countInWords(runs, 'run')}`;
  const hint = `Use at least ${runs}; with exactly ${runs}, the schedule ends.`;
  const finding = fault('/maxRuns', 'SCHEDULE_INVALID', message, hint);
  refuse('SCHEDULE_INVALID', `${message}.`, { pointer: finding.pointer, errors: [finding] });
}

function patched(snapshot: BindingSnapshot, patch: BindingPatch, hasDrift: boolean, now: number): BindingWrite {
  const { running, recent, paused, note } = snapshot;
  refuseMigrated(snapshot.record);
  const spent = isExhausted(snapshot.record);
  // A run started by hand while the binding was exhausted was skipped and never counts.
  const idle = spent ? recent.map(({ run }) => run) : [];
  const record = accountedFor(snapshot.record, idle);
  refuseBelow(record.runsExecuted + uncountedRuns({ record, running }).length, patch);
  const { maxRuns = record.maxRuns, ...times } = patch;
  const { stopped, ...retimedRecord } = withTimes(record, patch);
  // A new bound is a decision to continue.
  const isStill = stopped !== undefined && patch.maxRuns === undefined;
  let next: BindingRecord = { ...retimedRecord, maxRuns, ...(isStill && { stopped }) };
  // Somebody else may have given it other times: an update of the times means these.
  const drifted = Object.keys(times).length > 0 && hasDrift;
  const retimed = spent || drifted || !hasTimesOf(next, record);
  const compiled = compile(bindingCadence(next), { now });
  if (retimed) next = { ...next, ...closedAccount(snapshot, now, compiled.spec.startAt!) };
  const exhausted = isExhausted(next);
  const stays = paused && !spent && !exhausted;
  return {
    record: next,
    ...(retimed && { times: compiled, resetPolicies: true }),
    paused: stays || exhausted,
    note: stays ? note : bindingNote(next),
  };
}
