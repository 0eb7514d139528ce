import { type ChildProcess, spawn } from 'node:child_process';

/** Result of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  /** The end of its stderr. */
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Killed after this many milliseconds. */
  readonly timeoutMs?: number;
  /** Killed after this many milliseconds without activity (`onOutput`, `alive`). */
  readonly idleMs?: number;
  readonly alive?: () => unknown;
  readonly onOutput?: (text: string) => void;
}

/** Runs a command. Rejects if it cannot be started or times out. */
export function execCommand(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: options.env ?? process.env,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    const watch = watchdog(child, options, (reason) => reject(new Error(`${command} ${reason}`)));
    const take = (text: string) => {
      watch.touch();
      options.onOutput?.(text);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      take(text);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-8_000);
      take(text);
    });
    child.on('error', (error) => {
      watch.stop();
      reject(error);
    });
    child.on('close', (code) => {
      watch.stop();
      resolve({ code, stdout, stderr });
    });
  });
}

function watchdog(child: ChildProcess, options: RunOptions, onKill: (reason: string) => void) {
  const started = Date.now();
  let [touched, seen] = [started, options.alive?.()];
  const timer = setInterval(() => {
    const now = Date.now();
    const sign = options.alive?.();
    if (sign !== seen) [touched, seen] = [now, sign];
    const tooLong = options.timeoutMs !== undefined && now - started > options.timeoutMs;
    const idle = options.idleMs !== undefined && now - touched > options.idleMs;
    if (!tooLong && !idle) return;
    clearInterval(timer);
    child.kill('SIGKILL');
    onKill(tooLong ? `took more than ${options.timeoutMs} ms` : `made no progress for ${options.idleMs} ms`);
  }, 100);
  timer.unref();
  return { touch: () => (touched = Date.now()), stop: () => clearInterval(timer) };
}

/** The last non-empty line, as a short reason. */
export function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').at(-1) ?? 'no output';
}
