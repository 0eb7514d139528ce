import type { Workflow } from '@temporalio/common';
import { type ContinueAsNewOptions, makeContinueAsNewFunc } from '@temporalio/workflow';

/**
 * Continues as new on the current version of the worker deployment, also if this execution is pinned to another. The next one begins with an
 * empty history, so other code need not replay anything, and what runs for long does not keep an old version of the workers alive.
 */
export function continueOnCurrentVersion<F extends Workflow>(
  args: Parameters<F>,
  options: ContinueAsNewOptions = {},
): Promise<never> {
  return makeContinueAsNewFunc<F>({ ...options, initialVersioningBehavior: 'AUTO_UPGRADE' })(...args);
}
