import type { Place } from '../../base/document/placed-value.js';
import { ifDefined, isBlock, list, optionalOneOf } from '../../base/document/read-fields.js';
import type { Compensation } from '../../engine/definition/definition.js';
import type { Reading } from '../read/document-reading-state.js';
import { conditionKeys, hasCondition, predicateIn } from '../read/read-expressions-and-mappers.js';
import { graphReading, type ReadGraph, readGraph } from '../read/read-graph.js';

/** Additional bindings of expressions in a compensation and in the subjourneys that it calls. */
export const compensationBindings = ['outcome', 'output'] as const;

/** Reads `spec.compensation`: a second graph, which has access to the outcome of the first. */
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
    if (typeof when.value !== 'string' && isBlock(when, 'COMP_ALSO_FOR', 'when')) when.only(conditionKeys, 'warning');
    const site = { kind: 'compensation' as const, reading, bindings: compensationBindings };
    return ifDefined('when', hasCondition(when) ? predicateIn(when, site) : undefined);
  });
  const within = graphReading(reading, 'compensation', 'the compensation', place, compensationBindings);
  const graph = readGraph(place, within, { empty: 'COMP_STATES_EMPTY', start: 'COMP_START_UNKNOWN' });
  return { id: '', graph, within, place, compensation: { ...graph, mode, alsoFor } };
}
