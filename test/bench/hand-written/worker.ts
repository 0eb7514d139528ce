import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { loadConfig } from '../../../src/config/load.js';
import * as activities from './activities.js';

Runtime.install({ logger: new DefaultLogger('ERROR') });
const [address, taskQueue] = process.argv.slice(2) as [string, string];
const { worker: settings } = loadConfig({ env: {} });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./workflows.js', import.meta.url)),
  activities,
  maxConcurrentWorkflowTaskExecutions: settings.maxConcurrentWorkflowTasks,
  maxConcurrentActivityTaskExecutions: settings.maxConcurrentActivities,
  maxConcurrentLocalActivityExecutions: settings.maxConcurrentLocalActivities,
  maxCachedWorkflows: settings.maxCachedWorkflows,
});
console.log('Worker polls');
process.once('SIGTERM', () => worker.shutdown());
await worker.run();
process.exit(0);
