import type { SubjourneyState } from '../../definition/definition.js';
import { given, isBlock, named, optionalIdentifier, optionalOneOf } from '../../document/fields.js';
import { didYouMean } from '../../document/suggest.js';
import { mapperIn, siteIn } from '../../reading/expressions.js';
import { nextOf } from '../../reading/references.js';
import { blockOf, type StateReader } from '../state.js';

const blockKeys = ['ref', 'input', 'resultVar', 'resultKind', 'onFailure'];

export const readSubjourney: StateReader = (state, scope) => {
  const next = nextOf(state, scope);
  const block = blockOf(state, 'subjourney', blockKeys, ['next']);
  if (!block) return undefined;
  const ref = block.at('ref');
  const known = scope.reading.subjourneys;
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
  const mapper = input.object ? mapperIn(input, siteIn(scope, 'mapper')) : undefined;
  const kind = optionalOneOf(block.at('resultKind'), ['output', 'outcome'], 'SUBJ_ENUM', 'resultKind');
  const failure = block.at('onFailure');
  if (isBlock(failure, 'SUBJ_ENUM', 'onFailure')) failure.only(['behavior']);
  const behavior = optionalOneOf(failure.at('behavior'), ['propagate', 'capture'], 'SUBJ_ENUM', 'onFailure.behavior');
  const read: SubjourneyState = {
    type: 'subjourney',
    ref: ref.value,
    ...given('input', mapper),
    ...given('resultVar', optionalIdentifier(block.at('resultVar'), 'resultVar')),
    resultKind: kind ?? 'output',
    onFailure: behavior ?? 'propagate',
    next,
  };
  return read;
};
