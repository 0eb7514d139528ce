import type { Worker, WorkerOptions, WorkerPlugin } from '@temporalio/worker';
import { refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import { projectConfig } from '../../config/load-config.js';
import { readLibrary } from '../../library/read-library.js';
import { queueOf } from '../../temporal/schedules/jobs/dispatch-action.js';
import { prepareNamespace } from '../prepare-namespace.js';
import type { ProcessPart } from '../run-until-stopped.js';
import { createLog } from '../telemetry/log.js';
import { startWorker } from '../worker/start-worker.js';
import type { ProjectOptions } from './project.js';

export type { ProjectOptions };

/**
 * Plugin for the SDK's `Worker` that runs the journeys of a project in the same process: a second worker, on the project's own task queue,
 * starts and stops with the application's. The application's workflows, activities, bundle and converters are not changed.
 */
export function journeyman(options: ProjectOptions = {}): WorkerPlugin {
  const config = projectConfig(options);
  return {
    name: 'journeyman-temporal',
    async configureWorker(host) {
      refuseSharedQueue(config, host);
      // An application whose journeys cannot run gets no worker.
      await prepareNamespace(config);
      return host;
    },
    runWorker: (worker, next) => runBeside(config, worker, next),
  };
}

/** A worker for journeys, for applications without workers of their own. */
export interface JourneyWorker {
  /** Polls until `shutdown` or a shutdown signal of the SDK's `Runtime`; rejects if the worker fails. */
  run(): Promise<void>;
  /** Lets the worker finish its tasks; `run` then resolves. */
  shutdown(): void;
}

/** Creates a worker for the journeys of a project. */
function createJourneyWorker(options: ProjectOptions = {}): JourneyWorker {
  const config = projectConfig(options);
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return {
    run: async () => {
      await prepareNamespace(config);
      const part = await startJourneys(config);
      await Promise.race([part.running, stopped]).finally(() => part.stop());
      await part.running;
    },
    shutdown: () => stopping.abort(),
  };
}

export { createJourneyWorker as createWorker };

/** Runs an application's worker together with one for journeys. If that one fails, the application's is shut down and the failure is thrown. */
async function runBeside(config: Config, worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
  // The SDK's `runUntil` shuts a worker down only if it runs: it must, before a journey can end.
  const own = next(worker);
  const shutDown = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const part = await startJourneys(config).catch(async (error: unknown) => {
    shutDown();
    await own.catch(() => undefined);
    throw error;
  });
  const running = part.running.catch((error: unknown) => {
    shutDown();
    throw error;
  });
  // Reported below, once the application's worker has stopped.
  running.catch(() => undefined);
  await own.finally(() => part.stop());
  await running;
}

async function startJourneys(config: Config): Promise<ProcessPart> {
  return await startWorker(config, createLog(config), { library: () => readLibrary(config), embedded: true });
}

/** Two workers with different workflows on one queue would get each other's tasks. */
function refuseSharedQueue(
  { temporal, orchestrators }: Config,
  { taskQueue, namespace = 'default' }: WorkerOptions,
): void {
  const queues = [
    temporal.taskQueue,
    ...Object.keys(orchestrators).map((orchestrator) => queueOf(temporal.taskQueue, orchestrator)),
  ];
  if (namespace !== temporal.namespace || !queues.includes(taskQueue ?? '')) return;
  refuse('CONFIG_VALUE_INVALID', `The application's worker polls ${taskQueue}, a task queue of the journeys.`, {
    pointer: '/temporal/taskQueue',
    hint: 'Set temporal.taskQueue of the project to a queue that no other worker polls.',
  });
}
