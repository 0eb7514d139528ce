import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { commandLine } from '../../support/package-root.js';

/** A part of the product in a separate process, started through the command line, which tests kill. */
export interface WorkerProcess {
  /** Its output until it was ready. */
  readonly printed: string;
  readonly pid: number;
  /** Kills the process, as in a crash. */
  kill9(): Promise<void>;
  /** Sends SIGTERM; returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a worker process and resolves when it polls. */
export async function workerProcess(
  env: Record<string, string>,
  /** Receives every line of the worker's log, which otherwise goes to the log of this process. */
  heard?: (line: string) => void,
): Promise<WorkerProcess> {
  return await partProcess('worker', 'Worker polls', env, heard);
}

/** Starts a gateway process and resolves when it listens. */
export async function gatewayProcess(
  env: Record<string, string>,
  heard?: (line: string) => void,
): Promise<WorkerProcess & { url: string }> {
  const part = await partProcess('gateway', 'Gateway at ', env, heard);
  return { ...part, url: /Gateway at (\S+),/.exec(part.printed)![1]! };
}

async function partProcess(
  command: string,
  ready: string,
  env: Record<string, string>,
  heard?: (line: string) => void,
): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [commandLine, command], {
    env: {
      ...process.env,
      JOURNEYMAN_LOG_LEVEL: 'error',
      JOURNEYMAN_HTTP_EGRESS_ALLOW_LOOPBACK: 'true',
      JOURNEYMAN_GATEWAY_SHUTDOWN_DELAY_MS: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', heard ? 'pipe' : 'inherit'],
  });
  if (heard && child.stderr) createInterface(child.stderr).on('line', heard);
  const printed = await untilPrinted(child, ready);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    printed,
    pid: child.pid!,
    kill9: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}

function untilPrinted(child: ChildProcess, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes(text) && output.endsWith('\n')) resolve(output);
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${output}`)));
  });
}
