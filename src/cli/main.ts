#!/usr/bin/env node
import { reportFailure } from './failure.js';
import { programFor } from './program.js';

const args = process.argv.slice(2);
const program = await programFor(args);
if (args.length === 0) program.help();

try {
  await program.parseAsync();
} catch (error) {
  reportFailure(error);
  // What was half started (a connection that keeps trying, Temporal's native threads) must not keep a failed command alive.
  process.exit(1);
}
