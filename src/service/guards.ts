import type { GuardedRun } from '../engine/read-guard.js';
import type { InboundRequest } from './inbound.js';

/** Asks a run's own guard whether a caller may read it. */
export interface ReadGuards {
  /** Refuses with RUN_UNKNOWN, as if there were no such run, unless the guard admits who sent `request`. */
  admit(run: GuardedRun, request: InboundRequest): Promise<void>;
}
