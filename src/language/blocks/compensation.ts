import type { Compensation } from '../../definition/definition.js';
import { given, isBlock, list, optionalOneOf } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { predicate } from '../../reading/expressions.js';
import { graphReading, type ReadGraph, readGraph } from '../../reading/graph.js';
import type { Reading } from '../../reading/reading.js';

/** What the expressions of a compensation see beyond the usual, also those of the subjourneys that it calls. */
export const compensationBindings = ['outcome', 'output'] as const;

/** `spec.compensation`: a second graph, which sees the outcome of the first. */
export function readCompensation(
  spec: Place,
  reading: Reading,
): (ReadGraph & { compensation: Compensation }) | undefined {
  const place = spec.at('compensation');
  if (!isBlock(place, 'COMP_STATES_EMPTY', 'compensation')) return undefined;
  place.only(['mode', 'start', 'states', 'alsoFor'], 'warning');
  const mode = optionalOneOf(place.at('mode'), ['sync', 'async'], 'COMP_MODE', 'mode') ?? 'async';
  const alsoFor = list(place.at('alsoFor'), 'COMP_ALSO_FOR', 'alsoFor').map((rule) => {
    if (isBlock(rule, 'COMP_ALSO_FOR', 'A rule')) rule.only(['when'], 'warning');
    const when = rule.at('when');
    if (isBlock(when, 'COMP_ALSO_FOR', 'when')) when.only(['predicate'], 'warning');
    const site = { kind: 'compensation' as const, reading, bindings: compensationBindings };
    return given('when', when.has('predicate') ? predicate(when.at('predicate'), site) : undefined);
  });
  const within = graphReading(reading, 'compensation', 'the compensation', place, compensationBindings);
  const graph = readGraph(place, within, { empty: 'COMP_STATES_EMPTY', start: 'COMP_START_UNKNOWN' });
  return { id: '', graph, within, place, compensation: { ...graph, mode, alsoFor } };
}
