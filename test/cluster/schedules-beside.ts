import type { ScheduleSummary, ScheduleView } from '../../src/service/schedules-interface.js';
import type { Beside } from './beside.js';
import type { Caller } from './caller.js';

/** Schedules created by journeys: one for each subject, with `times` runs, whose context counts the runs. */
export async function startSchedules(caller: Caller, subjects: number, times: number): Promise<Beside> {
  for (let n = 0; n < subjects; n++) {
    const { body } = await caller.ask('POST', '/journeys/subscription/start', { n: `s${n}` }, `subscription-${n}`);
    if (body.phase !== 'SUCCEEDED') throw new Error(`The schedule is not created: ${JSON.stringify(body)}`);
  }
  return {
    settle: async () => {
      const faults: string[] = [];
      const expected: string[] = [];
      for (let n = 0; n < subjects; n++) {
        for (let time = 1; time <= times; time++) expected.push(`subscription/s${n}/${time}`);
        const list = `/schedules?journeyName=subscription&subjectId=s${n}`;
        const isOver = ({ state }: ScheduleSummary) => state !== 'active';
        const found = await caller.until(
          list,
          ({ body }) => items(body).every(isOver) && items(body).length > 0,
          2_000,
        );
        if (items(found.body).length !== 1) faults.push(`subject s${n} has ${items(found.body).length} schedules`);
        const shown = await caller.ask('GET', `/schedules/${items(found.body)[0]!.scheduleId}`);
        const { state, runsExecuted, lastContext } = shown.body as unknown as ScheduleView;
        if (state !== 'exhausted' || runsExecuted !== times || lastContext.count !== times)
          faults.push(`schedule of s${n}: ${state}, ${runsExecuted} runs, context ${JSON.stringify(lastContext)}`);
      }
      return { expected, faults, line: `${subjects} schedules of ${times} runs, all exhausted, contexts passed on` };
    },
  };
}

const items = (body: object): ScheduleSummary[] => (body as { items: ScheduleSummary[] }).items;
