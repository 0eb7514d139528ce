import type { Library } from './library.js';

/** What can be done with a journey and its runs; calling an Api is starting it. */
export type Action = 'start' | 'read' | 'submit' | 'cancel';
export const actions: readonly Action[] = ['start', 'read', 'submit', 'cancel'];

/** What a caller may do with journeys: a control at the boundary, to which a journey's own guards are added. */
export interface Access {
  /** Who it is: the runs that it starts are its own. */
  readonly caller: string;
  readonly runs: 'own' | 'all';
  /** Names, or beginnings of names that end in `*`. */
  readonly journeys: readonly string[];
  readonly actions: readonly Action[];
  /** Lists also the runs that only their own guards let others read: a list asks no guard. */
  readonly listsGuarded?: true;
}

/** What operators may do, and the product itself. */
export function everything(caller: string): Access {
  return { caller, runs: 'all', journeys: ['*'], actions, listsGuarded: true };
}

/** Whether one of the patterns stands for the journey or Api of this name. */
export function covers(patterns: readonly string[], name: string): boolean {
  return patterns.some((it) => (it.endsWith('*') ? name.startsWith(it.slice(0, -1)) : it === name));
}

/** What decides about a run. A run from before its starter was recorded has none. */
export interface OwnedRun {
  readonly journeyName: string;
  readonly startedBy?: string | undefined;
}

/** Whether a run is within a caller's reach. One that is not does not exist for it. */
export function reaches({ caller, runs, journeys }: Access, run: OwnedRun): boolean {
  return covers(journeys, run.journeyName) && (runs === 'all' || run.startedBy === caller);
}

/** The documents that a caller may know of. */
export function knownTo({ journeys }: Access, library: Library): Library {
  if (journeys.includes('*')) return library;
  return {
    find: (name, version) => (covers(journeys, name) ? library.find(name, version) : undefined),
    names: () => library.names().filter((name) => covers(journeys, name)),
    // Which files are broken is for those who ask about the process.
    broken: (name) => (covers(journeys, name) ? (library.broken?.(name) ?? []) : []),
    apis: () => library.apis().filter(({ definition }) => covers(journeys, definition.name)),
    // Whoever may use a pipeline may use what it runs.
    pipelines: () =>
      library
        .pipelines()
        .filter(({ definition }) => Object.keys(definition.journeys).every((name) => covers(journeys, name))),
  };
}
