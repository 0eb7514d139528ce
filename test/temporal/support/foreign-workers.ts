import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { available } from '../../support/available.js';

const folder = resolve('.services/workers');
const go = `${folder}/go-worker`;
const python = `${folder}/python/bin/python`;
const source = (name: string) => fileURLToPath(new URL(`../workers/${name}`, import.meta.url));

/** Whether the worker in Go is built and the SDK for Python is installed. */
export const hasForeignWorkers = available('workers', '.services/workers is missing (npm run services)', () => {
  if (!existsSync(go)) throw new Error('no Go worker');
  execFileSync(python, ['-c', 'import temporalio']);
});

/** The languages of the workers, with the types of their activities. */
export const languages = { go: 'GoWork', python: 'PythonWork', typescript: 'TypeScriptWork' } as const;
export type Language = keyof typeof languages;

const commands: Record<Language, readonly string[]> = {
  go: [go],
  python: [python, source('python/worker.py')],
  typescript: [process.execPath, source('typescript-worker.mjs')],
};

/** A foreign worker in a separate process. */
export interface ForeignWorker {
  /** Lines that it has printed. */
  readonly printed: readonly string[];
  kill9(): Promise<void>;
}

/** Starts a worker; resolves when it is about to poll. */
export function foreignWorker(language: Language, address: string, taskQueue: string): Promise<ForeignWorker> {
  return started(commands[language], address, taskQueue);
}

/** Starts a worker with the workflows of `shipping-workflows.mjs`. */
export function workflowWorker(address: string, taskQueue: string): Promise<ForeignWorker> {
  return started([process.execPath, source('workflow-worker.mjs')], address, taskQueue);
}

async function started(
  [command, ...args]: readonly string[],
  address: string,
  taskQueue: string,
): Promise<ForeignWorker> {
  const child = spawn(command!, [...args, address, taskQueue], { stdio: ['ignore', 'pipe', 'ignore'] });
  const printed: string[] = [];
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => printed.push(line));
  const exited = once(child, 'exit').then(() =>
    Promise.reject(new Error(`the worker ended: ${command} ${args.join(' ')}`)),
  );
  await Promise.race([once(lines, 'line'), exited]);
  exited.catch(() => undefined);
  return { printed, kill9: () => kill9(child) };
}

async function kill9(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
