import { maybeGetActivator } from '@temporalio/workflow/lib/global-attributes.js';

/** What the SDK runs the current run with. The only place that reaches into it: no public API tells what is read or changed there. */
export const activator = maybeGetActivator();
