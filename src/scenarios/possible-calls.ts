import type { Definition } from '../engine/definition/definition.js';
import { allStates } from '../language/states/graph-traversal.js';
import { serviceCallOf } from '../language/states/state-queries.js';
import type { ServiceCall } from '../language/tasks/task-kind.js';

/** Every call of a service that a journey can make. */
export function serviceCalls(definition: Definition): ServiceCall[] {
  return [...allStates(definition)].flatMap(({ state }) => serviceCallOf(state) ?? []);
}

/** Every HTTP call that a journey can make. */
export function httpCalls(definition: Definition) {
  return serviceCalls(definition).flatMap(({ operation, http }) =>
    http ? [{ ...http, ...(operation !== undefined && { operation }) }] : [],
  );
}
