import type { Command } from 'commander';
import { prepareNamespace } from '../app/prepare-namespace.js';
import { runUntilStopped } from '../app/run-until-stopped.js';
import { createLog } from '../app/telemetry/log.js';
import { startWorker } from '../app/worker/start-worker.js';
import type { Config } from '../config/config-types.js';
import type { Library } from '../service/library-interface.js';
import { commandWithConfig, serviceConfigOf } from './options.js';

/** `journeyman worker`: runs a worker for a Temporal service that runs elsewhere. */
export function workerCommand(): Command {
  return commandWithConfig('worker')
    .description(
      'Run a worker against the configured Temporal service (TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS_*).\n' +
        'Start as many as you need. On SIGTERM it finishes the tasks in progress, then exits.',
    )
    .addHelpText('after', '\nExample:\n  $ TEMPORAL_ADDRESS=temporal.internal:7233 journeyman worker')
    .action(async (options: { config?: string }) => {
      const config = serviceConfigOf(options);
      const log = createLog(config);
      const address = await prepareNamespace(config);
      const worker = await startWorker(config, log, { library: () => libraryOf(config) });
      console.log(`Worker polls ${config.temporal.taskQueue} at ${address}, namespace ${config.temporal.namespace}`);
      await runUntilStopped([worker], log);
    });
}

/** Reads the journeys that jobs may start. Its module loads the language, which a worker does not need for its runs. */
async function libraryOf(config: Config): Promise<Library> {
  const { readLibrary } = await import('../library/read-library.js');
  return await readLibrary(config);
}
