import { readFile } from 'node:fs/promises';
import { lineColumnAt } from '../base/document/locate-pointer.js';
import { parseSource, type Source } from '../base/document/parse-yaml.js';
import { canonical, isObject, type JsonObject } from '../base/json/value.js';
import { type CodeEntry, registry } from '../base/problems/registry.js';
import type { Definition } from '../engine/definition/definition.js';
import type { JourneyError } from '../engine/outcome.js';
import { allStates } from '../language/states/graph-traversal.js';
import type { Observation } from './scenario-observation.js';

/** The place in the text of its journey at which a run ended or waits, with the error. */
export interface RunPlace {
  state: string;
  file: string;
  line: number;
  column: number;
  /** The error of the run. */
  code?: string;
  reason?: string;
  hint?: string;
  /** The nominal time of a scheduled run. */
  run?: string;
}

/** The place at which the run of a scenario ended or waits. */
export async function placeOfRun(
  definition: Definition,
  file: string,
  { outcome, currentState, phase }: Observation,
): Promise<RunPlace | undefined> {
  return phase === 'SUCCEEDED' ? undefined : await placeOf(definition, file, outcome?.error, currentState);
}

/** The places at which scheduled runs failed, each once: many runs may fail for the same reason. */
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
    ...lineColumnAt(await readSourceFile(file), found.pointer),
    ...(error && { code: code!, reason: error.reason }),
    ...(typeof hint === 'string' && { hint }),
  };
}

function hintOf(code: string): string | undefined {
  return (registry as Readonly<Record<string, CodeEntry>>)[code]?.hint;
}

/** The text of a document with the positions of its parts; empty if the file was deleted in the meantime. */
export async function readSourceFile(file: string): Promise<Source> {
  return parseSource(await readFile(file, 'utf8').catch(() => ''), file);
}
