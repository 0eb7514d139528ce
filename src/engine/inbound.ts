import { type Json, type JsonObject, own } from '../json/value.js';
import type { InboundBinding } from '../spec/definition.js';
import { withField } from './context.js';

/** What an HTTP request offers to bindings; header names in lower case. */
export interface InboundRequest {
  headers: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
}

/** `context` with the headers and query parameters that a binding copies in. */
export function bindInbound(context: JsonObject, binding: InboundBinding, request: InboundRequest): JsonObject {
  let out = context;
  const put = (field: string, value: Json | undefined): void => {
    if (value !== undefined) out = withField(out, field, value);
  };
  for (const [header, field] of Object.entries(binding.headersToContext)) {
    put(field, own(request.headers as JsonObject, header.toLowerCase()));
  }
  for (const [parameter, field] of Object.entries(binding.queryToContext)) {
    put(field, own(request.query as JsonObject, parameter));
  }
  return out;
}
