import { type Client, ScheduleOverlapPolicy } from '@temporalio/client';
import type { JsonObject } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import {
  accountedFor,
  type BeforeRun,
  type BindingRecord,
  bindingCadence,
  isExhausted,
  isMigrated,
  type RunName,
} from '../../../schedules/bindings/binding-record.js';
import { describeCadence } from '../../../schedules/cadence/describe-cadence.js';
import { ManagedSchedule } from '../managed-schedule.js';
import type { ScheduleKind, ScheduleSnapshot } from '../schedule-kind-interface.js';
import type { ScheduleWrite } from '../write-schedule.js';
import { runActivity } from './binding-runs.js';
import { bindingTags } from './binding-tags.js';

/** A binding and its Schedule. Terminated runs are counted in the record, even if the Schedule does not contain that yet. */
export interface BindingSnapshot extends ScheduleSnapshot<BindingRecord> {
  /** Whether the Schedule contains exactly this record. */
  readonly isWritten: boolean;
  /** The context that the next run starts from. */
  readonly context: JsonObject;
}

/** New contents of a binding's Schedule. */
export type BindingWrite = ScheduleWrite<BindingRecord>;

/** Bindings: runs never overlap, are bounded by `maxRuns`, and carry a context. */
const bindingKind: ScheduleKind<BindingRecord, BindingSnapshot> = {
  name: 'binding',
  snapshot: async (found, record, client) => {
    const running = await withHolder(client, record, found.running);
    const read = { ...found, running, record, context: found.memo.context as JsonObject };
    const counted = await countTerminated(client, read);
    return { ...read, record: counted, isWritten: counted === record };
  },
  refuseUnknown: (id) => refuse('SCHEDULE_UNKNOWN', `The schedule ${JSON.stringify(id.slice(0, 300))} does not exist.`),
  cadence: bindingCadence,
  describeCadence: (record) => describeCadence(bindingCadence(record)),
  overlap: () => ScheduleOverlapPolicy.SKIP,
  isOver: isExhausted,
  runsLeft,
  attributes: (record) => ({
    ScheduleKind: 'binding',
    JourneyName: record.journeyName,
    JourneyVersion: record.journeyVersion,
    JourneyState: record.startStateId,
    ...(record.subjectId !== null && { SubjectId: record.subjectId }),
    ...(record.owner !== undefined && { StartedBy: record.owner }),
    ...(isExhausted(record) && { JourneyOutcome: isMigrated(record) ? 'MIGRATED' : 'EXHAUSTED' }),
    JourneyTags: bindingTags(record),
  }),
};

/** The Schedule of a binding. */
export function bindingSchedule(client: Client, scheduleId: string): ManagedSchedule<BindingRecord, BindingSnapshot> {
  return new ManagedSchedule(client, scheduleId, bindingKind);
}

/** The active runs that the Schedule follows, and the admitted one that it may not follow. */
async function withHolder(client: Client, record: BindingRecord, running: readonly RunName[]) {
  const { holder, accounted } = record;
  if (!holder || [...accounted, ...running.map(({ run }) => run)].includes(holder.run)) return running;
  return (await runActivity(client, holder)) === 'active' ? [...running, holder] : running;
}

/**
 * Counts runs that were terminated: a run counts itself just before it closes, and these could not. Each run is identified by its id, so none
 * counts twice, and one that was started by hand and was skipped does not count at all.
 */
async function countTerminated(
  client: Client,
  { record, recent, running }: ScheduleSnapshot<BindingRecord>,
): Promise<BindingRecord> {
  if (isExhausted(record)) return record;
  const known = [...record.accounted, ...running.map(({ run }) => run)];
  const terminated: string[] = [];
  for (const started of recent)
    if (!known.includes(started.run) && (await runActivity(client, started)) === 'terminated')
      terminated.push(started.run);
  if (terminated.length === 0) return record;
  const runsExecuted = Math.min(record.maxRuns, record.runsExecuted + terminated.length);
  return accountedFor({ ...record, runsExecuted, lastResult: 'TERMINATED' }, terminated);
}

/** Active runs that have not been counted yet: a run counts itself just before it closes. */
export function uncountedRuns({ running, record }: Pick<ScheduleSnapshot<BindingRecord>, 'running' | 'record'>) {
  return running.filter(({ run }) => !record.accounted.includes(run));
}

/** The number of runs that may still start. */
export function runsLeft(snapshot: Pick<ScheduleSnapshot<BindingRecord>, 'running' | 'record'>): number {
  const { maxRuns, runsExecuted } = snapshot.record;
  if (isExhausted(snapshot.record)) return 0;
  return Math.max(0, maxRuns - runsExecuted - uncountedRuns(snapshot).length);
}

/** The note of a binding's Schedule, for Temporal's own tools. */
export function bindingNote(record: BindingRecord): string {
  const { runsExecuted, maxRuns, migration } = record;
  if (migration && isMigrated(record)) return `Migrated to version ${migration.version}: ${migration.scheduleId}`;
  const runs = `${runsExecuted} of ${maxRuns} ${maxRuns === 1 ? 'run' : 'runs'}`;
  if (record.stopped !== undefined) return `Stopped by ${record.stopped}: ${runs} done`;
  return isExhausted(record) ? `Exhausted: ${runs} done` : `${runs} done; ${describeCadence(bindingCadence(record))}`;
}

/** Rejects changes to a binding that is being, or has been, replaced by one of another version. */
export function refuseMigrated({ scheduleId, migration }: BindingRecord): void {
  if (!migration) return;
  const { version, scheduleId: other } = migration;
  const isPending = migration.before !== undefined;
  refuse(
    'SCHEDULE_MIGRATED',
    `${scheduleId} ${isPending ? 'is being' : 'was'} migrated to version ${version}, as ${other}.`,
    {
      scheduleId: other,
      hint: isPending ? `Repeat the migration to ${version} unless it is still in progress.` : `Use ${other}.`,
    },
  );
}

/** Rejects operations on an exhausted binding. */
export function refuseExhausted(record: BindingRecord): void {
  const why = record.stopped === undefined ? 'has had all its runs' : 'was stopped';
  if (isExhausted(record)) refuse('SCHEDULE_EXHAUSTED', `${record.scheduleId} ${why}.`);
}

/** Prepares a run outside the cadence, for `runNow`; throws if none may start. */
export async function prepareRun(client: Client, scheduleId: string): Promise<BeforeRun> {
  const managed = bindingSchedule(client, scheduleId);
  const snapshot = await managed.read();
  refuseMigrated(snapshot.record);
  refuseExhausted(snapshot.record);
  if (snapshot.running.length > 0) managed.refuseActive(snapshot);
  return managed.beforeRun(snapshot, snapshot.record.occurrences.through);
}
