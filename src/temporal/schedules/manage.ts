import { randomUUID } from 'node:crypto';
import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import type { Config } from '../../config/config.js';
import type { JsonObject } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { readPatch } from '../../scheduling/bindings/patch.js';
import { cadenceOf, isExhausted, isMoved, logged } from '../../scheduling/bindings/record.js';
import { describe } from '../../scheduling/cadence/describe.js';
import type { LibraryEntry } from '../../service/library.js';
import type { ListSchedules, Page, ScheduleState, Schedules, ScheduleView } from '../../service/schedules.js';
import { asProblem } from '../failures.js';
import { askRunNow } from './ask-run-now.js';
import { changeBinding } from './change.js';
import { driftOf, realTimes } from './drift.js';
import { settleBinding } from './finish.js';
import { listBindings, listScheduledRuns } from './list.js';
import { moveBinding } from './move.js';
import { bindingNote } from './note.js';
import { repairBinding } from './repair.js';
import { describeBinding, isBroken, occurrencesNow, refuseMoved, runsLeft, type Snapshot } from './snapshot.js';
import { updateBinding } from './update.js';

const recentRuns = 10;

/** Who made a change when nobody says. */
const operator = 'operator';

/** Schedules on Temporal, for the gateway and the CLI. */
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
    await describeBinding(this.client, id);
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
    const snapshot = await changeBinding(this.client, id, randomUUID(), (found) => {
      refuseMoved(found.record);
      if (isExhausted(found.record)) refuse('SCHEDULE_EXHAUSTED', `${id} has had all its runs.`);
      if (found.paused === paused) return undefined;
      changed = true;
      const record = logged(found.record, by, what, Date.now());
      const note = paused ? reason : bindingNote(record);
      return { record, context: found.context, paused, note, remaining: runsLeft({ ...found, record }) };
    });
    return { ...(await this.view(snapshot)), changed };
  }

  async repair(id: string, by: string) {
    const { snapshot, changed } = await repairBinding(this.client, id, by);
    return { ...(await this.view(snapshot)), changed };
  }

  async runNow(id: string, requestId: string): Promise<{ executionId: string }> {
    await describeBinding(this.client, id);
    return { executionId: await askRunNow(this.client, this.config.temporal.taskQueue, requestId, [id]) };
  }

  async update(id: string, patch: JsonObject, by = operator): Promise<ScheduleView> {
    const read = readPatch(patch, this.config.limits.scheduleIntervalSec);
    return await this.view(await updateBinding(this.client, id, read, by));
  }

  async move(id: string, to: LibraryEntry, by = operator) {
    const { snapshot, changed } = await moveBinding(this.client, this.config, id, to, by);
    return { ...(await this.view(snapshot)), changed };
  }

  async delete(id: string): Promise<void> {
    await describeBinding(this.client, id).catch((error) => {
      if (!isBroken(error)) throw error;
    });
    const deleted = this.client.schedule.getHandle(id).delete();
    await deleted.catch((error) => {
      // It was deleted in the meantime.
      if (!(error instanceof ScheduleNotFoundError)) throw asProblem(error);
    });
  }

  private async view(snapshot: Snapshot): Promise<ScheduleView> {
    const { record, context, paused, note, recent, running } = snapshot;
    const { items } = await listScheduledRuns(this.client, record.scheduleId, { pageSize: recentRuns });
    const over = isMoved(record) ? 'moved' : isExhausted(record) ? 'exhausted' : undefined;
    const state: ScheduleState = over ?? (paused ? 'paused' : 'active');
    const cadence = cadenceOf(record);
    const planned = state === 'active' ? realTimes(cadence, snapshot.next) : [];
    const nextRuns = planned.slice(0, runsLeft(snapshot)).map(iso);
    return {
      scheduleId: record.scheduleId,
      kind: 'binding',
      journeyName: record.journeyName,
      journeyVersion: record.journeyVersion,
      startStateId: record.startStateId,
      subjectId: record.subjectId,
      startAt: record.startAt,
      interval: record.interval ?? null,
      cron: record.cron ?? null,
      timezone: record.timezone ?? null,
      maxRuns: record.maxRuns,
      generation: record.generation,
      createdAt: record.createdAt,
      updatedAt: record.updatedAt,
      cadence: describe(cadence),
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
      movedTo: record.move ? { scheduleId: record.move.scheduleId, version: record.move.version } : null,
      movedFrom: record.movedFrom?.scheduleId ?? null,
      drift: driftOf(snapshot, Date.now()),
      log: record.log ?? [],
    };
  }
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
