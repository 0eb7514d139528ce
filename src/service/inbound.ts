import type { InboundBinding } from '../definition/definition.js';
import { emptyObject, type JsonObject, own } from '../json/value.js';

/** What a request offers to `headersToContext` and `queryToContext`; header names in lower case. */
export interface InboundRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Pick<URLSearchParams, 'get'>;
}

/** The values that an inbound binding takes from a request, by the dot path they go to in the context; what the request lacks is left out. */
export function boundFields(binding: Omit<InboundBinding, 'headersPassthrough'>, request: InboundRequest): JsonObject {
  const fields = emptyObject();
  for (const [header, field] of Object.entries(binding.headersToContext)) {
    const value = own(request.headers as JsonObject, header.toLowerCase());
    if (value !== undefined) fields[field] = value;
  }
  for (const [parameter, field] of Object.entries(binding.queryToContext)) {
    const value = request.query.get(parameter);
    if (value !== null) fields[field] = value;
  }
  return fields;
}
