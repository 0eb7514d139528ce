import type { Place } from '../document/place.js';
import type { Code } from '../problems/registry.js';
import type { GraphReading } from './reading.js';

/** Refuses what an Api cannot do: it answers one request and keeps nothing. In a nested graph the code says that nesting does not help. */
export function forbidInApi(place: Place, within: GraphReading, code: Code, what: string): void {
  if (within.reading.kind !== 'Api') return;
  let outer = within;
  while (outer.role === 'branch' && outer.parent) outer = outer.parent;
  place.error(
    outer.role === 'main' ? code : 'API_STATE_FORBIDDEN',
    `An Api cannot ${what}${outer.role === 'main' ? '' : `, not even in ${outer.name}`}.`,
  );
}
