import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A Node process that a soak test monitors. */
export interface Daemon {
  pid: number;
  printed(): string;
  /** The lines of its log. */
  readonly log: readonly string[];
  /** Undefined while it is alive. */
  ended(): string | undefined;
  stop(): Promise<void>;
}

/** Starts a Node process and resolves when it has printed `ready`. */
export async function daemon(args: string[], ready: string, env: Record<string, string>): Promise<Daemon> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  createInterface(child.stderr).on('line', (line) => log.push(line));
  let printed = '';
  let end: string | undefined;
  const exited = once(child, 'exit').then(([code, signal]) => {
    end = `ended with ${code ?? signal}`;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      printed += String(chunk);
      if (printed.includes(ready)) resolve();
    });
    exited.then(() => reject(new Error(`${args.at(-1)} ${end}: ${printed}${log.join('\n')}`)));
  });
  return {
    pid: child.pid!,
    printed: () => printed,
    log,
    ended: () => end,
    stop: async () => {
      if (end === undefined) child.kill('SIGTERM');
      await exited;
    },
  };
}
