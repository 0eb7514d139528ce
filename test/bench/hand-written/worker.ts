import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { loadConfig } from '../../../src/config/load-config.js';
import * as activities from './activities.js';

Runtime.install({ logger: new DefaultLogger('ERROR') });
const [address, taskQueue, codePath] = process.argv.slice(2) as [string, string, string];
const { worker: settings } = loadConfig({ env: {} });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowBundle: { codePath },
  activities,
  // The settings of a journey worker.
  maxConcurrentWorkflowTaskExecutions: settings.maxConcurrentWorkflowTasks,
  maxConcurrentActivityTaskExecutions: settings.maxConcurrentActivities,
  maxConcurrentLocalActivityExecutions: settings.maxConcurrentLocalActivities,
  maxCachedWorkflows: settings.maxCachedWorkflows,
  stickyQueueScheduleToStartTimeout: '3s',
});
console.log('Worker polls');
process.once('SIGTERM', () => worker.shutdown());
await worker.run();
process.exit(0);
