import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { TaskRoute } from '../../../activities/external/check-activity-allowed.js';
import { jarOpener } from '../../../activities/http-call/cookies/cookie-jar.js';
import type { HttpClient } from '../../../activities/http-call/http-client.js';
import { createActivities } from '../../../activities/index.js';
import type { Config } from '../../config/config-types.js';
import { type Library, libraryOf } from '../../service/library-interface.js';
import { connectWorker } from '../../temporal/connection.js';
import { pipelineStates } from '../../temporal/pipelines/list-pipelines.js';
import type { ChildRuns } from '../../temporal/runs/prepare-child-run.js';
import { TemporalRuns } from '../../temporal/runs/temporal-runs.js';
import { ensureMaintenance } from '../../temporal/schedules/daily-maintenance.js';
import { createWorker } from '../../temporal/worker/create-worker.js';
import { workerVersion } from '../../temporal/worker/worker-version.js';
import { pluginTaskEffect } from '../configured-plugins-effect.js';
import { cookieSealing } from '../namespace-cookie-cipher.js';
import { outboundHttp } from '../outbound-http.js';
import { type ProcessPart, settlesWithin } from '../run-until-stopped.js';
import { taskConnections } from '../task-connections.js';
import { installRuntime } from '../telemetry/log.js';
import { processMetrics } from '../telemetry/metrics.js';
import { createTracer } from '../telemetry/tracing.js';
import type { DispatchWorkerDeps, DispatchWorkers } from './dispatch-workers.js';
import { type Health, openHealth } from './health-endpoint.js';
import { SourcePollers } from './kafka-source-pollers.js';
import { connectWatched } from './temporal-server-watch.js';

export interface WorkerOptions {
  /** The embedded server's address, if it was just started. */
  readonly address?: string | undefined;
  /** Makes HTTP calls; by default as configured. */
  readonly http?: HttpClient;
  /** True when server, worker and gateway are one process on one machine. */
  readonly together?: boolean;
  /** False for an in-memory server, which needs no maintenance. */
  readonly maintenance?: boolean;
  /** True in the process of an application, whose `Runtime` of the SDK is used as it is. */
  readonly embedded?: boolean;
  /** Where calls of other workers and other journeys go, in scenarios. */
  readonly taskRoute?: TaskRoute;
  /** Reads the journeys that runs and jobs may start; without it runs start none, and the worker does not poll the queues of orchestrators. */
  readonly library?: () => Promise<Library>;
}

/** Starts a worker; resolves once it polls. */
export async function startWorker(config: Config, log: Logger, options: WorkerOptions = {}): Promise<ProcessPart> {
  const isWatched = options.together === true || config.worker.healthPort !== 0;
  if (!options.embedded) installRuntime(log, isWatched ? await processMetrics().addressForSdk() : undefined);
  const at = options.address === undefined ? {} : { address: options.address };
  // Activities do not use the worker's own connection: its retries cannot be configured.
  const [connection, { client, close, watch }] = await Promise.all([
    connectWorker(config, at),
    connectWatched(config, log, options.address),
  ]);
  const tracer = await createTracer((fields, text) => log.warn(fields, text));
  const http =
    options.http ?? outboundHttp(config, log, { together: options.together, address: options.address, tracer });
  const connections = taskConnections(config, log);
  const plugin = await pluginTaskEffect(config, log);
  const spanEnded = tracer?.ended.bind(tracer);
  const worker = await createWorker({
    config,
    connection,
    activities: createActivities({
      http,
      jars: jarOpener(cookieSealing(client)),
      client,
      runs: new TemporalRuns(client, config),
      connections,
      plugin,
      config,
      childRuns: childRunsOf(client, config, options.library),
      ...(options.taskRoute && { taskRoute: options.taskRoute }),
    }),
    onBundling: () => log.info('Bundling the workflow code'),
    spanEnded,
  });
  // Runs need not wait for the workers of jobs, which read all journeys and load much more code.
  const working = worker.run();
  // Reported by `running`.
  working.catch(() => undefined);
  const dispatching = await besideRuns(config, options, { log, client, connection, http, spanEnded }).catch(
    async (error) => {
      worker.shutdown();
      await working.catch(() => undefined);
      throw error;
    },
  );
  const version = workerVersion(config);
  if (version)
    log.info(
      `Worker version ${version.deploymentName}:${version.buildId}. It gets no work until it is current or ramping: see journeyman doctor`,
    );
  const running = Promise.all([working, dispatching?.running]).then(() => undefined);
  const shutdown = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    dispatching?.shutdown();
  };
  const sources = new SourcePollers(client, config.temporal.taskQueue, connections.kafka, log).start();
  processMetrics().watchPipelines(() => pipelineStates(client));
  processMetrics().watchSources(() => sources.states());
  const health = await healthOf(config, options, {
    isRunning: () => worker.getState() === 'RUNNING' && dispatching?.isRunning() !== false,
    isReady: () => watch.fault() === undefined,
    metrics: processMetrics(),
  }).catch(async (error) => {
    await sources.stop();
    shutdown();
    await running.catch(() => undefined);
    throw error;
  });
  return {
    name: 'worker',
    running,
    stop: async (graceMs) => {
      watch.stop();
      const unread = sources.stop();
      shutdown();
      const stopped = running.catch(() => undefined);
      // Without a server the worker never finishes its pending work; the caller then ends the process.
      if (graceMs !== undefined && !(await settlesWithin(graceMs, stopped))) return;
      await stopped;
      await unread;
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

/** Prepares the runs that other runs start. The first one reads the journeys, and loads much more code. */
function childRunsOf(client: Client, config: Config, library = async (): Promise<Library> => libraryOf([])): ChildRuns {
  let ready: Promise<ChildRuns> | undefined;
  return async (task) => {
    ready ??= import('../../temporal/runs/prepare-child-run.js').then(({ childRuns }) =>
      childRuns({ client, config, library: library() }),
    );
    return await (await ready)(task);
  };
}

/** Starts the workers of jobs, and the maintenance of the namespace. */
async function besideRuns(
  config: Config,
  { library, maintenance }: WorkerOptions,
  deps: Omit<DispatchWorkerDeps, 'config' | 'library'>,
): Promise<DispatchWorkers | undefined> {
  const dispatching = async () => {
    if (!library) return undefined;
    const { startDispatchWorkers } = await import('./dispatch-workers.js');
    return await startDispatchWorkers({ ...deps, config, library: library() });
  };
  const [workers] = await Promise.all([
    dispatching(),
    maintenance === false ? undefined : ensureMaintenance(deps.client, config),
  ]);
  return workers;
}

/** Opens the health endpoint; a worker alongside a gateway needs none. */
async function healthOf({ worker }: Config, { together }: WorkerOptions, health: Health) {
  if (together === true || worker.healthPort === 0) return undefined;
  return await openHealth(worker.healthHost, worker.healthPort, health, worker.metricsBeyondLoopback);
}
