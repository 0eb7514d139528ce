// A worker that dies, as by kill -9, right after an activity has had its effect and before the server hears of it.
// Arguments: the address, the task queue, and the name of the activity.
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';

const [address, taskQueue, deadly] = process.argv.slice(2);
const { createActivities } = await import(new URL('../../../dist/activities/index.js', import.meta.url));
const { bundlePath } = await import(new URL('../../../dist/src/temporal/bundle.js', import.meta.url));

const connection = await NativeConnection.connect({ address });
const activities = createActivities({ client: new Client({ connection }) });
const real = activities[deadly];
activities[deadly] = async (...args) => {
  await real(...args);
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
};
const worker = await Worker.create({ connection, taskQueue, workflowBundle: { codePath: bundlePath }, activities });
await worker.run();
