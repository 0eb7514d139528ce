// A worker that dies, as by kill -9, when some of the given runs have their outcome, before the server hears of it or of a compensation: a
// span of a run is told between the two, and the SDK answers the server only when spans are told. It says which runs they were.
// Arguments: the task queue and the runs. The environment is that of any worker.
import { writeSync } from 'node:fs';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';

const [taskQueue, ...runs] = process.argv.slice(2);
const dist = new URL('../../../dist/', import.meta.url);
const { createActivities } = await import(new URL('activities/index.js', dist));
const { httpOf } = await import(new URL('src/app/http.js', dist));
const { createLog } = await import(new URL('src/app/log.js', dist));
const { loadConfig } = await import(new URL('src/config/load.js', dist));
const { bundlePath } = await import(new URL('src/temporal/bundle.js', dist));
const { connect, connectWorker } = await import(new URL('src/temporal/connection.js', dist));
const { workerEncryption } = await import(new URL('src/temporal/encryption/converter.js', dist));
const { spanSinks } = await import(new URL('src/temporal/worker.js', dist));

Runtime.install({ logger: new DefaultLogger('ERROR') });
const config = loadConfig();
const connection = await connectWorker(config);
const { client } = await connect(config);
/** Long enough that other runs come to the same point, so that not each of them needs a worker of its own to lose. */
const lastMs = 500;
let dies = false;
const worker = await Worker.create({
  connection,
  taskQueue,
  ...workerEncryption(config, bundlePath, { traces: true }),
  // These runs call, and need nothing else.
  activities: createActivities({ http: httpOf(config, createLog(config)), client, connections: {} }),
  sinks: spanSinks(async ({ run, frame }) => {
    if (frame !== '' || !runs.includes(run)) return;
    writeSync(1, `${run}\n`);
    if (!dies) setTimeout(() => process.kill(process.pid, 'SIGKILL'), lastMs);
    dies = true;
    await new Promise(() => {});
  }),
});
await worker.run();
