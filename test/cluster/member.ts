import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMsWithChildren } from './cpu.js';

/** The roles in a cluster; figures are summed per role. */
export const roles = ['postgresql', 'frontend', 'history', 'matching', 'system worker', 'gateway', 'worker'] as const;
export type Role = (typeof roles)[number];

/** The definition of a cluster process. */
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
  /** URL of its metrics, for our processes. */
  readonly metrics?: string;
  /** Whether it accepts work. */
  ready(): Promise<boolean>;
}

/** Ensures that cluster processes do not outlive this one. */
const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

const readyWithinMs = 180_000;
const stopWithinMs = 30_000;

/** One process of the cluster, which can be started, killed and stopped by its pid; restarted like by a supervisor if it exits by itself. */
export class Member {
  private child: ChildProcess | undefined;
  private earlierCpuMs = 0;
  private shouldRun = false;
  /** Its unexpected exits. */
  readonly ownExits: string[] = [];

  constructor(readonly spec: MemberSpec) {}

  get name(): string {
    return this.spec.name;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts it and waits until it is ready. If it exits before, it is restarted: PostgreSQL exits while an earlier one is being cleaned up. */
  async start(): Promise<void> {
    this.shouldRun = true;
    for (const deadline = Date.now() + readyWithinMs; Date.now() < deadline; await sleep(500)) {
      if (!this.shouldRun) return;
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

  /** Kills it (`kill -9`). */
  async kill(): Promise<void> {
    this.shouldRun = false;
    if (this.child) await this.end(this.child, 'SIGKILL');
  }

  /** Stops it gracefully; kills it at the timeout. */
  async stop(): Promise<void> {
    this.shouldRun = false;
    const { child } = this;
    if (!child) return;
    const late = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
    await this.end(child, this.spec.stopSignal ?? 'SIGTERM');
    clearTimeout(late);
  }

  /** Milliseconds of CPU of the process and its children since the first start. */
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
      if (!this.shouldRun || this.child !== child) return;
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
