import { api } from './api.js';
import { bindings } from './bindings.js';
import { growth } from './growth.js';
import { hello } from './hello.js';
import { jobs } from './jobs.js';
import { load } from './load.js';
import { map } from './map.js';
import { parallel } from './parallel.js';
import { parkedRuns } from './parked-runs.js';
import type { Part } from './part.js';
import { pipelines } from './pipelines.js';
import { pureStates } from './pure-states.js';
import { recovery } from './recovery.js';
import { scheduleLag } from './schedule-lag.js';
import { submission } from './submission.js';
import { get, post } from './ten-calls.js';

/** All parts, in the order in which they run. */
export const parts: readonly Part[] = [
  ...[post, get, hello, load, parkedRuns],
  ...[api, pureStates, growth, parallel, map, submission, scheduleLag, recovery],
  ...[bindings, jobs, pipelines],
];
