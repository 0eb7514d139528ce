import type { Command } from 'commander';
import { contentDriftAt } from '../app/content-drift.js';
import { prepareNamespace } from '../app/prepare-namespace.js';
import { runUntilStopped } from '../app/run-until-stopped.js';
import { startGateway } from '../app/start-gateway.js';
import { createLog } from '../app/telemetry/log.js';
import { LiveLibrary } from '../library/reloading-library.js';
import { printFindings } from './author/print-findings.js';
import { commandWithConfig, serviceConfigOf } from './options.js';

/** `journeyman gateway`: runs the HTTP API alone; the Temporal service and the workers run elsewhere. */
export function gatewayCommand(): Command {
  return commandWithConfig('gateway')
    .description(
      'Run the HTTP gateway against the configured Temporal service (TEMPORAL_ADDRESS and the other TEMPORAL_* variables).',
    )
    .addHelpText('after', '\nExample:\n  $ TEMPORAL_ADDRESS=temporal.internal:7233 journeyman gateway')
    .action(async (options: { config?: string }) => {
      const config = serviceConfigOf(options);
      const log = createLog(config);
      const library = await LiveLibrary.open(config);
      printFindings(library);
      await prepareNamespace(config);
      printFindings({ findings: await contentDriftAt(config, library) }, 'warning');
      const gateway = await startGateway(config, library, log);
      console.log(`Gateway at ${gateway.url}, ${library.names().length} journeys from ${config.specs}`);
      await runUntilStopped([gateway], log);
    });
}
