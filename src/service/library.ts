import type { Definition } from '../definition/definition.js';
import type { PipelineDefinition } from '../pipelines/definition.js';

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
  /** The `kind: Journey` of this name. */
  find(name: string): LibraryEntry | undefined;
  /** Names of all journeys, for suggestions. */
  names(): readonly string[];
  /** Every `kind: Api`. */
  apis(): readonly LibraryEntry[];
  /** Every `kind: Pipeline`. */
  pipelines(): readonly PipelineEntry[];
}

/** A library of these documents, one per name. */
export function libraryOf(entries: readonly LibraryEntry[], pipelines: readonly PipelineEntry[] = []): Library {
  const ofKind = (kind: Definition['kind']) => entries.filter(({ definition }) => definition.kind === kind);
  const journeys = ofKind('Journey');
  const apis = ofKind('Api');
  return {
    find: (name) => journeys.find(({ definition }) => definition.name === name),
    names: () => journeys.map(({ definition }) => definition.name),
    apis: () => apis,
    pipelines: () => pipelines,
  };
}
