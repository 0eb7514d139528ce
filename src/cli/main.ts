#!/usr/bin/env node
import { wantsJson } from './options.js';
import { programFor } from './program.js';
import { reportFailure } from './tables-progress-and-failures.js';

// The YAML library reads an environment variable at every token, and Node queries the operating system each time, which takes a quarter
// of the parsing time. Windows needs the original object, whose names are case-insensitive.
if (process.platform !== 'win32') process.env = { ...process.env };

const args = process.argv.slice(2);

// The reader of a pipe (`| head`) may close it early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  const program = await programFor(args);
  if (args.length === 0) program.help();
  await program.parseAsync();
} catch (error) {
  // A half-open connection or Temporal's native threads must not keep a failed command alive.
  process.exit(reportFailure(error, wantsJson(args)));
}
