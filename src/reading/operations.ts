import { describe } from '../document/fields.js';
import type { Place } from '../document/place.js';
import { didYouMean } from '../document/suggest.js';
import type { ApiDocument, Lookup, Operation } from './api-catalogue.js';
import type { Reading } from './reading.js';

type Refusal = Exclude<Lookup, { operation: Operation }>;

/** Finds the operation of `<api>.<operationId>` in the API's document, or, in compatibility mode, in the overlay of that name. */
export function resolveOperation(place: Place, reading: Reading): Operation | undefined {
  const ref = typeof place.value === 'string' ? /^([^.\s]+)\.([^\s]+)$/.exec(place.value) : null;
  if (!ref) {
    place.error('OPREF_FORMAT', `operationRef must look like api.operationId, not ${describe(place.value)}.`);
    return undefined;
  }
  const [, api, id] = ref as unknown as [string, string, string];
  const { catalogue } = reading.options;
  const declared = reading.apis.get(api);
  const overlay = place.report.compat ? catalogue?.overlay(api) : undefined;
  const document = declared === undefined ? undefined : catalogue?.document(declared);
  if (document) {
    const found = document.find(id);
    if ('operation' in found) return found.operation;
    if (!overlay?.operationIds.includes(id)) {
      return refused(place, found, document, id);
    }
  }
  if (overlay) return fromOverlay(place, overlay, id);
  if (declared === undefined)
    place.error('OPREF_API', `spec.apis has no "${api}".`, didYouMean(api, reading.apis.keys()));
  else if (!catalogue)
    place.error(
      'API_REF_UNREADABLE',
      `${declared} cannot be read: there is no catalogue.`,
      'Name the folder of OpenAPI documents (--catalogue).',
    );
  else place.error('API_REF_UNREADABLE', `${declared} is not in the catalogue, or is not an OpenAPI 3 document.`);
  return undefined;
}

function fromOverlay(place: Place, overlay: ApiDocument, id: string): Operation | undefined {
  const found = overlay.find(id);
  if ('operation' in found) {
    place.compat('C18', `${String(place.value)} comes from the overlay catalogue.`);
    return found.operation;
  }
  return refused(place, found, overlay, id);
}

/** Suggests another operation only where this one does not exist. */
function refused(place: Place, found: Refusal, { operationIds }: ApiDocument, id: string): undefined {
  place.error(found.problem, found.message, operationIds.includes(id) ? undefined : didYouMean(id, operationIds));
  return undefined;
}
