import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { loadConfig } from '../../src/config/load.js';
import { ensureNamespace } from '../../src/temporal/namespace.js';
import { TemporalRuns } from '../../src/temporal/runs.js';
import { startServer } from '../../src/temporal/server/start.js';
import { nodeProcess } from './processes.js';

const inMemory = {
  ...process.env,
  JOURNEYMAN_SERVER_IN_MEMORY: 'true',
  JOURNEYMAN_SERVER_PORT: '0',
  JOURNEYMAN_SERVER_UI_PORT: '0',
};

/** What benchmarks on a server need: one in memory, a worker of ours and one with workflows written by hand. `more` is for ours. */
export async function startBench(more: Record<string, string> = {}) {
  const server = await startServer(loadConfig({ env: inMemory }));
  const taskQueue = `bench-${randomUUID()}`;
  const env = {
    TEMPORAL_ADDRESS: server.address,
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue,
    JOURNEYMAN_LOG_LEVEL: 'error',
    ...more,
  };
  const config = loadConfig({ env });
  const connection = await Connection.connect({ address: server.address });
  await ensureNamespace(connection, config.temporal.namespace);
  const client = new Client({ connection });
  const main = fileURLToPath(new URL('../../../src/cli/main.js', import.meta.url));
  const ours = await nodeProcess([main, 'worker'], 'Worker polls', env);
  const handWritten = await nodeProcess(
    [fileURLToPath(new URL('./hand-written/worker.js', import.meta.url)), server.address, `${taskQueue}-hand`],
    'Worker polls',
  );
  return {
    server,
    taskQueue,
    client,
    config,
    runs: new TemporalRuns(client, config),
    ours,
    handWritten,
    stop: async () => {
      await ours.stop();
      await handWritten.stop();
      await connection.close();
      await server.stop();
    },
  };
}
