import type { JsonObject } from '../json/value.js';

/** What is to be done, as it was said. */
export type Action =
  | { kind: 'post'; text: string }
  | { kind: 'run'; workflowId: string; inputs?: JsonObject }
  /** A name that nothing here has. */
  | { kind: 'unknown' }
  | { kind: 'call'; functionId: string; args?: JsonObject }
  /** Several names that each could be run. */
  | { kind: 'several'; workflows: string[] }
  /** "schedule a reminder": something, but not what. */
  | { kind: 'open'; post: boolean };
