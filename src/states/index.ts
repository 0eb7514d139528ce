import { readChoice } from './choice/read.js';
import { readFail } from './fail/read.js';
import { readParallel } from './parallel/read.js';
import type { StateReader } from './state.js';
import { readSubjourney } from './subjourney/read.js';
import { readSucceed } from './succeed/read.js';
import { readTask } from './task/read.js';
import { readTimer } from './timer/read.js';
import { readTransform } from './transform/read.js';
import { readWait } from './wait/read.js';

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
