import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, isListening } from '../../src/temporal/server/tcp-ports.js';

/** A process of a benchmark and its cost. */
export interface Measured {
  pid: number;
  /** Its output so far. */
  printed(): string;
  stop(): Promise<void>;
  /** Kills it, like `kill -9`. */
  kill(): Promise<void>;
}

/** Starts a Node process and resolves when it has printed `ready`. */
export async function nodeProcess(args: string[], ready: string, env: Record<string, string> = {}): Promise<Measured> {
  // The services of a benchmark run on this machine.
  const settings = { ...process.env, JOURNEYMAN_HTTP_EGRESS_ALLOW_LOOPBACK: 'true', ...env };
  const child = spawn(process.execPath, args, { env: settings, stdio: ['ignore', 'pipe', 'inherit'] });
  return await started(child, (printed) => printed.includes(ready));
}

/** Starts an executable and resolves when it listens at an address. */
export async function listeningProcess(path: string, args: string[], address: string): Promise<Measured> {
  const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return await started(child, () => isListening(address));
}

/** Waits until a process is ready; fails if it exits before. */
async function started(child: ChildProcess, ready: (printed: string) => boolean | Promise<boolean>): Promise<Measured> {
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += String(chunk);
  });
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  while (!(await ready(printed))) {
    if (ended()) throw new Error(`${child.spawnfile} ended with ${child.exitCode}: ${printed}`);
    await sleep(10);
  }
  const end = async (signal: NodeJS.Signals) => {
    if (ended()) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  return { pid: child.pid!, printed: () => printed, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}

/** Milliseconds of CPU that a process has used in its threads, to the microsecond (Linux). */
export function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + threadCpuMs(pid, thread), 0);
}

function threadCpuMs(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    // The thread has ended since the folder was read.
    return 0;
  }
}

/** Megabytes of memory that a process occupies (Linux). */
export function rssMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

/** Distinct free ports; a released port may be assigned again at once. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort('127.0.0.1'));
  return [...ports];
}
