// A worker that dies, as by kill -9, right after an activity has had its effect and before the server hears of it.
// Arguments: the address, the task queue, and the name of the activity.
import { NativeConnection, Worker } from '@temporalio/worker';

const [address, taskQueue, deadly] = process.argv.slice(2);
const dist = new URL('../../../dist/', import.meta.url);
const { createActivities } = await import(new URL('activities/index.js', dist));
const { loadConfig } = await import(new URL('src/config/load.js', dist));
const { bundlePath } = await import(new URL('src/temporal/bundle.js', dist));
const { connect } = await import(new URL('src/temporal/connection.js', dist));
const { workerEncryption } = await import(new URL('src/temporal/encryption/converter.js', dist));

const connection = await NativeConnection.connect({ address });
const config = loadConfig();
const { client } = await connect(config, { address });
// These runs need nothing but the server.
const activities = createActivities({ client, connections: {} });
const real = activities[deadly];
activities[deadly] = async (...args) => {
  await real(...args);
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
};
const worker = await Worker.create({ connection, taskQueue, ...workerEncryption(config, bundlePath), activities });
await worker.run();
