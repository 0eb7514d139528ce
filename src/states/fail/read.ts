import type { Expression } from '../../definition/definition.js';
import { hasPlaceholder } from '../../definition/template.js';
import { text } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { hasMapper, mapperIn, siteIn } from '../../reading/expressions.js';
import type { GraphReading } from '../../reading/reading.js';
import { fieldsOf } from '../state.js';
import { schema } from './schema.js';

/** A failure with the author's words, or with computed ones. */
export interface FailState {
  type: 'fail';
  errorCode: string | { mapper: Expression };
  reason: string | { mapper: Expression };
}

/** Reads a `fail`. */
export function read(state: Place, within: GraphReading): FailState {
  state.only(fieldsOf(schema));
  return {
    type: 'fail',
    errorCode: readText(state.at('errorCode'), 'errorCode', within),
    reason: readText(state.at('reason'), 'reason', within),
  };
}

function readText(place: Place, name: string, within: GraphReading): string | { mapper: Expression } {
  if (place.object && hasMapper(place)) {
    place.only(['mapper', 'mapperRef']);
    if (!place.report.compat) place.error('FAIL_EXTENSION', `${name} is computed.`, undefined, 'key');
    const mapper = mapperIn(place, siteIn(within, 'mapper'));
    return mapper ? { mapper } : '';
  }
  const given = text(place, 'FAIL_FIELDS', name) ?? '';
  if (hasPlaceholder(given))
    place.warn('INTERPOLATION_LITERAL', `${name} is a static text; placeholders in it are not replaced.`);
  return given;
}
