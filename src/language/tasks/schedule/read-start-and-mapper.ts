import { didYouMean } from '../../../base/document/did-you-mean.js';
import type { Place } from '../../../base/document/placed-value.js';
import { asExpression, describeType, quoteName } from '../../../base/document/read-fields.js';
import type { Json } from '../../../base/json/value.js';
import type { Expression } from '../../../engine/definition/definition.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { hasMapper, mapper, siteIn } from '../../read/read-expressions-and-mappers.js';

/** Reads `start`, the state at which the runs of a schedule start. With `own` it must be a state of this journey. */
export function readScheduleStart(block: Place, within: GraphReading, own = true): string | undefined {
  const place = block.at('start');
  const { topStates } = within.reading;
  if (typeof place.value === 'string' && (!own || topStates.has(place.value))) return place.value;
  const hint = didYouMean(place.value, topStates);
  (place.value === undefined ? block : place).error('SCHED_START_UNKNOWN', missingStart(place.value), hint);
  return undefined;
}

/** Reads an expression, if the field is present. */
export function readMapper(place: Place, within: GraphReading): Expression | undefined {
  if (place.value === undefined) return undefined;
  if (hasMapper(place)) return mapper(place, siteIn(within, 'schedule'));
  place.error('SCHED_MAPPER', `An expression is expected, not ${describeType(place.value)}.`, asExpression);
  return undefined;
}

function missingStart(value: Json | undefined): string {
  if (value === undefined) return 'The schedule does not say at which state of spec.states its runs start.';
  if (typeof value !== 'string') return `start must be the id of a state, not ${describeType(value)}.`;
  return `spec.states has no state ${quoteName(value)} to start at.`;
}
