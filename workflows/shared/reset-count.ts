import { activator } from './sdk-internals.js';

/*
 * Detects `temporal workflow reset`. No public API reports it to a workflow, and comparing run ids would have another result for the part
 * that is replayed. But at that point in the history, now and in every later replay, the SDK sets a new random seed. This module
 * is loaded once for every run, before its first task.
 *
 * It only counts: at that point the SDK may consider another run the active one, which would get our commands.
 */
let resets = 0;

if (activator) {
  const update = activator.updateRandomSeed.bind(activator);
  activator.updateRandomSeed = (job) => {
    update(job);
    resets += 1;
  };
}

/** Number of resets of this run so far. */
export function resetCount(): number {
  return resets;
}
