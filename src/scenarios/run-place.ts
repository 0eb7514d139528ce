import { readFile } from 'node:fs/promises';
import type { Definition } from '../definition/definition.js';
import { lineColumnAt } from '../document/locate.js';
import { parseSource, type Source } from '../document/parse.js';
import { type CodeEntry, registry } from '../problems/registry.js';
import { allStates } from '../states/graphs.js';
import type { Observation } from './observation.js';

/** Where a run ended or stands, in the text of its journey, with what an error says about it. */
export interface RunPlace {
  state: string;
  file: string;
  line: number;
  column: number;
  /** The error the run ended with. */
  code?: string;
  reason?: string;
  hint?: string;
}

/** Where the run of a scenario ended or stands, for somebody who did not expect it there. */
export async function placeOfRun(
  definition: Definition,
  file: string,
  { outcome, currentState, phase }: Observation,
): Promise<RunPlace | undefined> {
  const error = outcome?.error;
  const state = typeof error?.state === 'string' ? error.state : currentState;
  if (!state || phase === 'SUCCEEDED') return undefined;
  const found = [...allStates(definition)].find(({ id }) => id === state);
  if (!found) return undefined;
  const code = error ? String(error.cause ?? error.code) : undefined;
  const hint = error?.hint ?? (code === undefined ? undefined : hintOf(code));
  return {
    state,
    file,
    ...lineColumnAt(await sourceOf(file), found.pointer),
    ...(error && { code: code!, reason: error.reason }),
    ...(typeof hint === 'string' && { hint }),
  };
}

function hintOf(code: string): string | undefined {
  return (registry as Readonly<Record<string, CodeEntry>>)[code]?.hint;
}

/** The text of a document with the places of its parts; empty if the file has gone meanwhile. */
export async function sourceOf(file: string): Promise<Source> {
  return parseSource(await readFile(file, 'utf8').catch(() => ''), file);
}
