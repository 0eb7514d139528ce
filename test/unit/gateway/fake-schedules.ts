import type { JsonObject } from '../../../src/base/json/value.js';
import { refuse } from '../../../src/base/problems/problem.js';
import type { LibraryEntry } from '../../../src/service/library-interface.js';
import type { ListSchedules, Page, Schedules, ScheduleView } from '../../../src/service/schedules-interface.js';

/** An active schedule of a payment, for tests to modify. */
export function scheduleView(scheduleId: string, rest: Partial<ScheduleView> = {}): ScheduleView {
  return {
    scheduleId,
    kind: 'binding',
    journeyName: 'payment',
    journeyVersion: '1.0.0',
    startStateId: 'charge',
    subjectId: 'u-1',
    owner: null,
    state: 'active',
    nextRunAt: '2030-02-28T09:00:00.000Z',
    lastRunAt: null,
    note: '',
    startAt: '2030-01-31T09:00:00.000Z',
    interval: 'P1M',
    anchor: null,
    cron: null,
    timezone: null,
    cadence: 'every month',
    maxRuns: 12,
    runsExecuted: 0,
    generation: 1,
    createdAt: '2030-01-01T00:00:00.000Z',
    updatedAt: '2030-01-01T00:00:00.000Z',
    nextRuns: ['2030-02-28T09:00:00.000Z'],
    activeRuns: [],
    recentRuns: [
      {
        journeyId: `${scheduleId}-2030-01-31T09:00:00Z`,
        phase: 'SUCCEEDED',
        terminationKind: 'Success',
        scheduledAt: '2030-01-31T09:00:00.000Z',
        startedAt: '2030-01-31T09:00:00.100Z',
        endedAt: '2030-01-31T09:00:00.300Z',
      },
    ],
    occurrences: { through: '2030-01-31T09:00:00.300Z', ran: 1, missed: 0, overlapped: 0 },
    lastContext: { token: 'a' },
    lastResult: 'SUCCEEDED',
    migratedTo: null,
    migratedFrom: null,
    drift: [],
    log: [],
    ...rest,
  };
}

/** Schedules in memory: records calls and returns the values that a test has set. */
export class FakeSchedules implements Schedules {
  readonly known = new Map<string, ScheduleView>();
  readonly asked: unknown[][] = [];
  more: { nextPageToken?: string } = { nextPageToken: 'more' };

  async list(query: ListSchedules) {
    this.asked.push(['list', query]);
    return { items: [...this.known.values()], ...this.more };
  }
  async show(id: string): Promise<ScheduleView> {
    return this.known.get(id) ?? refuse('SCHEDULE_UNKNOWN');
  }
  async runs(id: string, page: Page) {
    this.asked.push(['runs', id, page]);
    return { items: (await this.show(id)).recentRuns };
  }
  async pause(id: string, reason: string) {
    this.asked.push(['pause', id, reason]);
    return { ...(await this.show(id)), changed: true };
  }
  async resume(id: string, reason: string) {
    this.asked.push(['resume', id, reason]);
    return { ...(await this.show(id)), changed: false };
  }
  async repair(id: string) {
    this.asked.push(['repair', id]);
    return { ...(await this.show(id)), changed: true };
  }
  async runNow(id: string, requestId: string) {
    this.asked.push(['runNow', id, requestId]);
    await this.show(id);
    return { executionId: `${id}-now` };
  }
  async update(id: string, patch: JsonObject): Promise<ScheduleView> {
    this.asked.push(['update', id, patch]);
    return await this.show(id);
  }
  async migrate(id: string, { definition: { version } }: LibraryEntry) {
    this.asked.push(['migrate', id, version]);
    const before = await this.show(id);
    return { ...before, scheduleId: `${id}-migrated`, journeyVersion: version, migratedFrom: id, changed: true };
  }
  async delete(id: string): Promise<void> {
    await this.show(id);
    this.known.delete(id);
  }
}
