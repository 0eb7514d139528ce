import type { Definition } from '../definition/definition.js';
import type { TraceContext } from '../engine/trace.js';
import type { Json } from '../json/value.js';
import type { InboundRequest } from './inbound.js';
import type { PreparedStart } from './start.js';

export {
  apiBase,
  apiMethod,
  apiPath,
  filledPath,
  ownPart,
  parametersFrom,
  pathParameters,
} from '../definition/api-path.js';

/** Runs a `kind: Api`: one request, one answer, nothing kept. */
export interface Apis {
  call(definition: Definition, request: ApiRequest): Promise<ApiAnswer>;
}

export interface ApiRequest extends Pick<PreparedStart, 'body' | 'config'>, InboundRequest {
  readonly caller: string;
  readonly requestId: string;
  /** Aborted when the caller hangs up. */
  /** Where it stands in its caller's trace. */
  readonly trace?: TraceContext;
  readonly signal: AbortSignal;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Json;
  /** What is left to do once the answer is out. */
  readonly after?: () => void;
}
