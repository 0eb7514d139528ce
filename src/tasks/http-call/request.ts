import type { CallTrace } from '../../engine/trace.js';
import type { Json } from '../../json/value.js';
import type { AuthPolicy, RetryPolicy } from '../../reading/policies.js';
import type { JarAnswer, JarRequest } from './jar.js';
import type { Signing } from './sign.js';

export type { AuthPolicy, BreakerPolicy, BulkheadPolicy, OAuthPolicy, RetryPolicy } from '../../reading/policies.js';

/** A retry policy as a call carries it. */
export type CallRetry = RetryPolicy & {
  /** Attempts after the first ten are at least a second apart. */
  paced?: true;
};

/** What the `http` activity gets: an evaluated request. It is what history shows of a call. */
export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
  mode: 'requestResponse' | 'notify';
  /** `<api>.<operationId>`, where the journey named one. */
  operation?: string;
  retry?: CallRetry;
  /** How the call authenticates itself: references to secrets, never secrets. */
  auth?: AuthPolicy;
  /** How the call is signed; what is signed is the body unless `over` is there. */
  sign?: Signing & { over?: string };
  /** The run's cookie jar, where there is one. */
  jar?: JarRequest;
  /** Where in its run's trace the call stands. A `traceparent` of the author's own wins. */
  trace?: CallTrace;
  /** The number of the attempt to go on with, from 1; set when the run itself waited between two attempts. */
  attempt?: number;
  /** The ticket of the request that this attempt already sent; set when a local activity handed the call over. */
  inFlight?: string;
}

/** What the `http` activity answers, and what a journey finds in its `resultVar`. A failed call is data, not an error. */
export interface HttpResult {
  ok: boolean;
  status?: number;
  headers: Record<string, string>;
  body: Json;
  /** `code` where a secret of ours is missing, which no other answer of the service would mend. */
  error?: { type: 'TIMEOUT' | 'NETWORK'; message: string; code?: string };
  /** What the call changed in the run's cookie jar; the journey does not see it. */
  jar?: JarAnswer;
}

/** Methods whose repetition changes nothing. */
export const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** A local activity holds up its run for this long at most; an origin that takes longer is slow. */
export const slowMs = 2_000;
