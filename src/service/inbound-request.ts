import { emptyObject, type JsonObject, own } from '../base/json/value.js';
import type { InboundBinding } from '../engine/definition/definition.js';
import type { StepRequest } from '../engine/step-submissions.js';

/** Header names in lower case. */
export type Headers = Readonly<Record<string, string>>;

/** A request without its body. */
export interface InboundRequest {
  readonly headers: Headers;
  /** The first value of a repeated parameter counts. */
  readonly query: Pick<URLSearchParams, 'get'>;
  /** Path parameters of an Api, by name. */
  readonly path?: Readonly<Record<string, string>>;
  /** The caller's certificate chain as PEM. */
  readonly certificate?: string;
}

/** Bindings that copy values from the request of a start or a step. */
export type CopiedFields = Omit<InboundBinding, 'headersPassthrough'>;

/** The values that a binding copies from a request, by their dot path in the context. Missing values are omitted. */
export function boundFields(binding: CopiedFields, request: InboundRequest): JsonObject {
  const fields = emptyObject();
  for (const [header, field] of Object.entries(binding.headersToContext)) {
    const value = own(request.headers as JsonObject, header.toLowerCase());
    if (value !== undefined) fields[field] = value;
  }
  for (const [parameter, field] of Object.entries(binding.queryToContext)) {
    const value = request.query.get(parameter);
    if (value !== null) fields[field] = value;
  }
  for (const [parameter, field] of Object.entries(binding.pathToContext ?? {})) {
    const value = own((request.path ?? {}) as JsonObject, parameter);
    if (value !== undefined) fields[field] = value;
  }
  return fields;
}

/** The headers that calls pass through, by their outgoing names. Headers set on a call take precedence. */
export function forwardedHeaders(
  { headersPassthrough }: Pick<InboundBinding, 'headersPassthrough'>,
  { headers }: Pick<InboundRequest, 'headers'>,
): Record<string, string> {
  const out = Object.create(null) as Record<string, string>;
  for (const { from, to } of headersPassthrough) {
    const value = own(headers as JsonObject, from.toLowerCase());
    if (typeof value === 'string') out[to.toLowerCase()] = value;
  }
  return out;
}

/** The data of a submission's request besides the payload; `bindings` are those of the journey, by step. */
export function stepRequest(
  bindings: Readonly<Record<string, CopiedFields>>,
  stepId: string,
  request: InboundRequest,
): StepRequest {
  const binding = Object.hasOwn(bindings, stepId) ? bindings[stepId] : undefined;
  const { traceparent } = request.headers;
  return {
    ...(binding && { fields: boundFields(binding, request) }),
    ...(traceparent !== undefined && { traceparent }),
  };
}
