import type { JsonObject } from '../../src/base/json/value.js';
import type { ApiRequest } from '../../src/service/apis-interface.js';

/** An anonymous call of an Api with this body. */
export function apiRequest(body: JsonObject, headers: Record<string, string> = {}): ApiRequest {
  const { signal } = new AbortController();
  return { body, headers, query: new URLSearchParams(), config: {}, caller: 'test', requestId: 'r', signal };
}
