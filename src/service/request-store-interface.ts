import type { RequestRef } from '../engine/frame.js';
import type { Headers, InboundRequest } from './inbound-request.js';

/** A request that a run in another process may refer to. */
export interface KeptRequest {
  readonly request: InboundRequest;
  /** The headers that calls pass through. */
  readonly passed: Headers;
}

/** Keeps requests in this process while runs use them, so that credentials do not leave it. */
export interface KeptRequests {
  /** Keeps a request for one run; throws REQUESTS_FULL if there are too many, in total or of the caller. */
  keep(run: string, caller: string, kept: KeptRequest): Promise<RequestRef>;
  /** Forgets a request once the run is parked. */
  forget(ref: RequestRef): void;
}
