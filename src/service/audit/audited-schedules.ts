import type { Json, JsonObject } from '../../base/json/value.js';
import { equal } from '../../base/json/value.js';
import type { Schedules, ScheduleView } from '../schedules-interface.js';
import { type Audit, type AuditEntry, mainOrchestrator } from './audit-interface.js';

/** Fields of a schedule that an operator can change. */
const changeable = ['startAt', 'interval', 'cron', 'timezone', 'maxRuns'] as const;

/** Wraps schedules so that changes are recorded in the audit log. `requestId` identifies the request or command. */
export function auditedSchedules(schedules: Schedules, audit: Audit, by: string, requestId: string): Schedules {
  type Change = Pick<AuditEntry, 'executionId' | 'before' | 'after' | 'detail'>;
  const record = async (
    what: 'paused' | 'resumed' | 'updated' | 'repaired' | 'run_now' | 'deleted' | 'migrated',
    scheduleId: string,
    change: Change,
  ): Promise<void> => {
    const who = { orchestratorId: mainOrchestrator, scheduleId, by: { caller: by }, requestId };
    await audit.record({ event: `schedule.${what}`, ...who, ...change });
  };
  return {
    list: (query) => schedules.list(query),
    show: (id) => schedules.show(id),
    runs: (id, page) => schedules.runs(id, page),
    async pause(id, reason) {
      const view = await schedules.pause(id, reason, by);
      if (view.changed) await record('paused', id, states('active', view, { reason }));
      return view;
    },
    async resume(id, reason) {
      const view = await schedules.resume(id, reason, by);
      if (view.changed) await record('resumed', id, states('paused', view, { reason }));
      return view;
    },
    async repair(id) {
      const before = await seen(schedules, id);
      const view = await schedules.repair(id, by);
      if (view.changed)
        await record('repaired', id, { before: { drift: before?.drift ?? ['broken'] }, after: { drift: view.drift } });
      return view;
    },
    async runNow(id, request) {
      const started = await schedules.runNow(id, request);
      await record('run_now', id, started);
      return started;
    },
    async update(id, patch) {
      const before = await seen(schedules, id);
      const view = await schedules.update(id, patch, by);
      const different = changeable.filter((key) => !equal((before?.[key] ?? null) as Json, view[key] as Json));
      await record('updated', id, { before: picked(before, different), after: picked(view, different) });
      return view;
    },
    async migrate(id, to) {
      const before = await seen(schedules, id);
      const view = await schedules.migrate(id, to, by);
      const { scheduleId, journeyVersion } = view;
      if (view.changed)
        await record('migrated', id, {
          before: { journeyVersion: before?.journeyVersion ?? null },
          after: { scheduleId, journeyVersion },
        });
      return view;
    },
    async delete(id) {
      const before = await seen(schedules, id);
      await schedules.delete(id);
      const { journeyName = null, state = 'broken' } = before ?? {};
      await record('deleted', id, { before: { journeyName, state } });
    },
  };
}

/** A schedule before a change; undefined if it is broken. */
async function seen(schedules: Schedules, id: string): Promise<ScheduleView | undefined> {
  return await schedules.show(id).catch(() => undefined);
}

function states(before: string, { state }: ScheduleView, detail: JsonObject) {
  return { before: { state: before }, after: { state }, detail };
}

function picked(view: ScheduleView | undefined, keys: readonly (typeof changeable)[number][]): JsonObject {
  return Object.fromEntries(keys.map((key) => [key, view?.[key] ?? null]));
}
