import { type Problem, refuse } from '../../base/problems/problem.js';
import type { ListSchedules, ScheduleState, Schedules } from '../schedules-interface.js';
import { eachWithProblem } from './apply-to-each-id.js';

/** Filter of a bulk operation. */
export type BulkFilter = Pick<ListSchedules, 'journeyName' | 'subjectId' | 'state'>;

/** Result for one schedule. */
export interface BulkItem {
  scheduleId: string;
  changed: boolean;
  state?: ScheduleState | 'deleted';
  problem?: Problem;
}

const pageSize = 200;

/**
 * Applies `work` to every schedule of a journey or a subject. A failure is reported in its item and does not stop the others. All ids are read
 * first, so that changes during the operation do not hide any.
 */
export async function inBulk(
  schedules: Schedules,
  filter: BulkFilter,
  work: (scheduleId: string) => Promise<{ changed: boolean; state: ScheduleState | 'deleted' }>,
): Promise<{ items: BulkItem[] }> {
  if (filter.journeyName === undefined && filter.subjectId === undefined)
    refuse('QUERY_INVALID', 'journeyName, subjectId or both are required.', {
      parameter: 'journeyName',
    });
  const ids = await allIds(schedules, filter);
  const results = await eachWithProblem(ids, work);
  return {
    items: results.map(({ id: scheduleId, ...it }) =>
      'problem' in it ? { scheduleId, changed: false, problem: it.problem } : { scheduleId, ...it.done },
    ),
  };
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
