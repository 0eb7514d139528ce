import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMsWithChildren } from './cpu.js';

/** The parts of a cluster; figures are added up for each. */
export const roles = ['postgresql', 'frontend', 'history', 'matching', 'system worker', 'gateway', 'worker'] as const;
export type Role = (typeof roles)[number];

/** How a process of the cluster is started. */
export interface MemberSpec {
  readonly name: string;
  readonly role: Role;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly stopSignal?: NodeJS.Signals;
  /** File of its output. */
  readonly log: string;
  /** URL of its metrics, if it is one of ours. */
  readonly metrics?: string;
  /** Whether it accepts work. */
  ready(): Promise<boolean>;
}

/** Whatever happens to this process, none of the cluster's outlives it. */
const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

const readyWithinMs = 180_000;
const stopWithinMs = 30_000;

/** One process of the cluster: started, killed, restarted when it ends by itself as a supervisor would, and stopped by its pid. */
export class Member {
  private child: ChildProcess | undefined;
  private earlierCpuMs = 0;
  private isWanted = false;
  /** How it ended without being killed or stopped. */
  readonly ownExits: string[] = [];

  constructor(readonly spec: MemberSpec) {}

  get name(): string {
    return this.spec.name;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts it and waits until it is ready. One that ends before that is started again: PostgreSQL does while an earlier one is being cleaned up. */
  async start(): Promise<void> {
    this.isWanted = true;
    for (const deadline = Date.now() + readyWithinMs; Date.now() < deadline; await sleep(500)) {
      if (!this.isWanted) return;
      const child = this.launch();
      while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
        if (await this.spec.ready().catch(() => false)) {
          this.superviseFrom(child);
          return;
        }
        await sleep(100);
      }
      await this.end(child, 'SIGKILL');
    }
    throw new Error(`${this.name} is not ready after ${readyWithinMs / 1000} s; its log is ${this.spec.log}`);
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.isWanted = false;
    if (this.child) await this.end(this.child, 'SIGKILL');
  }

  /** Stops it in an orderly way; one that does not end in time is killed. */
  async stop(): Promise<void> {
    this.isWanted = false;
    const { child } = this;
    if (!child) return;
    const late = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
    await this.end(child, this.spec.stopSignal ?? 'SIGTERM');
    clearTimeout(late);
  }

  /** Milliseconds of CPU since the first start, of the process and its children. */
  cpuMs(): number {
    return this.earlierCpuMs + (this.pid === undefined ? 0 : cpuMsWithChildren(this.pid));
  }

  private launch(): ChildProcess {
    const { command, args, env, user, log } = this.spec;
    const output = openSync(log, 'a');
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', output, output], ...user });
    closeSync(output);
    living.add(child);
    child.once('exit', () => living.delete(child));
    child.on('error', (error) => this.ownExits.push(error.message));
    this.child = child;
    return child;
  }

  private superviseFrom(child: ChildProcess): void {
    child.once('exit', (code, signal) => {
      if (!this.isWanted || this.child !== child) return;
      this.ownExits.push(`ended with ${code ?? signal} at ${new Date().toISOString()}`);
      this.start().catch((error: Error) => this.ownExits.push(error.message));
    });
  }

  private async end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      if (signal === 'SIGKILL') this.earlierCpuMs += cpuMsWithChildren(child.pid);
      child.kill(signal);
      await exited;
    }
    if (this.child === child) this.child = undefined;
  }
}
