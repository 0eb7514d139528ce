import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { ContestantName } from '../contestants/contestant.js';

/** One measured value. `at` is the size of the flow, for measures that depend on it. */
export interface Sample {
  measure: string;
  contestant: ContestantName;
  repeat: number;
  value: number;
  at?: number;
}

/** The measurements of a part, with their environment. */
export interface PartResults {
  part: string;
  date: string;
  commit: string;
  repeats: number;
  seconds: number;
  machine: { cores: number; cpu: string; memoryGb: number; node: string; server: string };
  samples: Sample[];
}

/** The folder of the raw data, ignored by git: one file per part, from its last run. */
const folder = '.bench';

const fileOf = (part: string): string => join(folder, `${part}.json`);

/** Stores the raw data of a part. */
export function keepResults(results: PartResults): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(results.part), `${JSON.stringify(results, null, 1)}\n`);
  return fileOf(results.part);
}

/** The stored data of a part, if it has ever run here. */
export function keptResults(part: string): PartResults | undefined {
  return existsSync(fileOf(part)) ? (JSON.parse(readFileSync(fileOf(part), 'utf8')) as PartResults) : undefined;
}

/** The machine and the versions that figures depend on. */
export function machine(serverVersion: string): PartResults['machine'] {
  return {
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    server: serverVersion,
  };
}

/** The measured commit, marked if files have changed since. */
export const commit = (): string =>
  execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
