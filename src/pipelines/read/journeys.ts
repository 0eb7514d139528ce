import type { Definition } from '../../definition/definition.js';
import { named } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { didYouMean } from '../../document/suggest.js';
import { deepStates, isStep } from '../../states/graphs.js';

/** The documents that a handler may name: the highest version of each. */
export interface Journeys {
  find(name: string): { hash: string; definition: Definition } | undefined;
  names(): readonly string[];
}

/** `journey` of a handler: a journey that ends without anybody's help. */
export function readHandlerJourney(
  place: Place,
  journeys: Journeys,
): { hash: string; definition: Definition } | undefined {
  const entry = typeof place.value === 'string' ? journeys.find(place.value) : undefined;
  if (!entry) {
    place.error(
      'HANDLER_JOURNEY',
      `There is no journey ${named(place.value)}.`,
      didYouMean(place.value, journeys.names()),
    );
    return undefined;
  }
  const { definition } = entry;
  if (definition.kind === 'Api') {
    place.error(
      'HANDLER_JOURNEY',
      `${definition.name} is an Api.`,
      'Use kind: Journey: a handler must survive a crash.',
    );
    return undefined;
  }
  const steps = [...deepStates(definition, definition.start, definition.subjourneys)]
    .filter(({ state }) => isStep(state))
    .map(({ id }) => `"${id}"`);
  if (steps.length > 0) {
    place.error(
      'HANDLER_INTERACTIVE',
      `${definition.name} can reach ${[...new Set(steps)].join(', ')}, where it waits for input.`,
    );
    return undefined;
  }
  return entry;
}
