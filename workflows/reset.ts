import { activator } from './sdk.js';

/*
 * `temporal workflow reset` makes a run relive a part of its life. No public API tells a workflow so, and comparing run ids would
 * answer differently for the part that is replayed. But at that very place in the history, now and in every later replay, the SDK gives
 * the run a new seed for its randomness. This module is loaded once for every run, before its first task.
 *
 * It only counts: at that moment the SDK may take another run for the active one, which would get any command we gave.
 */
let resets = 0;

if (activator) {
  const update = activator.updateRandomSeed.bind(activator);
  activator.updateRandomSeed = (job) => {
    update(job);
    resets += 1;
  };
}

/** How often this run has been reset so far. */
export function resetCount(): number {
  return resets;
}
