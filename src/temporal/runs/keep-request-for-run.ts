import { ProblemError } from '../../base/problems/problem.js';
import type { InboundBinding } from '../../engine/definition/definition.js';
import type { RequestRef } from '../../engine/frame.js';
import { forwardedHeaders, type InboundRequest } from '../../service/inbound-request.js';
import type { KeptRequests } from '../../service/kept-request-store.js';
import type { RunView } from '../../service/runs-interface.js';

/** A request that a run may use. */
export interface IncomingRequest {
  readonly run: string;
  /** The caller. */
  readonly caller: string;
  /** Absent if the journey does not use requests. */
  readonly inbound: InboundRequest | undefined;
  /** The headers that calls pass through. */
  readonly binding: Pick<InboundBinding, 'headersPassthrough'> | undefined;
}

/**
 * Keeps a request while a run uses it: until the run parks or the request expires. `work` passes it to the run and returns whether the run
 * `ignored` it.
 */
export async function withRequest<T extends RunView>(
  requests: KeptRequests | undefined,
  { run, caller, inbound, binding }: IncomingRequest,
  work: (kept?: RequestRef) => Promise<T & { ignored?: true }>,
): Promise<T> {
  if (!inbound || !requests) return await work();
  const passed = binding ? forwardedHeaders(binding, inbound) : {};
  const kept = await requests.keep(run, caller, { request: inbound, passed });
  try {
    const { ignored, ...view } = await work(kept);
    if (ignored || view.phase !== 'RUNNING' || view.resting) requests.forget(kept);
    return view as unknown as T;
  } catch (error) {
    // After other errors the run may exist and use the request.
    if (error instanceof ProblemError && error.problem.status < 500) requests.forget(kept);
    throw error;
  }
}
