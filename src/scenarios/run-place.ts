import { readFile } from 'node:fs/promises';
import type { Definition } from '../definition/definition.js';
import { lineColumnAt } from '../document/locate.js';
import { parseSource, type Source } from '../document/parse.js';
import type { JourneyError } from '../engine/outcome.js';
import { canonical, isObject, type JsonObject } from '../json/value.js';
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
  /** The time of the run, where a schedule started it. */
  run?: string;
}

/** Where the run of a scenario ended or stands, for somebody who did not expect it there. */
export async function placeOfRun(
  definition: Definition,
  file: string,
  { outcome, currentState, phase }: Observation,
): Promise<RunPlace | undefined> {
  return phase === 'SUCCEEDED' ? undefined : await placeOf(definition, file, outcome?.error, currentState);
}

/** Where the runs of schedules failed, each failure once: many runs may fail for the same reason. */
export async function placesOfScheduledRuns(
  definition: Definition,
  file: string,
  schedules: readonly JsonObject[],
  isExpected: (run: JsonObject, schedule: number, index: number) => boolean = () => false,
): Promise<RunPlace[]> {
  const places = new Map<string, RunPlace>();
  for (const [i, schedule] of schedules.entries())
    for (const [j, run] of ((schedule.runs ?? []) as JsonObject[]).entries()) {
      if (!isObject(run.error) || isExpected(run, i, j)) continue;
      const place = await placeOf(definition, file, run.error as JourneyError, String(run.terminatedAtState));
      const key = canonical([place?.state ?? '', place?.code ?? '', place?.reason ?? '']);
      if (place && !places.has(key)) places.set(key, { ...place, run: String(run.at) });
    }
  return [...places.values()];
}

async function placeOf(
  definition: Definition,
  file: string,
  error: JourneyError | null | undefined,
  ended: string | undefined,
): Promise<RunPlace | undefined> {
  const state = typeof error?.state === 'string' ? error.state : ended;
  const found = state ? [...allStates(definition)].find(({ id }) => id === state) : undefined;
  if (!state || !found) return undefined;
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
