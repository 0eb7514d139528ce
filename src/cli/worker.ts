import type { Command } from 'commander';
import { createLog } from '../app/log.js';
import { prepareNamespace } from '../app/namespace.js';
import { untilStopped } from '../app/parts.js';
import { startWorker } from '../app/worker.js';
import { readLibrary } from '../library/library.js';
import { configOf, configured } from './options.js';

/** `journeyman worker`: executes journeys on a Temporal service that runs elsewhere. */
export function workerCommand(): Command {
  return configured('worker')
    .description(
      'Runs a worker against the configured Temporal service (TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS_*).\n' +
        'Start as many as you need. SIGTERM lets it finish what it is doing.',
    )
    .addHelpText('after', '\nExample:\n  $ TEMPORAL_ADDRESS=temporal.internal:7233 journeyman worker')
    .action(async (options: { config?: string }) => {
      const config = configOf(options);
      const log = createLog(config);
      const address = await prepareNamespace(config);
      const worker = await startWorker(config, log, { library: readLibrary(config) });
      console.log(`Worker polls ${config.temporal.taskQueue} at ${address}, namespace ${config.temporal.namespace}`);
      await untilStopped([worker], log);
    });
}
