import type { Json } from '../base/json/value.js';
import type { Definition } from '../engine/definition/definition.js';
import type { TraceContext } from '../engine/trace-context-and-run-spans.js';
import type { InboundRequest } from './inbound-request.js';
import type { PreparedStart } from './prepare-start-with-ajv.js';

export {
  apiBase,
  apiMethod,
  apiPath,
  filledPath,
  parametersFrom,
  pathParameters,
  reservedSegment,
} from '../engine/definition/api-routes.js';

/** Runs a `kind: Api`: one request, one response, nothing stored. */
export interface Apis {
  call(definition: Definition, request: ApiRequest): Promise<ApiAnswer>;
}

export interface ApiRequest extends Pick<PreparedStart, 'body' | 'config'>, InboundRequest {
  readonly caller: string;
  readonly requestId: string;
  /** The caller's trace context. */
  readonly trace?: TraceContext;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Json;
  /** Work to do after the response is sent. */
  readonly after?: () => void;
}
