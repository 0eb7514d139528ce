import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PipelineDetails } from '../../src/service/pipelines-interface.js';
import type { Beside } from './beside.js';
import type { Caller } from './caller.js';

const main = fileURLToPath(new URL('../../../src/cli/main.js', import.meta.url));

/** Deploys the pipelines of the specs folder, as an operator does. */
export async function deployPipelines(specs: string, address: string, namespace: string): Promise<void> {
  const env = { ...process.env, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, JOURNEYMAN_SPECS: specs };
  await promisify(execFile)(process.execPath, [main, 'pipeline', 'deploy'], { env, cwd: specs });
}

/** A pipeline that receives events during the load: each must be handled once, without manual decisions. */
export function pipelineTraffic(caller: Caller): Beside & { publish(n: number): void } {
  const published: Promise<string | undefined>[] = [];
  return {
    publish: (n) => {
      const sent = caller.ask('POST', '/pipelines/parcels/topics/parcels/events', { id: `e${n}`, payload: { n } });
      published.push(
        sent.then(
          ({ status, body }) => (status <= 202 ? undefined : `event e${n}: ${status} ${JSON.stringify(body)}`),
          (error: Error) => `event e${n}: ${error.message}`,
        ),
      );
    },
    settle: async () => {
      const refused = (await Promise.all(published)).filter((it) => it !== undefined);
      const { body } = await caller.until(
        '/pipelines/parcels',
        ({ body }) => hasSettled(body as unknown as PipelineDetails),
        2_000,
      );
      const { status, counts, topics } = body as unknown as PipelineDetails;
      const isRight =
        status === 'running' && counts.committed === published.length && counts.failed + counts.suspended === 0;
      return {
        expected: published.map((_, n) => `parcel/${n}/send`),
        faults: [
          ...refused,
          ...(isRight ? [] : [`pipeline: ${status}, ${JSON.stringify(counts)}, ${JSON.stringify(topics)}`]),
        ],
        line: `${published.length} events through a pipeline, ${counts.committed} committed`,
      };
    },
  };
}

/** Nothing is pending, or nothing can continue without an operator. */
function hasSettled({ status, topics, active }: PipelineDetails): boolean {
  const { pending, reserved } = topics.parcels!;
  return (pending + reserved === 0 && active === undefined) || status !== 'running';
}
