import {
  ApplicationFailure,
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  setHandler,
  sleep,
} from '@temporalio/workflow';

/** Workflows of a foreign worker. */

export async function ShipOrder(...args) {
  return { shipped: args };
}

export async function Return(value) {
  return value;
}

export async function Fail(details) {
  throw ApplicationFailure.create({ type: 'NoTruck', message: 'full', details, nonRetryable: true });
}

/** Ends when it gets the signal `go`. */
export async function Wait() {
  let gone = false;
  setHandler(defineSignal('go'), () => {
    gone = true;
  });
  await condition(() => gone);
  return 'gone';
}

/** Needs a moment to unload when cancelled. */
export async function Unload(how) {
  try {
    await CancellationScope.current().run(() => sleep('1 day'));
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => sleep(500));
    if (how === 'return') return 'unloaded';
    throw error;
  }
}
