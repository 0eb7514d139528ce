#!/usr/bin/env node
import './plain-environment.js';
import { reportFailure } from './failure.js';
import { wantsJson } from './options.js';
import { programFor } from './program.js';

const args = process.argv.slice(2);

// Whoever reads what is printed (`| head`) may have read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  const program = await programFor(args);
  if (args.length === 0) program.help();
  await program.parseAsync();
} catch (error) {
  // Anything half started (a connection that keeps trying, Temporal's native threads) must not keep a failed command alive.
  process.exit(reportFailure(error, wantsJson(args)));
}
