import type { Definition } from '../definition/definition.js';
import type { PipelineDefinition } from '../pipelines/definition.js';
import { type Finding, refuse } from '../problems/problem.js';

/** A journey or an Api that can be started. */
export interface LibraryEntry {
  readonly definition: Definition;
  /** Content hash of the definition. */
  readonly hash: string;
}

/** A pipeline that can be deployed. */
export interface PipelineEntry {
  readonly definition: PipelineDefinition;
  /** Content hash of the definition, the journeys of its handlers included. */
  readonly hash: string;
}

/** The documents that can be started now: the highest version of each name. It may change while a process runs. */
export interface Library {
  /** The `kind: Journey` of this name; of that version, where one is named. */
  find(name: string, version?: string): LibraryEntry | undefined;
  /** Names of all journeys, for suggestions. */
  names(): readonly string[];
  /** Every `kind: Api`. */
  apis(): readonly LibraryEntry[];
  /** Every `kind: Pipeline`. */
  pipelines(): readonly PipelineEntry[];
  /** What keeps a document of this name from being served. */
  broken?(name: string): readonly Finding[];
  /** The first error of each file that has some. */
  brokenFiles?(): readonly BrokenFile[];
}

/** A file with errors, in a line. */
export interface BrokenFile {
  /** Its name, not where it lies. */
  readonly file: string;
  readonly code: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** Refuses to say that there is no such document when there is one with errors. */
export function refuseBroken(library: Library, name: string, hint?: string): void {
  const errors = library.broken?.(name) ?? [];
  if (errors.length === 0) return;
  refuse('JOURNEY_BROKEN', `The document ${JSON.stringify(name.slice(0, 80))} has errors.`, {
    ...(hint !== undefined && { hint }),
    errors: errors.slice(0, mostFindings).map(({ code, severity, message, pointer, line, column, hint }) => ({
      code,
      severity,
      message,
      pointer,
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
      ...(hint !== undefined && { hint }),
    })),
  });
}

const mostFindings = 20;

/** The journey of this name and version. */
export function findVersion(library: Library, name: string, version: string): LibraryEntry {
  const entry = library.find(name, version);
  if (entry) return entry;
  refuseBroken(library, name);
  const served = library.find(name)?.definition.version;
  return refuse('JOURNEY_UNKNOWN', `There is no version ${JSON.stringify(version.slice(0, 80))} of ${name} here.`, {
    ...(served !== undefined && { hint: `The newest is ${served}.` }),
  });
}

/** A library of these documents, one per name; others of the same names are found by their versions. */
export function libraryOf(
  entries: readonly LibraryEntry[],
  pipelines: readonly PipelineEntry[] = [],
  earlier: readonly LibraryEntry[] = [],
): Library {
  const ofKind = (kind: Definition['kind']) => entries.filter(({ definition }) => definition.kind === kind);
  const journeys = ofKind('Journey');
  const apis = ofKind('Api');
  return {
    find: (name, version) =>
      (version === undefined ? journeys : [...journeys, ...earlier]).find(
        ({ definition }) => definition.name === name && (version === undefined || definition.version === version),
      ),
    names: () => journeys.map(({ definition }) => definition.name),
    apis: () => apis,
    pipelines: () => pipelines,
  };
}
