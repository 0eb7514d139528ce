import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

/** A worker with foreign workflows: `node workflow-worker.mjs <address> <task queue>`. Prints a line when it is about to poll. */
const [address, taskQueue] = process.argv.slice(2);
Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address });
const workflowsPath = fileURLToPath(new URL('shipping-workflows.mjs', import.meta.url));
const worker = await Worker.create({ connection, taskQueue, workflowsPath, stickyQueueScheduleToStartTimeout: '1s' });
console.log('polling');
await worker.run();
