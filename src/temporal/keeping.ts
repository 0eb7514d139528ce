import type { InboundBinding } from '../definition/definition.js';
import type { RequestRef } from '../engine/frame.js';
import { ProblemError } from '../problems/problem.js';
import { type InboundRequest, passedOn } from '../service/inbound.js';
import type { KeptRequests } from '../service/requests.js';
import type { RunView } from '../service/runs.js';

/** A request that a run may work on. */
export interface Incoming {
  readonly run: string;
  /** Who sent it. */
  readonly caller: string;
  /** Absent where the journey does not look at requests. */
  readonly inbound: InboundRequest | undefined;
  /** What the start, or the step, passes on of it. */
  readonly binding: Pick<InboundBinding, 'headersPassthrough'> | undefined;
}

/**
 * Keeps a request while a run works on it: until the run rests, or for as long as requests are kept. `work` hands it to the run, and says
 * where it turned out that the run `ignored` it.
 */
export async function keeping<T extends RunView>(
  requests: KeptRequests | undefined,
  { run, caller, inbound, binding }: Incoming,
  work: (kept?: RequestRef) => Promise<T & { ignored?: true }>,
): Promise<T> {
  if (!inbound || !requests) return await work();
  const passed = binding ? passedOn(binding, inbound) : {};
  const kept = await requests.keep(run, caller, { request: inbound, passed });
  try {
    const { ignored, ...view } = await work(kept);
    if (ignored || view.phase !== 'RUNNING' || view.resting) requests.forget(kept);
    return view as unknown as T;
  } catch (error) {
    // Whatever else went wrong, the run may be there and at work.
    if (error instanceof ProblemError && error.problem.status < 500) requests.forget(kept);
    throw error;
  }
}
