import type { Command } from 'commander';
import { startGateway } from '../app/gateway.js';
import { createLog } from '../app/log.js';
import { prepareNamespace } from '../app/namespace.js';
import { untilStopped } from '../app/parts.js';
import { checkContentAt } from '../app/served.js';
import { LiveLibrary } from '../library/live.js';
import { printFindings } from './findings.js';
import { configOf, configured } from './options.js';

/** `journeyman gateway`: the HTTP surface alone, for a Temporal service and workers that run elsewhere. */
export function gatewayCommand(): Command {
  return configured('gateway')
    .description('Runs the HTTP gateway against the configured Temporal service (TEMPORAL_ADDRESS and its relatives).')
    .addHelpText('after', '\nExample:\n  $ TEMPORAL_ADDRESS=temporal.internal:7233 journeyman gateway')
    .action(async (options: { config?: string }) => {
      const config = configOf(options);
      const log = createLog(config);
      const library = await LiveLibrary.open(config);
      printFindings(library);
      await prepareNamespace(config);
      printFindings({ findings: await checkContentAt(config, library) }, 'warning');
      const gateway = await startGateway(config, library, log);
      console.log(`Gateway at ${gateway.url}, ${library.names().length} journeys from ${config.specs}`);
      await untilStopped([gateway], log);
    });
}
