import type { Config } from '../config/config.js';
import type { Definition } from '../definition/definition.js';
import type { Library } from '../service/library.js';
import { allStates } from '../states/graphs.js';

/** What may surprise those who use a cache in memory where several workers can run; undefined where nothing does. */
export function cacheDoubt(
  { cache, temporal }: Pick<Config, 'cache' | 'temporal'>,
  library: Library,
): string | undefined {
  if (cache.redis !== undefined || temporal.address === undefined) return undefined;
  const journeys = library.names().flatMap((name) => library.find(name)?.definition ?? []);
  const users = [...journeys, ...library.apis().map(({ definition }) => definition)].filter(usesCache);
  if (users.length === 0) return undefined;
  const names = users.map(({ name }) => name).join(', ');
  return `Every worker and gateway has a cache of its own, in memory, and ${names} may meet several`;
}

function usesCache(definition: Definition): boolean {
  return [...allStates(definition)].some(({ state }) => state.type === 'task' && state.task.kind === 'cache:v1');
}
