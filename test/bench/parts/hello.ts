import { randomUUID } from 'node:crypto';
import { startGateway } from '../contestants/gateway.js';
import { handWritten } from '../contestants/hand-written.js';
import { journeyman } from '../contestants/journeyman.js';
import type { Part } from './part.js';

const runs = 40;

/** The smallest journey through HTTP. */
export const hello: Part = {
  name: 'hello',
  about: 'the journey hello through HTTP, one caller; by hand the bare client executes a workflow',
  measures: [{ id: 'hello-latency', title: 'hello through HTTP, one caller', unit: 'ms', digits: 1, aim: 1.2 }],
  async run(bench) {
    const ours = await bench.enter(journeyman, []);
    const { site: theirs } = await bench.enter(handWritten, []);
    const gateway = await startGateway(ours.site, 'specs');
    const callers = {
      journeyman: async () => (await gateway.post('/api/v1/journeys/hello/start', { name: 'Ada' })).output,
      'by-hand': async () => {
        const { taskQueue } = theirs;
        return await bench.client.workflow.execute('hello', {
          workflowId: randomUUID(),
          taskQueue,
          args: [{ name: 'Ada' }],
        });
      },
    };
    const call = async (who: keyof typeof callers) => {
      const began = performance.now();
      const output = (await callers[who]()) as { greeting?: string } | undefined;
      if (output?.greeting !== 'Hello, Ada!') throw new Error(`unexpected answer: ${JSON.stringify(output)}`);
      return performance.now() - began;
    };
    const names = ['journeyman', 'by-hand'] as const;
    try {
      for (let i = 0; i < runs; i++) for (const who of names) await call(who);
      await bench.inTurn(names, runs, async (who, repeat) => bench.note('hello-latency', who, repeat, await call(who)));
    } finally {
      await gateway.close();
    }
  },
};
