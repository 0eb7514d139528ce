import { authCodes } from './codes/auth.js';
import { channelCodes } from './codes/channels.js';
import { engineCodes } from './codes/engine.js';
import { expressionCodes } from './codes/expressions.js';
import { gatewayCodes } from './codes/gateway.js';
import { jobCodes } from './codes/jobs.js';
import { operationCodes } from './codes/operation.js';
import { pipelineCodes } from './codes/pipelines.js';
import { scenarioCodes } from './codes/scenario.js';
import { schedulingCodes } from './codes/scheduling.js';
import { specCodes } from './codes/spec.js';

/** What is known about a code before anything happens: its HTTP status, and one sentence that says what it means. */
export interface CodeEntry {
  status: number;
  title: string;
  hint?: string;
  /** Where the language fixes the problem's type; otherwise it follows from the code. */
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
  ...channelCodes,
  ...authCodes,
} as const satisfies Record<string, CodeEntry>;

export type Code = keyof typeof registry;
