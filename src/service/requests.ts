import type { RequestRef } from '../engine/frame.js';
import type { Headers, InboundRequest } from './inbound.js';

/** A request that runs in another process may ask this one about. */
export interface KeptRequest {
  readonly request: InboundRequest;
  /** What calls pass on of it. */
  readonly passed: Headers;
}

/** Keeps requests in this process while runs work on them: their credentials go nowhere else. */
export interface KeptRequests {
  /** Keeps a request for one run; refuses with REQUESTS_FULL, also where its caller alone has too many. */
  keep(run: string, caller: string, kept: KeptRequest): Promise<RequestRef>;
  /** The run has come to rest: nobody will ask again. */
  forget(ref: RequestRef): void;
}
