import type { JsonObject } from '../../src/base/json/value.js';
import type { JobRun, JobView } from '../../src/service/jobs-interface.js';
import { accountTimes } from '../support/occurrence-times.js';
import type { Beside } from './beside.js';
import type { Caller } from './caller.js';

const schedule = { type: 'interval', everySeconds: 10 };

/** Jobs every ten seconds; the first may overlap. Every due time must be accounted for once, and each run of the target must have made its call. */
export async function startJobs(caller: Caller, count: number): Promise<Beside> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const targetAction: JsonObject = { type: 'workflow_start', workflowId: 'tally', inputs: { n } };
    const job: JsonObject = {
      orchestratorId: 'main',
      name: `tally ${n}`,
      schedule,
      targetAction,
      allowOverlap: n === 0,
    };
    const { status, body } = await caller.ask('POST', '/jobs', job);
    if (status !== 201) throw new Error(`The job is not created: ${status} ${JSON.stringify(body)}`);
    ids.push(String(body.jobId));
  }
  return {
    settle: async () => {
      const faults: string[] = [];
      const expected: string[] = [];
      const counts: Record<string, number> = {};
      for (const id of ids) {
        await caller.ask('POST', `/jobs/${id}/pause?orchestratorId=main`, {});
        await caller.until(
          `/jobs/${id}?orchestratorId=main`,
          ({ body }) => !(body as unknown as JobView).activeRuns.length,
        );
        const runs = await allRuns(caller, id);
        const stored = (await caller.ask('GET', `/jobs/${id}?orchestratorId=main`)).body as unknown as JobView;
        const spans = runs.flatMap(({ result }) => result?.occurrences ?? []);
        const { times, faults: unaccounted } = accountTimes(stored.schedule as JsonObject, spans);
        faults.push(...unaccounted.map((it) => `job ${id}: ${it}`));
        for (const [, reason] of times) counts[reason] = (counts[reason] ?? 0) + 1;
        for (const { executionId, journeyId, result } of runs) {
          if (result?.outcome === 'succeeded') expected.push(`tally/${journeyId}/call`);
          else if (result?.outcome !== 'coalesced') faults.push(`job run ${executionId}: ${JSON.stringify(result)}`);
        }
      }
      const fates = Object.entries(counts).map(([reason, number]) => `${number} ${reason}`);
      return { expected, faults, line: `${count} jobs, due times ${fates.join(', ')}, each accounted for once` };
    },
  };
}

async function allRuns(caller: Caller, id: string): Promise<JobRun[]> {
  const runs: JobRun[] = [];
  let token = '';
  do {
    const path = `/jobs/${id}/runs?orchestratorId=main&pageSize=100${token && `&pageToken=${encodeURIComponent(token)}`}`;
    const { body } = await caller.ask('GET', path);
    const page = body as unknown as { items: JobRun[]; nextPageToken?: string };
    runs.push(...page.items);
    token = page.nextPageToken ?? '';
  } while (token !== '');
  return runs;
}
