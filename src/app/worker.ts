import type { Logger } from 'pino';
import type { HttpActivity } from '../../activities/http-call/http.js';
import { createActivities } from '../../activities/index.js';
import type { Config } from '../config/config.js';
import { jarKeeper } from '../cookies/jar.js';
import type { Library } from '../service/library.js';
import { connect, connectWorker } from '../temporal/connection.js';
import { ensureMaintenance } from '../temporal/schedules/maintenance.js';
import { createWorker } from '../temporal/worker.js';
import { connectionsOf } from './connections.js';
import { sealingOf } from './cookies.js';
import { startDispatching } from './dispatching.js';
import { httpOf } from './http.js';
import { installRuntime } from './log.js';
import { processMetrics } from './metrics.js';
import { type Part, within } from './parts.js';
import { pluginsOf } from './plugins.js';
import { watchServer } from './server-watch.js';
import { createTracer } from './tracing.js';
import { type Health, openHealth } from './worker-health.js';

export interface WorkerOptions {
  /** The embedded server's address, if it was just started. */
  readonly address?: string | undefined;
  /** How calls go out; by default as the configuration says. */
  readonly http?: HttpActivity;
  /** True when server, worker and gateway are one process on one machine. */
  readonly together?: boolean;
  /** False when nothing is kept, so that there is nothing to tidy up. */
  readonly maintenance?: boolean;
  /** What jobs may start; without it the worker takes nothing from the queues of orchestrators. */
  readonly library?: Library | Promise<Library>;
}

/** Starts a worker; resolves once it polls. */
export async function startWorker(config: Config, log: Logger, options: WorkerOptions = {}): Promise<Part> {
  const isWatched = options.together === true || config.worker.healthPort !== 0;
  installRuntime(log, isWatched ? await processMetrics().addressForSdk() : undefined);
  const at = options.address === undefined ? {} : { address: options.address };
  // Activities do not use the worker's own connection: its retries cannot be configured.
  const [connection, { client, close }] = await Promise.all([connectWorker(config, at), connect(config, at)]);
  const tracer = createTracer((fields, text) => log.warn(fields, text));
  const http = options.http ?? httpOf(config, log, options.together, tracer);
  const connections = connectionsOf(config, log);
  const plugin = await pluginsOf(config, log);
  const { library } = options;
  const [worker, dispatching] = await Promise.all([
    createWorker({
      config,
      connection,
      activities: createActivities({ http, jars: jarKeeper(sealingOf(client)), client, connections, plugin }),
      onBundling: () => log.info('Bundling the workflow code'),
      ...(tracer && { spanEnded: (span) => tracer.ended(span) }),
    }),
    library && startDispatching({ config, log, client, connection, library, http }),
    options.maintenance === false ? undefined : ensureMaintenance(client, config),
  ]);
  const running = Promise.all([worker.run(), dispatching?.running]).then(() => undefined);
  const shutdown = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    dispatching?.shutdown();
  };
  const watch = watchServer(client, log);
  const health = await healthOf(config, options, {
    isRunning: () => worker.getState() === 'RUNNING' && dispatching?.isRunning() !== false,
    isReady: () => watch.answers(),
    metrics: processMetrics(),
  }).catch(async (error) => {
    shutdown();
    await running.catch(() => undefined);
    throw error;
  });
  return {
    name: 'worker',
    running,
    stop: async (graceMs) => {
      watch.stop();
      shutdown();
      const stopped = running.catch(() => undefined);
      // Without a server the worker waits in vain for what it has begun; whoever stops it then ends the process.
      if (graceMs !== undefined && !(await within(graceMs, stopped))) return;
      await stopped;
      await dispatching?.close();
      await health?.close();
      await http.close();
      await connections.close();
      await tracer?.close();
      await close();
      await connection.close();
    },
  };
}

/** Alongside a gateway, a worker needs no endpoint of its own. */
async function healthOf({ worker }: Config, { together }: WorkerOptions, health: Health) {
  if (together === true || worker.healthPort === 0) return undefined;
  return await openHealth(worker.healthHost, worker.healthPort, health, worker.metricsBeyondLoopback);
}
