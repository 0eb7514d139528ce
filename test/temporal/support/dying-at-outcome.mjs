// A worker that dies, as by kill -9, when some of the given runs have their outcome, before the server learns of it or of a compensation: a
// span of the run is exported in between, and the SDK responds to the server only after the export. It prints these runs.
// Arguments: the task queue and the runs. The environment is that of any worker.
import { writeSync } from 'node:fs';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { createActivities } from '../../../dist/activities/index.js';
import { outboundHttp } from '../../../dist/src/app/outbound-http.js';
import { createLog } from '../../../dist/src/app/telemetry/log.js';
import { loadConfig } from '../../../dist/src/config/load-config.js';
import { connect, connectWorker } from '../../../dist/src/temporal/connection.js';
import { workerEncryption } from '../../../dist/src/temporal/encryption/data-converter.js';
import { spanSinks } from '../../../dist/src/temporal/worker/create-worker.js';
import { bundlePath } from '../../../dist/src/temporal/worker/workflow-bundle.js';

const [taskQueue, ...runs] = process.argv.slice(2);

Runtime.install({ logger: new DefaultLogger('ERROR') });
const config = loadConfig();
const connection = await connectWorker(config);
const { client } = await connect(config);
/** Long enough that other runs reach the same point, so that one worker can die for several of them. */
const lastMs = 500;
let dies = false;
const worker = await Worker.create({
  connection,
  taskQueue,
  ...workerEncryption(config, bundlePath, { traces: true }),
  // These runs only make calls.
  activities: createActivities({ http: outboundHttp(config, createLog(config)), client, connections: {}, config }),
  sinks: spanSinks(async ({ run, frame }) => {
    if (frame !== '' || !runs.includes(run)) return;
    writeSync(1, `${run}\n`);
    if (!dies) setTimeout(() => process.kill(process.pid, 'SIGKILL'), lastMs);
    dies = true;
    await new Promise(() => {});
  }),
});
await worker.run();
