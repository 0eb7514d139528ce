import type { Definition } from '../definition/definition.js';
import type { Json, JsonObject } from '../json/value.js';

/** Runs a `kind: Api`: one request, one answer, nothing kept. */
export interface Apis {
  call(definition: Definition, request: ApiRequest): Promise<ApiAnswer>;
}

export interface ApiRequest {
  /** The start context: the body with what the HTTP binding copied in, already valid by the input schema. */
  readonly body: JsonObject;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly caller: string;
  readonly requestId: string;
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Json;
}
