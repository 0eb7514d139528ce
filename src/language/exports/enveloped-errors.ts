import type { Json, JsonObject } from '../../base/json/value.js';
import { copyResponse, type OpenApi } from './openapi-references.js';

/** Statuses of errors that occur before the journey is known, so that its envelope cannot apply. */
const withoutEnvelope: readonly string[] = ['401', '403', '413', '429'];

const own: JsonObject = {
  description: 'In the shape of `spec.errors.envelope`; a problem document if its mapper cannot be evaluated.',
};

/** Error responses of a journey with a custom error envelope. `chosen` are the statuses that its own rules assign to failures. */
export function envelopedResponses(responses: JsonObject, base: OpenApi, chosen: readonly string[] = []): JsonObject {
  const enveloped = ([status, response]: [string, Json]): [string, Json] => {
    if (!chosen.includes(status) && (status.startsWith('2') || withoutEnvelope.includes(status)))
      return [status, response];
    const it = copyResponse(base, response);
    return [status, { ...it, content: { 'application/json': { schema: own }, ...(it.content as JsonObject) } }];
  };
  return Object.fromEntries(Object.entries(responses).map(enveloped));
}
