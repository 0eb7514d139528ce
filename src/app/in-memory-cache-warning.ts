import type { Config } from '../config/config-types.js';
import type { Definition } from '../engine/definition/definition.js';
import { allStates } from '../language/states/graph-traversal.js';
import { taskOf } from '../language/states/state-queries.js';
import { behaviourOf } from '../language/tasks/registry.js';
import type { Library } from '../service/library-interface.js';

/** A warning about journeys that use an in-memory cache while several workers can run; undefined if none do. */
export function cacheWarning(
  { cache, temporal }: Pick<Config, 'cache' | 'temporal'>,
  library: Library,
): string | undefined {
  if (cache.redis !== undefined || temporal.address === undefined) return undefined;
  const journeys = library.names().flatMap((name) => library.find(name)?.definition ?? []);
  const users = [...journeys, ...library.apis().map(({ definition }) => definition)].filter(usesCache);
  if (users.length === 0) return undefined;
  const names = users.map(({ name }) => name).join(', ');
  return `Every worker and gateway has its own in-memory cache, and runs of ${names} may use several of them`;
}

function usesCache(definition: Definition): boolean {
  return [...allStates(definition)].some(({ state }) => {
    const task = taskOf(state);
    return task && behaviourOf(task).effect?.name === 'cache';
  });
}
