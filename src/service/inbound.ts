import type { InboundBinding } from '../definition/definition.js';
import type { StepRequest } from '../engine/steps.js';
import { emptyObject, type JsonObject, own } from '../json/value.js';

/** Header names in lower case. */
export type Headers = Readonly<Record<string, string>>;

/** What a request carries besides its body. */
export interface InboundRequest {
  readonly headers: Headers;
  /** Of a repeated parameter, the first counts. */
  readonly query: Pick<URLSearchParams, 'get'>;
  /** What stands in the path for the parameters of an Api, by name. */
  readonly path?: Readonly<Record<string, string>>;
  /** The caller's certificate, and those that lead from it to its root, as PEM. */
  readonly certificate?: string;
}

/** What journeys copy from requests, for a start or a step. */
export type CopiedFields = Omit<InboundBinding, 'headersPassthrough'>;

/** The values that a binding takes from a request, by the dot path they go to in the context; what the request lacks is left out. */
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

/** The headers of a request that calls pass on, by the names they go out with; a journey's own headers on a call win. */
export function passedOn(
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

/** What the request of a submission brings to its step besides the payload; `bindings` are those of the journey, by step. */
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
