import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../../src/base/json/value.js';
import { shared } from '../../conformance/section.js';

export interface OracleRequest {
  expr: string;
  bindings: JsonObject;
  now: string;
  uuid: string;
}

export type OracleAnswer =
  | { ok: true; raw: string }
  | { ok: false; kind: 'compile' | 'runtime' | 'timeout' | 'denied'; error: string };

const python = process.env.DW_PYTHON ?? 'python3';
const script = fileURLToPath(new URL('tools/dataweave-oracle.py', shared));

/** The missing prerequisites of the real engine, with instructions; undefined if it is available. */
export function oracleMissing(): string | undefined {
  if (!existsSync(script)) return 'the oracle script is missing (../shared/tools/dataweave-oracle.py)';
  if (spawnSync(python, ['-c', 'import dataweave'], { stdio: 'ignore' }).status === 0) return undefined;
  return [
    `dataweave-native is not installed for ${python}; install it and set DW_PYTHON:`,
    '  python3 -m venv <folder> && <folder>/bin/pip install dataweave-native==2.12.2',
    '  DW_PYTHON=<folder>/bin/python npm run fuzz:dataweave',
  ].join('\n');
}

interface Worker {
  process: ChildProcessByStdio<Writable, Readable, null>;
  waiting: Map<number, (answer: OracleAnswer) => void>;
}

/** The real engine in a few processes; requests are distributed over them and completed in any order. */
export class Oracle {
  readonly #workers: Worker[];
  #next = 0;

  constructor(processes: number) {
    this.#workers = Array.from({ length: processes }, start);
  }

  ask(request: OracleRequest): Promise<OracleAnswer> {
    const id = this.#next++;
    const worker = this.#workers[id % this.#workers.length]!;
    return new Promise((resolve) => {
      worker.waiting.set(id, resolve);
      worker.process.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
    });
  }

  askAll(requests: OracleRequest[]): Promise<OracleAnswer[]> {
    return Promise.all(requests.map((request) => this.ask(request)));
  }

  close(): void {
    for (const { process: child } of this.#workers) {
      child.stdin.end();
      child.kill();
    }
  }
}

function start(): Worker {
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'ignore'] });
  const worker: Worker = { process: child, waiting: new Map() };
  createInterface({ input: child.stdout }).on('line', (line) => {
    // The engine sometimes writes a warning between its results.
    if (!line.startsWith('{')) return;
    const { id, ...answer } = JSON.parse(line) as { id: number } & OracleAnswer;
    worker.waiting.get(id)?.(answer as OracleAnswer);
    worker.waiting.delete(id);
  });
  child.on('exit', () => {
    for (const resolve of worker.waiting.values()) resolve({ ok: false, kind: 'timeout', error: 'the oracle ended' });
  });
  return worker;
}
