import type { Place } from '../../base/document/placed-value.js';
import { describeType, ifDefined, isBlock, oneOf, optionalOneOf } from '../../base/document/read-fields.js';
import type { Definition, NamedOutcome } from '../../engine/definition/definition.js';
import type { NamedMapper, Reading } from '../read/document-reading-state.js';
import {
  conditionKeys,
  type ExpressionSite,
  expression,
  hasCondition,
  hasMapper,
  mapperIn,
  mapperKeys,
  predicateIn,
  writtenExpression,
} from '../read/read-expressions-and-mappers.js';

const phases = ['SUCCEEDED', 'FAILED'] as const;

/** Reads `spec.mappers`. Each mapper is compiled where it is used, with the bindings of that site. */
export function readMappers(spec: Place, lang: string): Map<string, NamedMapper> {
  const mappers = new Map<string, NamedMapper>();
  const all = spec.at('mappers');
  isBlock(all, 'EXPR_REQUIRED', 'mappers');
  for (const [id, place] of all.entries()) {
    if (typeof place.value !== 'string' && !isBlock(place, 'EXPR_REQUIRED', 'A mapper')) continue;
    place.only(['lang', 'expr']);
    const written = writtenExpression(place, lang);
    if (written) mappers.set(id, { ...written, used: false });
  }
  return mappers;
}

/** Reads `spec.outcomes` in document order: the first match names the outcome. */
export function readOutcomes(spec: Place, reading: Reading): NamedOutcome[] {
  const all = spec.at('outcomes');
  isBlock(all, 'OUTCOME_PHASE', 'outcomes');
  return all.entries().map(([id, place]) => {
    if (!isBlock(place, 'OUTCOME_PHASE', 'An outcome')) return { id };
    place.only(['when'], 'warning');
    const when = place.at('when');
    when.only(['phase', ...conditionKeys], 'warning');
    const phase = when.object ? oneOf(when.at('phase'), phases, 'OUTCOME_PHASE', 'when.phase') : undefined;
    if (!when.object) place.error('OUTCOME_PHASE', 'The outcome needs when with a phase.', undefined, 'key');
    const site = { kind: 'outcome' as const, reading, bindings: ['output', 'error'] };
    const matches = when.object && hasCondition(when) ? predicateIn(when, site) : undefined;
    return { id, ...ifDefined('phase', phase), ...ifDefined('predicate', matches) };
  });
}

/** Reads a normaliser: an expression, or a block with `mapper` or `mapperRef`. The language's text has both forms. */
function readNormaliser(place: Place, site: ExpressionSite): void {
  if (typeof place.value === 'string' || place.has('lang') || place.has('expr')) {
    expression(place, site);
    return;
  }
  place.only(['mapper', 'mapperRef'], 'warning');
  mapperIn(place, site);
}

/** Reads `spec.errors`. Normalisers are checked but never used, because nothing can refer to them. */
export function readErrors(spec: Place, reading: Reading): Definition['errors'] {
  const place = spec.at('errors');
  if (!isBlock(place, 'ERRORS_FORMAT', 'errors')) return undefined;
  place.only(['canonicalFormat', 'normalisers', 'envelope'], 'warning');
  const canonical = place.at('canonicalFormat');
  if (canonical.value !== undefined && canonical.value !== 'rfc9457')
    canonical.error('ERRORS_FORMAT', `canonicalFormat must be rfc9457, not ${describeType(canonical.value)}.`);
  const site = { kind: 'error' as const, reading };
  isBlock(place.at('normalisers'), 'ERRORS_FORMAT', 'normalisers');
  for (const [, normaliser] of place.at('normalisers').entries())
    if (typeof normaliser.value === 'string' || isBlock(normaliser, 'EXPR_REQUIRED', 'A normaliser'))
      readNormaliser(normaliser, site);
  const envelope = place.at('envelope');
  if (!isBlock(envelope, 'ERRORS_FORMAT', 'envelope')) return {};
  envelope.only(['format', ...mapperKeys], 'warning');
  const format = optionalOneOf(envelope.at('format'), ['problemDetails', 'custom'], 'ERRORS_FORMAT', 'envelope.format');
  if (format !== 'custom') {
    if (hasMapper(envelope))
      envelope.warn('ERRORS_ENVELOPE_MAPPER', 'The mapper is not used.', 'Add format: custom.', 'key');
    return {};
  }
  if (!hasMapper(envelope)) {
    envelope.error('ERRORS_ENVELOPE_MAPPER', 'A custom envelope has no mapper.', undefined, 'key');
    return undefined;
  }
  return ifDefined('envelope', mapperIn(envelope, site, 'ERRORS_ENVELOPE_MAPPER'));
}
