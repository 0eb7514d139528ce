import type { ConfigKey, Definition, NamedOutcome } from '../../definition/definition.js';
import { outcomeFields } from '../../definition/reserved.js';
import {
  describe,
  given,
  integer,
  isBlock,
  oneOf,
  optionalBoolean,
  optionalOneOf,
  optionalText,
  text,
} from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { type ExpressionSite, expression, expressionText, mapperIn, predicate } from '../../reading/expressions.js';
import { inlineSchema } from '../../reading/json-schema.js';
import { readProjection } from '../../reading/projection.js';
import type { NamedMapper, Reading } from '../../reading/reading.js';

const configTypes = ['string', 'integer', 'number', 'boolean', 'object'] as const;
const phases = ['SUCCEEDED', 'FAILED'] as const;

/** `spec.input`, `spec.output` and `spec.context`: what the journey takes, gives and holds. */
export function readContract(spec: Place): Pick<Definition, 'input' | 'output'> {
  const input = spec.at('input');
  if (isBlock(input, 'FIELD_TYPE', 'input')) input.only(['schema'], 'warning');
  const inputSchema = input.has('schema') ? inlineSchema(input.at('schema')) : undefined;
  const output = spec.at('output');
  if (isBlock(output, 'FIELD_TYPE', 'output')) output.only(['schema', 'response'], 'warning');
  const schema = output.has('schema') ? inlineSchema(output.at('schema')) : undefined;
  const response = output.has('response') ? readProjection(output.at('response'), outcomeFields) : undefined;
  const context = spec.at('context');
  if (isBlock(context, 'FIELD_TYPE', 'context')) context.only(['schema'], 'warning');
  if (context.has('schema')) inlineSchema(context.at('schema'));
  return {
    ...given('input', inputSchema === undefined ? undefined : { schema: inputSchema }),
    ...given('output', output.object && { ...given('schema', schema), ...given('response', response) }),
  };
}

/** `spec.platform.config`. */
export function readPlatform(spec: Place): Record<string, ConfigKey> {
  const platform = spec.at('platform');
  if (isBlock(platform, 'FIELD_TYPE', 'platform')) platform.only(['config'], 'warning');
  isBlock(platform.at('config'), 'CONFIG_TYPE', 'platform.config');
  const out = Object.create(null) as Record<string, ConfigKey>;
  for (const [key, place] of platform.at('config').entries()) {
    place.only(['type', 'required', 'description'], 'warning');
    const type = oneOf(place.at('type'), configTypes, 'CONFIG_TYPE', `The type of "${key}"`);
    const required = optionalBoolean(place.at('required'), 'CONFIG_TYPE', 'required') ?? false;
    const description = optionalText(place.at('description'), 'CONFIG_TYPE', 'description');
    if (type) out[key] = { type, required, ...given('description', description) };
  }
  return out;
}

/** `spec.execution`. */
export function readExecution(spec: Place): Definition['execution'] {
  const place = spec.at('execution');
  if (!isBlock(place, 'EXEC_DURATION', 'execution')) return undefined;
  place.only(['maxDurationSec', 'onTimeout'], 'warning');
  const maxDurationSec = integer(place.at('maxDurationSec'), 'EXEC_DURATION', 'maxDurationSec');
  const onTimeout = place.at('onTimeout');
  if (!onTimeout.object) {
    (onTimeout.value === undefined ? place : onTimeout).error(
      'EXEC_ONTIMEOUT',
      `onTimeout must be an object with errorCode and reason, not ${describe(onTimeout.value)}.`,
      undefined,
      'key',
    );
    return undefined;
  }
  onTimeout.only(['errorCode', 'reason'], 'warning');
  const errorCode = text(onTimeout.at('errorCode'), 'EXEC_ONTIMEOUT', 'onTimeout.errorCode');
  const reason = text(onTimeout.at('reason'), 'EXEC_ONTIMEOUT', 'onTimeout.reason');
  if (maxDurationSec === undefined || errorCode === undefined || reason === undefined) return undefined;
  return { maxDurationSec, onTimeout: { errorCode, reason } };
}

/** `spec.lifecycle`. */
export function readLifecycle(spec: Place, kind: Reading['kind']): Definition['lifecycle'] {
  const place = spec.at('lifecycle');
  if (place.value !== undefined && kind === 'Api')
    place.error('LIFECYCLE_API', 'An Api has no lifecycle of its own.', undefined, 'key');
  if (isBlock(place, 'LIFECYCLE_ENUM', 'lifecycle')) place.only(['cancellable', 'startMode'], 'warning');
  return {
    cancellable: optionalBoolean(place.at('cancellable'), 'LIFECYCLE_ENUM', 'cancellable') ?? true,
    startMode: optionalOneOf(place.at('startMode'), ['sync', 'async'], 'LIFECYCLE_ENUM', 'startMode') ?? 'sync',
  };
}

