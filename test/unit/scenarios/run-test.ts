import { testCommand } from '../../../src/cli/author/test/test.js';

/** Runs `journeyman test` in this process. */
export async function runTest(...args: string[]): Promise<{ out: string; error: string; exitCode: unknown }> {
  let [out, error] = ['', ''];
  const streams = {
    out: { write: (text: string) => (out += text) },
    error: { write: (text: string) => (error += text) },
  };
  await testCommand(streams).parseAsync(args, { from: 'user' });
  return { out, error, exitCode: process.exitCode };
}
