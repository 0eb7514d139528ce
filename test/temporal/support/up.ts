import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../../src/temporal/server/tcp-ports.js';

/** A running `journeyman up` with its own server. */
export interface Up {
  readonly url: string;
  /** The address of its Temporal server. */
  readonly address: string;
  readonly ports: { readonly gateway: number; readonly server: number; readonly ui: number };
  /** Standard output until it was ready. */
  readonly printed: string;
  /** Standard error so far. */
  logged(): string;
  kill(signal: NodeJS.Signals): void;
  /** Stops it and returns its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/** Three ports that are currently free. */
export async function freePorts(): Promise<Up['ports']> {
  const distinct = async (...taken: number[]): Promise<number> => {
    const port = await freePort('127.0.0.1');
    return taken.includes(port) ? distinct(...taken) : port;
  };
  const gateway = await distinct();
  const server = await distinct(gateway);
  return { gateway, server, ui: await distinct(gateway, server) };
}

/** Starts `journeyman up` in a folder and waits until it prints its suggestions. */
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
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let logged = '';
  child.stderr.on('data', (chunk) => {
    logged += String(chunk);
  });
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (printed.includes('Try:\n') && printed.endsWith('\n')) break;
  }
  if (!printed.includes('Try:\n')) throw new Error(`journeyman up did not start:\n${printed}${logged}`);
  return {
    url: `http://127.0.0.1:${chosen.gateway}`,
    address: `127.0.0.1:${chosen.server}`,
    ports: chosen,
    printed,
    logged: () => logged,
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
