import type { Json } from '../json/value.js';
import type { Envelope } from '../scheduling/jobs/envelope.js';
import type { PreparedStart } from './start.js';

/** A target that may run as it is. */
export type CheckedTarget =
  | { readonly type: 'workflow_start'; readonly start: PreparedStart }
  | { readonly type: 'command_invoke' };

/** What orchestrators run, for the worker that runs it. */
export interface Targets {
  /** Checks an envelope against today's grants, documents and schemas: refuses with ACCESS_DENIED, JOURNEY_UNKNOWN, INPUT_INVALID, … */
  check(envelope: Envelope): CheckedTarget;
  /** Invokes the function that an envelope names. It may be called again with the same envelope. */
  invoke(envelope: Envelope): Promise<Json>;
}
