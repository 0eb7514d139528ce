import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { loadConfig } from '../../src/config/load.js';
import { ensureNamespace } from '../../src/temporal/namespace.js';
import { TemporalRuns } from '../../src/temporal/runs.js';
import { startServer } from '../../src/temporal/server/start.js';
import { backend } from '../temporal/support/backend.js';
import { nodeProcess } from './processes.js';

const inMemory = {
  ...process.env,
  JOURNEYMAN_SERVER_IN_MEMORY: 'true',
  JOURNEYMAN_SERVER_PORT: '0',
  JOURNEYMAN_SERVER_UI_PORT: '0',
};

/** What benchmarks of runs need: a server in memory, a service to call, a worker of ours and one with workflows written by hand. */
export async function startBench() {
  const server = await startServer(loadConfig({ env: inMemory }));
  const taskQueue = `bench-${randomUUID()}`;
  const config = loadConfig({ env: { TEMPORAL_ADDRESS: server.address, JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue } });
  const connection = await Connection.connect({ address: server.address });
  await ensureNamespace(connection, config.temporal.namespace);
  const client = new Client({ connection });
  const service = await backend();
  const main = fileURLToPath(new URL('../../../src/cli/main.js', import.meta.url));
  const ours = await nodeProcess([main, 'worker'], 'Worker polls', {
    TEMPORAL_ADDRESS: server.address,
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue,
    JOURNEYMAN_LOG_LEVEL: 'error',
  });
  const handWritten = await nodeProcess(
    [fileURLToPath(new URL('./hand-written/worker.js', import.meta.url)), server.address, `${taskQueue}-hand`],
    'Worker polls',
  );
  return {
    server,
    taskQueue,
    client,
    runs: new TemporalRuns(client, config),
    service,
    ours,
    handWritten,
    stop: async () => {
      await ours.stop();
      await handWritten.stop();
      await service.close();
      await connection.close();
      await server.stop();
    },
  };
}
