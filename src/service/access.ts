import type { GuardedRun } from '../engine/evaluate-read-guard.js';
import type { InboundRequest } from './inbound-request.js';
import type { Library } from './library-interface.js';

/** Actions on a journey and its runs; calling an Api counts as starting it. */
export type AccessAction = 'start' | 'read' | 'submit' | 'cancel';
export const actions: readonly AccessAction[] = ['start', 'read', 'submit', 'cancel'];

/** Access of a caller to journeys, checked at the boundary; a journey's own guards apply in addition. */
export interface Access {
  /** The caller, which owns the runs that it starts. */
  readonly caller: string;
  /** The caller as runs record their owner, if its own name is not known. */
  readonly recordedAs?: string;
  readonly runs: 'own' | 'all';
  /** Names, or prefixes that end in `*`. */
  readonly journeys: readonly string[];
  readonly actions: readonly AccessAction[];
  /** Also lists runs with a read guard; a list does not evaluate guards. */
  readonly listsGuarded?: true;
}

/** Full access, for operators and the product itself. */
export function fullAccess(caller: string): Access {
  return { caller, runs: 'all', journeys: ['*'], actions, listsGuarded: true };
}

/** Reports whether one of the patterns matches the name of a journey or Api. */
export function matchesPattern(patterns: readonly string[], name: string): boolean {
  return patterns.some((it) => (it.endsWith('*') ? name.startsWith(it.slice(0, -1)) : it === name));
}

/** The facts that access depends on. A run started by a pipeline or a job has no owner. */
export interface OwnedRun {
  readonly journeyName: string;
  readonly startedBy?: string | undefined;
}

/** Reports whether a caller can access a run. Other runs are reported as unknown. */
export function canAccess({ caller, runs, journeys }: Access, run: OwnedRun): boolean {
  return matchesPattern(journeys, run.journeyName) && (runs === 'all' || run.startedBy === caller);
}

/** Restricts a library to the documents that a caller has access to. */
export function libraryVisibleTo({ journeys }: Access, library: Library): Library {
  if (journeys.includes('*')) return library;
  return {
    find: (name, version) => (matchesPattern(journeys, name) ? library.find(name, version) : undefined),
    versions: (name) => (matchesPattern(journeys, name) ? library.versions(name) : []),
    names: () => library.names().filter((name) => matchesPattern(journeys, name)),
    // Broken files are listed by the probes only.
    broken: (name) => (matchesPattern(journeys, name) ? (library.broken?.(name) ?? []) : []),
    apis: () => library.apis().filter(({ definition }) => matchesPattern(journeys, definition.name)),
    // A pipeline is visible if all its journeys are.
    pipelines: () =>
      library
        .pipelines()
        .filter(({ definition }) => Object.keys(definition.journeys).every((name) => matchesPattern(journeys, name))),
  };
}

/** Evaluates the read guards of runs. */
export interface ReadGuards {
  /** Throws RUN_UNKNOWN, as for a missing run, unless the guard admits the sender of `request`. */
  admit(run: GuardedRun, request: InboundRequest): Promise<void>;
}
