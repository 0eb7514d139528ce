// A worker of an orchestrator's queue that dies, as by kill -9, right after it has posted something and before the server hears of it.
// Arguments: the address, the installation's queue, and the stand-in of Slack with its token.
import { NativeConnection, Worker } from '@temporalio/worker';

const [address, taskQueue, apiUrl, token] = process.argv.slice(2);
const dist = new URL('../../../dist/', import.meta.url);
const { dispatchActivities } = await import(new URL('activities/dispatch/activities.js', dist));
const { createHttpActivity } = await import(new URL('activities/http-call/http.js', dist));
const { createChannels } = await import(new URL('src/channels/channels.js', dist));
const { loadConfig } = await import(new URL('src/config/load.js', dist));
const { queueOf } = await import(new URL('src/temporal/jobs/action.js', dist));
const { connect } = await import(new URL('src/temporal/connection.js', dist));
const { workerEncryption } = await import(new URL('src/temporal/encryption/converter.js', dist));
const { dispatchBundlePath } = await import(new URL('src/temporal/bundle.js', dist));

const connection = await NativeConnection.connect({ address });
const config = loadConfig({ env: { ...process.env, JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue } });
const { client } = await connect(config, { address });
const log = { warn() {}, debug() {} };
const http = createHttpActivity({ http: config.http, log, loopbackAllowed: true });
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
  ...workerEncryption(config, dispatchBundlePath),
  activities,
});
await worker.run();
