import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterEach, beforeEach, vi } from 'vitest';

/** A folder for each test of a command, with everything that the command prints, without colours. */
export function captured(command: () => Command): {
  folder(): string;
  printed(): string;
  /** Runs the command and returns its exit code. */
  run(...args: string[]): Promise<number | string | null | undefined>;
} {
  let folder: string;
  let printed: string;
  const take = (text: unknown) => {
    printed += String(text);
    return true;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'journeyman-cli-'));
    printed = '';
    vi.spyOn(process.stdout, 'write').mockImplementation(take);
    for (const to of ['log', 'error'] as const)
      vi.spyOn(console, to).mockImplementation((text) => void take(`${String(text)}\n`));
    vi.stubEnv('NO_COLOR', '1');
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    process.exitCode = undefined;
    rmSync(folder, { recursive: true });
  });
  return {
    folder: () => folder,
    printed: () => printed,
    async run(...args) {
      await command().parseAsync(args, { from: 'user' });
      return process.exitCode;
    },
  };
}
