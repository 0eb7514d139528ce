import { readChoice } from './choice.js';
import { readFail } from './fail.js';
import { readParallel } from './parallel.js';
import type { StateReader } from './state.js';
import { readSubjourney } from './subjourney.js';
import { readSucceed } from './succeed.js';
import { readTask } from './task.js';
import { readTimer } from './timer.js';
import { readTransform } from './transform.js';
import { readWait } from './wait.js';

/** Every state type of the language and what reads it. */
export const states = {
  task: readTask,
  choice: readChoice,
  transform: readTransform,
  parallel: readParallel,
  wait: readWait,
  webhook: readWait,
  timer: readTimer,
  subjourney: readSubjourney,
  succeed: readSucceed,
  fail: readFail,
} as const satisfies Record<string, StateReader>;
