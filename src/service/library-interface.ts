import { type Finding, refuse } from '../base/problems/problem.js';
import type { Definition } from '../engine/definition/definition.js';
import type { PipelineDefinition } from '../pipelines/definition.js';

/** A journey or an Api that can be started. */
export interface LibraryEntry {
  readonly definition: Definition;
  /** Content hash of the definition. */
  readonly hash: string;
  /** The path and content of its file, if it was read from one. */
  readonly file?: string;
  readonly text?: string;
}

/** A pipeline that can be deployed. */
export interface PipelineEntry {
  readonly definition: PipelineDefinition;
  /** Content hash of the definition, including the journeys of its handlers. */
  readonly hash: string;
}

/** The served documents: the highest version of each name. May change while a process runs. */
export interface Library {
  /** Finds a `kind: Journey` by name and, if given, version. */
  find(name: string, version?: string): LibraryEntry | undefined;
  /** All versions of a journey or Api, the highest first; empty if it is not served. */
  versions(name: string): readonly LibraryEntry[];
  /** Names of all journeys, for suggestions. */
  names(): readonly string[];
  /** Every `kind: Api`. */
  apis(): readonly LibraryEntry[];
  /** Every `kind: Pipeline`. */
  pipelines(): readonly PipelineEntry[];
  /** The errors of a document that is not served. */
  broken?(name: string): readonly Finding[];
  /** The first error of each file with errors. */
  brokenFiles?(): readonly BrokenFile[];
}

/** The first error of a file. */
export interface BrokenFile {
  /** The name without its folder. */
  readonly file: string;
  readonly code: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** Throws JOURNEY_BROKEN if a document of this name has errors. */
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

/** Finds a version of a journey, or throws JOURNEY_UNKNOWN. */
export function findVersion(library: Library, name: string, version: string): LibraryEntry {
  const entry = library.find(name, version);
  if (entry) return entry;
  refuseBroken(library, name);
  const served = library.find(name)?.definition.version;
  return refuse('JOURNEY_UNKNOWN', `${name} has no version ${JSON.stringify(version.slice(0, 80))}.`, {
    ...(served !== undefined && { hint: `The newest is ${served}.` }),
  });
}

/** Creates a library of these documents, one per name; `earlier` versions are found by version. */
export function libraryOf(
  entries: readonly LibraryEntry[],
  pipelines: readonly PipelineEntry[] = [],
  earlier: readonly LibraryEntry[] = [],
): Library {
  const ofKind = (kind: Definition['kind']) => entries.filter(({ definition }) => definition.kind === kind);
  const journeys = ofKind('Journey');
  const apis = ofKind('Api');
  return {
    versions: (name) => {
      const newest = entries.filter(({ definition }) => definition.name === name);
      const older = newest.length === 0 ? [] : earlier.filter(({ definition }) => definition.name === name);
      return [...newest, ...older];
    },
    find: (name, version) =>
      (version === undefined ? journeys : [...journeys, ...earlier]).find(
        ({ definition }) => definition.name === name && (version === undefined || definition.version === version),
      ),
    names: () => journeys.map(({ definition }) => definition.name),
    apis: () => apis,
    pipelines: () => pipelines,
  };
}
