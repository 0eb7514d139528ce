import type { Json, JsonObject } from '../json/value.js';
import { equal } from '../json/value.js';
import { type Audit, type AuditEntry, mainOrchestrator } from './audit.js';
import type { Schedules, ScheduleView } from './schedules.js';

/** What an operator can change about a schedule. */
const changeable = ['startAt', 'interval', 'cron', 'timezone', 'maxRuns'] as const;

/** Schedules in the hands of somebody: whatever they change is written down. `requestId` is the request or command that did it. */
export function auditedSchedules(schedules: Schedules, audit: Audit, by: string, requestId: string): Schedules {
  type Told = Pick<AuditEntry, 'executionId' | 'before' | 'after' | 'detail'>;
  const tell = async (
    what: 'paused' | 'resumed' | 'updated' | 'repaired' | 'run_now' | 'deleted' | 'moved',
    scheduleId: string,
    told: Told,
  ): Promise<void> => {
    const who = { orchestratorId: mainOrchestrator, scheduleId, by: { caller: by }, requestId };
    await audit.record({ event: `schedule.${what}`, ...who, ...told });
  };
  return {
    list: (query) => schedules.list(query),
    show: (id) => schedules.show(id),
    runs: (id, page) => schedules.runs(id, page),
    async pause(id, reason) {
      const view = await schedules.pause(id, reason, by);
      if (view.changed) await tell('paused', id, states('active', view, { reason }));
      return view;
    },
    async resume(id, reason) {
      const view = await schedules.resume(id, reason, by);
      if (view.changed) await tell('resumed', id, states('paused', view, { reason }));
      return view;
    },
    async repair(id) {
      const before = await seen(schedules, id);
      const view = await schedules.repair(id, by);
      if (view.changed)
        await tell('repaired', id, { before: { drift: before?.drift ?? ['broken'] }, after: { drift: view.drift } });
      return view;
    },
    async runNow(id, request) {
      const started = await schedules.runNow(id, request);
      await tell('run_now', id, started);
      return started;
    },
    async update(id, patch) {
      const before = await seen(schedules, id);
      const view = await schedules.update(id, patch, by);
      const different = changeable.filter((key) => !equal((before?.[key] ?? null) as Json, view[key] as Json));
      await tell('updated', id, { before: picked(before, different), after: picked(view, different) });
      return view;
    },
    async move(id, to) {
      const before = await seen(schedules, id);
      const view = await schedules.move(id, to, by);
      const { scheduleId, journeyVersion } = view;
      if (view.changed)
        await tell('moved', id, {
          before: { journeyVersion: before?.journeyVersion ?? null },
          after: { scheduleId, journeyVersion },
        });
      return view;
    },
    async delete(id) {
      const before = await seen(schedules, id);
      await schedules.delete(id);
      const { journeyName = null, state = 'broken' } = before ?? {};
      await tell('deleted', id, { before: { journeyName, state } });
    },
  };
}

/** A schedule before it is changed; one that is broken shows nothing. */
async function seen(schedules: Schedules, id: string): Promise<ScheduleView | undefined> {
  return await schedules.show(id).catch(() => undefined);
}

function states(before: string, { state }: ScheduleView, detail: JsonObject) {
  return { before: { state: before }, after: { state }, detail };
}

function picked(view: ScheduleView | undefined, keys: readonly (typeof changeable)[number][]): JsonObject {
  return Object.fromEntries(keys.map((key) => [key, view?.[key] ?? null]));
}
