import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** A child process that ends with this process. */
export interface Supervised {
  /** The process of the server, not of the supervising shell. */
  readonly pid: number;
  readonly exited: Promise<number | null>;
  /** Stops it, and kills it after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/**
 * A shell between us and the server. Its stdin is a pipe that only we hold, so it closes when we end, even by SIGKILL; then the
 * shell stops the server. Fd 3 returns the server's process id. Files of the server are private to this user.
 */
const watcher = `
umask 077
exec 4<&0
"$@" </dev/null 3>&- 4<&- & child=$!
echo "$child" >&3
exec 3>&-
( while read -r _; do :; done <&4; kill -TERM "$child" ) 2>/dev/null & watcher=$!
exec 4<&-
wait "$child"; code=$?
kill "$watcher" 2>/dev/null
exit "$code"
`;

/**
 * Starts a command that ends with this process. It has its own process group, so that Ctrl-C in the terminal reaches only us, and
 * we decide the order of stopping. Windows has no such shell: the next start finds an orphaned server.
 */
export async function supervise(command: string, args: readonly string[], logFile: string): Promise<Supervised> {
  const log = openSync(logFile, 'a', 0o600);
  const posix = process.platform !== 'win32';
  const child = posix
    ? spawn('/bin/sh', ['-c', watcher, 'journeyman', command, ...args], {
        detached: true,
        stdio: ['pipe', log, log, 'pipe'],
      })
    : spawn(command, args, { stdio: ['ignore', log, log], windowsHide: true });
  closeSync(log);
  child.stdin?.on('error', () => {}); // It exited before the pipe was closed.
  const exited = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => {
      child.stdin?.destroy();
      resolve(code);
    });
  });
  exited.catch(() => {});
  const pid = posix ? await childPid(child, exited) : (child.pid as number);
  return { pid, exited, stop: (graceMs) => stop(child, pid, exited, graceMs) };
}

async function childPid(shell: ChildProcess, exited: Promise<unknown>): Promise<number> {
  const reportedPid = new Promise<number>((resolve) => {
    (shell.stdio[3] as Readable).setEncoding('utf8').once('data', (text: string) => resolve(Number(text)));
  });
  const pid = await Promise.race([reportedPid, exited.then(() => undefined)]);
  if (pid === undefined) throw new Error('it exited immediately');
  return pid;
}

async function stop(child: ChildProcess, pid: number, exited: Promise<unknown>, graceMs: number): Promise<void> {
  if (child.stdin === null) child.kill('SIGTERM');
  else child.stdin.end();
  const kill = setTimeout(() => killQuietly(pid), graceMs);
  await exited.catch(() => {});
  clearTimeout(kill);
}

/** Kills a process if it still exists. */
export function killQuietly(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has exited meanwhile.
  }
}
