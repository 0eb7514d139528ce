import { type Problem, ProblemError, refuse } from '../problems/problem.js';
import type { ListSchedules, ScheduleState, Schedules } from './schedules.js';

/** Which schedules a bulk change is for. */
export type BulkFilter = Pick<ListSchedules, 'journeyName' | 'subjectId' | 'state'>;

/** What became of one of them. */
export interface BulkItem {
  scheduleId: string;
  changed: boolean;
  state?: ScheduleState | 'deleted';
  problem?: Problem;
}

const pageSize = 200;
const atOnce = 8;

/**
 * Does something with every schedule of a journey or a subject. Each is on its own: a failure is reported in its item and does not hold up
 * the others. All are found before the first is touched, so that none is missed because the list moves.
 */
export async function inBulk(
  schedules: Schedules,
  filter: BulkFilter,
  work: (scheduleId: string) => Promise<{ changed: boolean; state: ScheduleState | 'deleted' }>,
): Promise<{ items: BulkItem[] }> {
  if (filter.journeyName === undefined && filter.subjectId === undefined)
    refuse('QUERY_INVALID', 'Say whose schedules are meant: journeyName, subjectId or both.', {
      parameter: 'journeyName',
    });
  const ids = await allIds(schedules, filter);
  const items: BulkItem[] = ids.map((scheduleId) => ({ scheduleId, changed: false }));
  let next = 0;
  const worker = async () => {
    for (let item = items[next++]; item; item = items[next++]) {
      try {
        Object.assign(item, await work(item.scheduleId));
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        item.problem = error.problem;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { items };
}

async function allIds(schedules: Schedules, filter: BulkFilter): Promise<string[]> {
  const ids: string[] = [];
  let pageToken: string | undefined;
  do {
    const page = await schedules.list({ ...filter, pageSize, ...(pageToken !== undefined && { pageToken }) });
    ids.push(...page.items.map(({ scheduleId }) => scheduleId));
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return ids;
}
