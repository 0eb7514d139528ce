// A worker that dies, as by kill -9, right after an activity has had its effect and before the server learns of it.
// Arguments: the address, the task queue, and the name of the activity.
import { NativeConnection, Worker } from '@temporalio/worker';
import { createActivities } from '../../../dist/activities/index.js';
import { loadConfig } from '../../../dist/src/config/load-config.js';
import { connect } from '../../../dist/src/temporal/connection.js';
import { workerEncryption } from '../../../dist/src/temporal/encryption/data-converter.js';
import { bundlePath } from '../../../dist/src/temporal/worker/workflow-bundle.js';

const [address, taskQueue, deadly] = process.argv.slice(2);

const connection = await NativeConnection.connect({ address });
const config = loadConfig();
const { client } = await connect(config, { address });
// These runs need only the server.
const activities = createActivities({ client, connections: {}, config });
const real = activities[deadly];
activities[deadly] = async (...args) => {
  await real(...args);
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
};
const worker = await Worker.create({ connection, taskQueue, ...workerEncryption(config, bundlePath), activities });
await worker.run();
