import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../../src/temporal/server/ports.js';

/** A running `journeyman up` with a server of its own. */
export interface Up {
  readonly url: string;
  /** The address of its Temporal server. */
  readonly address: string;
  readonly ports: { readonly gateway: number; readonly server: number; readonly ui: number };
  /** What it has said by the time it was ready. */
  readonly printed: string;
  kill(signal: NodeJS.Signals): void;
  /** Ends it; answers with its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/** Three ports that nobody listens on. */
export async function freePorts(): Promise<Up['ports']> {
  const free = new Set<number>();
  while (free.size < 3) free.add(await freePort('127.0.0.1'));
  const [gateway, server, ui] = [...free] as [number, number, number];
  return { gateway, server, ui };
}

/** Starts `journeyman up` in a folder and waits until it says what to try. */
export async function startUp(
  main: string,
  cwd: string,
  ports?: Up['ports'],
  env: NodeJS.ProcessEnv = {},
): Promise<Up> {
  const chosen = ports ?? (await freePorts());
  const child = spawn(process.execPath, [main, 'up'], {
    cwd,
    env: {
      ...process.env,
      JOURNEYMAN_LOG_LEVEL: 'error',
      JOURNEYMAN_GATEWAY_PORT: String(chosen.gateway),
      JOURNEYMAN_SERVER_PORT: String(chosen.server),
      JOURNEYMAN_SERVER_UI_PORT: String(chosen.ui),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (printed.includes('Try:\n') && printed.endsWith('\n')) break;
  }
  return {
    url: `http://127.0.0.1:${chosen.gateway}`,
    address: `127.0.0.1:${chosen.server}`,
    ports: chosen,
    printed,
    kill: (signal) => void child.kill(signal),
    stop: async (signal) => {
      if (child.exitCode !== null) return child.exitCode;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
      return child.exitCode;
    },
  };
}
