import type { Logger } from 'pino';
import { createHttpActivity } from '../../activities/http-call/http.js';
import { createActivities, createEffects } from '../../activities/index.js';
import type { Config } from '../config/config.js';
import { isLoopback } from '../config/rules.js';
import { createGateway } from '../gateway/gateway.js';
import { listen } from '../gateway/listen.js';
import { InProcessApis } from '../in-process/apis.js';
import { unsupportedFeatures } from '../language/not-yet.js';
import type { JourneyLibrary } from '../library/library.js';
import { connect, connectWorker } from '../temporal/connection.js';
import { ensureNamespace } from '../temporal/namespace.js';
import { TemporalRuns } from '../temporal/runs.js';
import { ensureMaintenance } from '../temporal/schedules/maintenance.js';
import { TemporalSchedules } from '../temporal/schedules/manage.js';
import { createWorker } from '../temporal/worker.js';
import { installRuntime } from './log.js';

/** Something that runs until it is stopped. */
export interface Part {
  readonly name: string;
  /** Rejects when the part ends without being asked to. */
  readonly running: Promise<void>;
  stop(): Promise<void>;
}

/** Gives the namespace what journeys need of it; answers the address of the service. Before any part starts. */
export async function prepareNamespace(config: Config, at?: string): Promise<string> {
  const { connection, close, address } = await connect(config, at === undefined ? {} : { address: at });
  await ensureNamespace(connection, config.temporal.namespace).finally(close);
  return address;
}

/** Starts a worker; resolves when it polls. */
export async function startWorker(config: Config, log: Logger, address?: string): Promise<Part> {
  installRuntime(log);
  const at = address === undefined ? {} : { address };
  // Activities do not use the worker's own connection: how that one tries again cannot be set.
  const [connection, { client, close }] = await Promise.all([connectWorker(config, at), connect(config, at)]);
  const http = createHttpActivity({ http: config.http, log, loopbackAllowed: isLoopback(config.gateway.host) });
  const [worker] = await Promise.all([
    createWorker({
      config,
      connection,
      activities: createActivities({ http, client }),
      onBundling: () => log.info('Bundling the workflow code'),
    }),
    ensureMaintenance(client, config),
  ]);
  const running = worker.run();
  return {
    name: 'worker',
    running,
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running.catch(() => undefined);
      await http.close();
      await close();
      await connection.close();
    },
  };
}

/** Starts a gateway; resolves when it accepts requests. */
export async function startGateway(
  config: Config,
  library: JourneyLibrary,
  log: Logger,
  address?: string,
): Promise<Part & { url: string }> {
  const { connection, client, close } = await connect(config, address === undefined ? {} : { address });
  const http = createHttpActivity({ http: config.http, log, loopbackAllowed: isLoopback(config.gateway.host) });
  const app = createGateway({
    config,
    journeys: library,
    runs: new TemporalRuns(client, config),
    schedules: new TemporalSchedules(client, config),
    apis: new InProcessApis(config, createEffects({ http })),
    log,
    ready: async () => {
      await connection.workflowService.getSystemInfo({});
    },
    unsupported: unsupportedFeatures,
  });
  const listening = await listen(app, config.gateway);
  return {
    name: 'gateway',
    url: config.gateway.publicUrl ?? listening.url,
    running: new Promise(() => undefined),
    stop: async () => {
      await listening.close();
      await http.close();
      await close();
    },
  };
}

/** Waits for SIGINT, SIGTERM or a part that ends by itself, then stops the parts in the order given. A second signal ends at once. */
export async function untilStopped(parts: Part[], log: Logger): Promise<void> {
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve();
      });
    }
  });
  const failed = parts.map(({ name, running }) =>
    running.then(
      () => Promise.reject(new Error(`The ${name} ended by itself.`)),
      (error) => Promise.reject(new Error(`The ${name} failed: ${String(error)}`, { cause: error })),
    ),
  );
  try {
    await Promise.race([signalled, ...failed]);
  } finally {
    for (const promise of failed) promise.catch(() => undefined);
    for (const part of parts) {
      log.debug(`Stopping the ${part.name}`);
      await part.stop().catch((error) => log.error({ err: error }, `The ${part.name} did not stop cleanly`));
    }
  }
}
