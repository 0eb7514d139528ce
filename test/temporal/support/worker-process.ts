import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../dist/src/cli/main.js', import.meta.url));

/** A worker in a process of its own, as `journeyman worker` runs it; to be killed. */
export interface WorkerProcess {
  /** The process is gone at once, as in a crash. */
  kill9(): Promise<void>;
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a worker process and resolves when it polls. */
export async function workerProcess(
  env: Record<string, string>,
  /** Hears every line of the worker's log, which otherwise goes to this process's own. */
  heard?: (line: string) => void,
): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [main, 'worker'], {
    env: { ...process.env, JOURNEYMAN_LOG_LEVEL: 'error', JOURNEYMAN_HTTP_EGRESS_ALLOW_LOOPBACK: 'true', ...env },
    stdio: ['ignore', 'pipe', heard ? 'pipe' : 'inherit'],
  });
  if (heard && child.stderr) createInterface(child.stderr).on('line', heard);
  await untilPolling(child);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    kill9: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}

function untilPolling(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('Worker polls')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`the worker ended with ${code}: ${output}`)));
  });
}
