import type { Place } from '../../../base/document/placed-value.js';
import { ifDefined, isBlock } from '../../../base/document/read-fields.js';
import { mapperFields, mapperForms, part, shape } from '../../../base/document/schema-builders.js';
import type { Correlation, Expression } from '../../../engine/definition/definition.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { type ExpressionSite, mapper, mapperIn, mapperKeys } from '../../read/read-expressions-and-mappers.js';

const code = 'CORRELATE_SHAPE';

/** JSON Schema of the block. */
export const correlateSchema = {
  ...shape(
    'Computes the business key of the run that a request to the step’s fixed URL is for, from `payload` and `request.headers`. An extension, refused by --strict.',
    {
      ...mapperFields,
      dedupe: part('mapperHolder', 'Computes the id of the delivery; a repeated delivery is dropped.'),
      startIfMissing: shape(
        'Starts the run if none has the key.',
        { input: part('mapperHolder', 'Computes the input of the run.') },
        ['input'],
      ),
    },
  ),
  oneOf: mapperForms,
  examples: [
    { expr: 'payload.orderId' },
    {
      expr: 'payload.data.object.metadata.orderId',
      dedupe: { expr: 'payload.id' },
      startIfMissing: { input: { expr: '{ orderId: payload.data.object.metadata.orderId }' } },
    },
  ],
};

/** Reads the `correlate` of a step. Keys can be guessed, so the requests must be signed. */
export function readCorrelation(block: Place, within: GraphReading): Correlation | undefined {
  const place = block.at('correlate');
  if (!isBlock(place, code, 'correlate')) return undefined;
  if (!place.report.compat) place.error('STEP_EXTENSION', 'The language does not correlate steps.', undefined, 'key');
  if (!within.reading.root.at('spec').has('key'))
    place.error('CORRELATE_KEY', 'The runs of this journey have no key to be reached by.', undefined, 'key');
  if (!block.has('signature'))
    place.error('CORRELATE_SIGNATURE', 'Anyone who guesses a key could submit the step.', undefined, 'key');
  if (within.bindings.includes('item'))
    place.error('CORRELATE_IN_MAP', 'A key identifies a run, not an item of its map.', undefined, 'key');
  place.only([...mapperKeys, 'dedupe', 'startIfMissing']);
  const site: ExpressionSite = { kind: 'key', reading: within.reading, common: ['payload', 'request'] };
  const key = mapperIn(place, site);
  const dedupe = place.has('dedupe') ? mapper(place.at('dedupe'), site) : undefined;
  const input = readStartInput(place.at('startIfMissing'), { ...site, kind: 'mapper', object: 'CORRELATE_SHAPE' });
  return key && { key, ...ifDefined('dedupe', dedupe), ...ifDefined('input', input) };
}

function readStartInput(place: Place, site: ExpressionSite): Expression | undefined {
  if (!isBlock(place, code, 'startIfMissing')) return undefined;
  place.only(['input']);
  if (place.has('input')) return mapper(place.at('input'), site);
  place.error(code, 'startIfMissing needs the input of the run.', 'Write startIfMissing: { input: { expr: … } }.');
  return undefined;
}
