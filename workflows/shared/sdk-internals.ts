import { maybeGetActivator } from '@temporalio/workflow/lib/global-attributes.js';

/** The generator behind random numbers and UUIDs of a workflow, which a replay outside it needs too. */
export { alea } from '@temporalio/workflow/lib/alea.js';
export { uuid4FromRandom } from '@temporalio/workflow/lib/random-helpers.js';

/** The SDK's activator of the current run. There is no public API for it. */
export const activator = maybeGetActivator();
