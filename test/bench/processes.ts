import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { freePort } from '../../src/temporal/server/ports.js';

/** A process of a benchmark and what it costs. */
export interface Measured {
  pid: number;
  /** What it has printed so far. */
  printed(): string;
  stop(): Promise<void>;
}

/** Starts a Node process and resolves when it has printed `ready`. */
export async function nodeProcess(args: string[], ready: string, env: Record<string, string> = {}): Promise<Measured> {
  const child = spawn(process.execPath, args, {
    // The services of a benchmark are on this machine.
    env: { ...process.env, JOURNEYMAN_HTTP_EGRESS_ALLOW_LOOPBACK: 'true', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = await untilPrinted(child, ready);
  return {
    pid: child.pid!,
    printed,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function untilPrinted(child: ChildProcess, text: string): Promise<() => string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.on('data', (chunk) => {
      printed += String(chunk);
      if (printed.includes(text)) resolve(() => printed);
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${printed}`)));
  });
}

/** Milliseconds of CPU a process has used, user and system (Linux). */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Ports that are free and differ; one that was let go of may be handed out again at once. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort('127.0.0.1'));
  return [...ports];
}
