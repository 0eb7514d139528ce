import type { Json, JsonObject } from '../json/value.js';
import { type OpenApi, responseOf } from './document.js';

/** What a caller gets before the journey is known: its envelope cannot apply. */
const before: readonly string[] = ['401', '403', '413', '429'];

const own: JsonObject = {
  description: 'In the shape of `spec.errors.envelope`; a problem where its mapper cannot be evaluated.',
};

/** Error responses where a journey with an envelope of its own may answer; `chosen` are the statuses that it gives to failures of its own. */
export function envelopedResponses(responses: JsonObject, base: OpenApi, chosen: readonly string[] = []): JsonObject {
  const enveloped = ([status, response]: [string, Json]): [string, Json] => {
    if (!chosen.includes(status) && (status.startsWith('2') || before.includes(status))) return [status, response];
    const it = responseOf(base, response);
    return [status, { ...it, content: { 'application/json': { schema: own }, ...(it.content as JsonObject) } }];
  };
  return Object.fromEntries(Object.entries(responses).map(enveloped));
}
