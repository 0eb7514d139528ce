import { readFileSync, writeFileSync } from 'node:fs';

/** A seed that once failed, and the reason. */
export interface KeptSeed {
  seed: number;
  about: string;
}

/** The seeds that the unit tests replay. */
export function readKeptSeeds(file: URL | string): KeptSeed[] {
  return JSON.parse(readFileSync(file, 'utf8')) as KeptSeed[];
}

/** Adds new seeds to the file; existing ones do not change. */
export function keepSeeds(file: URL | string, failed: readonly KeptSeed[]): void {
  const kept = readKeptSeeds(file);
  const fresh = failed.filter(({ seed }) => !kept.some((it) => it.seed === seed));
  const all = [...kept, ...fresh].sort((a, b) => a.seed - b.seed);
  const lines = all.map((it) => `  { "seed": ${it.seed}, "about": ${JSON.stringify(it.about)} }`).join(',\n');
  writeFileSync(file, all.length === 0 ? '[]\n' : `[\n${lines}\n]\n`);
}
