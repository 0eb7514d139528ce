import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Entrant } from '../bench.js';
import type { Flow } from '../contestants/contestant.js';
import { startGateway } from '../contestants/gateway.js';
import { textOf } from '../contestants/journeys.js';
import { scratchFolder } from '../scratch.js';
import type { Part } from './part.js';
import { parked } from './runs.js';

const flow: Flow = { kind: 'wait' };
const runs = 10;

/** The time from a submission to the following state. */
export const submission: Part = {
  name: 'submission',
  about:
    'from a submission to a waiting run until the state after it has ended: by signal; through HTTP, by hand an update',
  measures: [
    { id: 'submission-signal', title: 'signal to the end of the next state', unit: 'ms', digits: 1 },
    { id: 'submission-http', title: 'step through HTTP, one caller', unit: 'ms', digits: 1 },
  ],
  async run(bench) {
    const entrants = await bench.enterAll(flow);
    for (const entrant of entrants) for (let i = 0; i < runs; i++) await signalled(bench, entrant);
    await bench.inTurn(entrants, runs, async (entrant, repeat) => {
      bench.note('submission-signal', entrant.contestant.name, repeat, await signalled(bench, entrant));
    });
    const [ours, theirs] = (['journeyman', 'by-hand'] as const).map(
      (name) => entrants.find(({ contestant }) => contestant.name === name)!,
    );
    await throughHttp(bench, ours!, theirs!);
  },
};

async function signalled(bench: Bench, { contestant, site }: Entrant): Promise<number> {
  const id = await bench.start(contestant, site, flow);
  await parked(bench, id);
  const began = performance.now();
  await bench.client.workflow.getHandle(id).signal('approve', {});
  await bench.result(id);
  return performance.now() - began;
}

/** A step of a run through the gateway, compared to an update by the bare client; both return when the run has accepted it. */
async function throughHttp(bench: Bench, ours: Entrant, theirs: Entrant): Promise<void> {
  const folder = scratchFolder();
  writeFileSync(join(folder, 'wait.journey.yaml'), textOf(flow, bench.service.url));
  const gateway = await startGateway(ours.site, folder);
  const { taskQueue } = theirs.site;
  const callers = {
    journeyman: {
      start: async () => (await gateway.post('/api/v1/journeys/wait/start', {})).journeyId as string,
      submit: async (id: string) => {
        const { phase, ...rest } = await gateway.post(`/api/v1/journeys/${id}/steps/approve`, {});
        if (phase !== 'SUCCEEDED') throw new Error(`unexpected answer: ${phase} ${JSON.stringify(rest)}`);
      },
    },
    'by-hand': {
      start: async () =>
        (await bench.client.workflow.start('waitForUpdate', { workflowId: randomUUID(), taskQueue })).workflowId,
      submit: (id: string) => bench.client.workflow.getHandle(id).executeUpdate('approve'),
    },
  };
  const submitted = async (who: keyof typeof callers) => {
    const id = await callers[who].start();
    await parked(bench, id);
    const began = performance.now();
    await callers[who].submit(id);
    return performance.now() - began;
  };
  const names = ['journeyman', 'by-hand'] as const;
  try {
    for (const who of names) for (let i = 0; i < runs; i++) await submitted(who);
    await bench.inTurn(names, runs, async (who, repeat) =>
      bench.note('submission-http', who, repeat, await submitted(who)),
    );
  } finally {
    await gateway.close();
  }
}
