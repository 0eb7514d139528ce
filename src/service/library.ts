import type { Definition } from '../definition/definition.js';

/** A journey or an Api that can be started. */
export interface LibraryEntry {
  readonly definition: Definition;
  /** Content hash of the definition. */
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
}

/** A library of these documents, one per name. */
export function libraryOf(entries: readonly LibraryEntry[]): Library {
  const ofKind = (kind: Definition['kind']) => entries.filter(({ definition }) => definition.kind === kind);
  const journeys = ofKind('Journey');
  const apis = ofKind('Api');
  return {
    find: (name) => journeys.find(({ definition }) => definition.name === name),
    names: () => journeys.map(({ definition }) => definition.name),
    apis: () => apis,
  };
}
