import { authCodes } from './codes/auth-tasks.js';
import { operationCodes } from './codes/configuration-and-server.js';
import { engineCodes } from './codes/engine.js';
import { expressionCodes } from './codes/expressions.js';
import { gatewayCodes } from './codes/gateway.js';
import { jobCodes } from './codes/jobs.js';
import { pipelineCodes } from './codes/pipelines.js';
import { scenarioCodes } from './codes/scenario.js';
import { schedulingCodes } from './codes/scheduling.js';
import { specCodes } from './codes/spec.js';

/** The fixed facts of a code: its HTTP status, its meaning in one sentence, a hint. */
export interface CodeEntry {
  status: number;
  title: string;
  hint?: string;
  /** The problem's type, if the language defines it; otherwise it is derived from the code. */
  type?: string;
}

/** Every error code of the product, by area. `docs/errors.md` mirrors it; a test keeps them equal. */
export const registry = {
  ...gatewayCodes,
  ...engineCodes,
  ...expressionCodes,
  ...specCodes,
  ...schedulingCodes,
  ...jobCodes,
  ...operationCodes,
  ...pipelineCodes,
  ...scenarioCodes,
  ...authCodes,
} as const satisfies Record<string, CodeEntry>;

export type Code = keyof typeof registry;
