import type { Expression } from '../../definition/definition.js';
import { given, isBlock, named, optionalIdentifier, optionalOneOf } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { didYouMean } from '../../document/suggest.js';
import { mapperIn, siteIn } from '../../reading/expressions.js';
import type { GraphReading } from '../../reading/reading.js';
import { nextOf } from '../../reading/references.js';
import { blockOf } from '../state.js';
import { schema } from './schema.js';

/** A call of a local graph. */
export interface SubjourneyState {
  type: 'subjourney';
  ref: string;
  input?: Expression;
  resultVar?: string;
  resultKind: 'output' | 'outcome';
  onFailure: 'propagate' | 'capture';
  next: string;
}

/** Reads a `subjourney`. */
export function read(state: Place, within: GraphReading): SubjourneyState | undefined {
  const next = nextOf(state, within);
  const block = blockOf(state, { type: 'subjourney', schema });
  if (!block) return undefined;
  const ref = block.at('ref');
  const known = within.reading.subjourneys;
  if (typeof ref.value !== 'string' || !known.has(ref.value)) {
    const hint = didYouMean(ref.value, known);
    (ref.value === undefined ? block : ref).error(
      'SUBJ_REF_UNKNOWN',
      `There is no subjourney ${named(ref.value)}.`,
      hint,
    );
    return undefined;
  }
  const input = block.at('input');
  if (isBlock(input, 'FIELD_TYPE', 'input')) input.only(['mapper', 'mapperRef']);
  const mapper = input.object
    ? mapperIn(input, { ...siteIn(within, 'mapper'), object: 'SUBJ_INPUT_NOT_OBJECT' })
    : undefined;
  const kind = optionalOneOf(block.at('resultKind'), ['output', 'outcome'], 'SUBJ_ENUM', 'resultKind');
  const failure = block.at('onFailure');
  if (isBlock(failure, 'SUBJ_ENUM', 'onFailure', 'Write onFailure: { behavior: capture }, or propagate.'))
    failure.only(['behavior']);
  const behavior = optionalOneOf(failure.at('behavior'), ['propagate', 'capture'], 'SUBJ_ENUM', 'onFailure.behavior');
  return {
    type: 'subjourney',
    ref: ref.value,
    ...given('input', mapper),
    ...given('resultVar', optionalIdentifier(block.at('resultVar'), 'resultVar')),
    resultKind: kind ?? 'output',
    onFailure: behavior ?? 'propagate',
    next,
  };
}
