import { choice } from './choice.js';
import { fail } from './fail.js';
import { map } from './map/map.js';
import { parallel } from './parallel/parallel.js';
import type { StateType } from './state-type.js';
import { subjourney } from './subjourney.js';
import { succeed } from './succeed.js';
import { task } from './task/task.js';
import { timer } from './timer.js';
import { transform } from './transform.js';
import { wait } from './wait/wait.js';
import { webhook } from './wait/webhook.js';

const all = [task, choice, transform, parallel, map, wait, webhook, timer, subjourney, succeed, fail] as const;

type StateOf<T> = T extends StateType<infer S> ? S : never;

/** Any state, in its normal form. */
export type State = StateOf<(typeof all)[number]>;

/** Every state type of the language, by its name. */
export const stateTypes: ReadonlyMap<string, StateType<State>> = new Map(
  (all as readonly StateType<State>[]).map((it) => [it.type, it]),
);
