import type { Place } from '../../base/document/placed-value.js';
import type { Code } from '../../base/problems/registry.js';
import type { GraphReading } from './document-reading-state.js';

/** As `forbidInApi`, for a state: at its type if it is written. */
export function forbidStateInApi(state: Place, within: GraphReading, code: Code, what: string): void {
  forbidInApi(state.has('type') ? state.at('type') : state, within, code, what);
}

/** Reports features that an Api cannot use because it handles one request and stores nothing. Inside a nested graph, a separate code is used. */
export function forbidInApi(place: Place, within: GraphReading, code: Code, what: string): void {
  if (within.reading.kind !== 'Api') return;
  let outer = within;
  while (outer.role === 'branch' && outer.parent) outer = outer.parent;
  place.error(
    outer.role === 'main' ? code : 'API_STATE_FORBIDDEN',
    `An Api cannot ${what}${outer.role === 'main' ? '' : `, not even in ${outer.name}`}.`,
  );
}
