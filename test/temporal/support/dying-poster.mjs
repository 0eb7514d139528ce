// A worker of an orchestrator's queue that dies, as by kill -9, right after it has posted something and before the server learns of it.
// Arguments: the address, the installation's queue, and the stand-in for Slack with its token.
import { NativeConnection, Worker } from '@temporalio/worker';
import { dispatchActivities } from '../../../dist/activities/dispatch/dispatch-activities.js';
import { createHttpClient } from '../../../dist/activities/http-call/http-client.js';
import { loadConfig } from '../../../dist/src/config/load-config.js';
import { createChannels } from '../../../dist/src/gateway/channels/create-channels.js';
import { connect } from '../../../dist/src/temporal/connection.js';
import { workerEncryption } from '../../../dist/src/temporal/encryption/data-converter.js';
import { queueOf } from '../../../dist/src/temporal/schedules/jobs/dispatch-action.js';
import { bundlePath } from '../../../dist/src/temporal/worker/workflow-bundle.js';

const [address, taskQueue, apiUrl, token] = process.argv.slice(2);

const connection = await NativeConnection.connect({ address });
const config = loadConfig({ env: { ...process.env, JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue } });
const { client } = await connect(config, { address });
const log = { warn() {}, debug() {} };
const http = createHttpClient({ http: config.http, log, loopbackAllowed: true });
const profile = { channel: 'slack', slack: { token: { env: 'TOKEN' }, apiUrl } };
const activities = dispatchActivities({
  client,
  config,
  targets: { check: () => ({ type: 'command_invoke' }), invoke: async () => ({ text: 'hello world' }) },
  channels: createChannels({ slack_main: profile }, http, { env: { TOKEN: token } }),
  audit: { record: async () => {} },
});
const { channelPost } = activities;
activities.channelPost = async (post) => {
  await channelPost(post);
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
};
const worker = await Worker.create({
  connection,
  taskQueue: queueOf(taskQueue, 'main'),
  ...workerEncryption(config, bundlePath),
  activities,
});
await worker.run();