/** `spec.httpSurface.links.enabled`. */
export function readLinks(spec: Place): boolean {
  const surface = spec.at('httpSurface');
  if (isBlock(surface, 'LINKS_TYPE', 'httpSurface')) surface.only(['links'], 'warning');
  const links = surface.at('links');
  if (isBlock(links, 'LINKS_TYPE', 'httpSurface.links')) links.only(['enabled'], 'warning');
  return optionalBoolean(links.at('enabled'), 'LINKS_TYPE', 'links.enabled') ?? true;
}

/** `spec.mappers`: shapes only; each is compiled where it is used, with what is bound there. */
export function readMappers(spec: Place): Map<string, NamedMapper> {
  const mappers = new Map<string, NamedMapper>();
  const all = spec.at('mappers');
  isBlock(all, 'EXPR_REQUIRED', 'mappers');
  for (const [id, place] of all.entries()) {
    if (!isBlock(place, 'EXPR_REQUIRED', 'A mapper')) continue;
    place.only(['lang', 'expr']);
    const lang = text(place.at('lang'), 'EXPR_REQUIRED', 'lang');
    const expr = expressionText(place.at('expr'));
    if (lang !== undefined && expr !== undefined) mappers.set(id, { expression: { lang, expr }, place, used: false });
  }
  return mappers;
}

/** `spec.outcomes`, in the order of the document: the first match names the outcome. */
export function readOutcomes(spec: Place, reading: Reading): NamedOutcome[] {
  const all = spec.at('outcomes');
  isBlock(all, 'OUTCOME_PHASE', 'outcomes');
  return all.entries().map(([id, place]) => {
    if (!isBlock(place, 'OUTCOME_PHASE', 'An outcome')) return { id };
    place.only(['when'], 'warning');
    const when = place.at('when');
    when.only(['phase', 'predicate'], 'warning');
    const phase = when.object ? oneOf(when.at('phase'), phases, 'OUTCOME_PHASE', 'when.phase') : undefined;
    if (!when.object) place.error('OUTCOME_PHASE', 'The outcome needs when with a phase.', undefined, 'key');
    const site = { kind: 'outcome' as const, reading, bindings: ['output', 'error'] };
    const matches = when.has('predicate') ? predicate(when.at('predicate'), site) : undefined;
    return { id, ...given('phase', phase), ...given('predicate', matches) };
  });
}

/** A mapper, or a block that holds one: the language shows the one and describes the other. */
function readNormaliser(place: Place, site: ExpressionSite): void {
  if (place.has('lang') || place.has('expr')) {
    expression(place, site);
    return;
  }
  place.only(['mapper', 'mapperRef'], 'warning');
  mapperIn(place, site);
}

/** `spec.errors`. Normalisers are checked but never used, because nothing can refer to them. */
export function readErrors(spec: Place, reading: Reading): Definition['errors'] {
  const place = spec.at('errors');
  if (!isBlock(place, 'ERRORS_FORMAT', 'errors')) return undefined;
  place.only(['canonicalFormat', 'normalisers', 'envelope'], 'warning');
  const canonical = place.at('canonicalFormat');
  if (canonical.value !== undefined && canonical.value !== 'rfc9457')
    canonical.error('ERRORS_FORMAT', `canonicalFormat must be rfc9457, not ${describe(canonical.value)}.`);
  const site = { kind: 'error' as const, reading };
  isBlock(place.at('normalisers'), 'ERRORS_FORMAT', 'normalisers');
  for (const [, normaliser] of place.at('normalisers').entries())
    if (isBlock(normaliser, 'EXPR_REQUIRED', 'A normaliser')) readNormaliser(normaliser, site);
  const envelope = place.at('envelope');
  if (!isBlock(envelope, 'ERRORS_FORMAT', 'envelope')) return {};
  envelope.only(['format', 'mapper', 'mapperRef'], 'warning');
  const format = optionalOneOf(envelope.at('format'), ['problemDetails', 'custom'], 'ERRORS_FORMAT', 'envelope.format');
  if (format !== 'custom') {
    if (envelope.has('mapper') || envelope.has('mapperRef'))
      envelope.warn('ERRORS_ENVELOPE_MAPPER', 'The mapper is not used.', 'Add format: custom.', 'key');
    return {};
  }
  if (!envelope.has('mapper') && !envelope.has('mapperRef')) {
    envelope.error('ERRORS_ENVELOPE_MAPPER', 'A custom envelope has no mapper.', undefined, 'key');
    return undefined;
  }
  return given('envelope', mapperIn(envelope, site, 'ERRORS_ENVELOPE_MAPPER'));
}
