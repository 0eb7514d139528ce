import { choice } from './choice/index.js';
import { fail } from './fail/index.js';
import { map } from './map/index.js';
import { parallel } from './parallel/index.js';
import type { StateType } from './state.js';
import { subjourney } from './subjourney/index.js';
import { succeed } from './succeed/index.js';
import { task } from './task/index.js';
import { timer } from './timer/index.js';
import { transform } from './transform/index.js';
import { wait } from './wait/index.js';
import { webhook } from './webhook/index.js';

const all = [task, choice, transform, parallel, map, wait, webhook, timer, subjourney, succeed, fail] as const;

type StateOf<T> = T extends StateType<infer S> ? S : never;

/** Any state, in its normal form. */
export type State = StateOf<(typeof all)[number]>;

/** Every state type of the language, by its name. */
export const stateTypes: ReadonlyMap<string, StateType<State>> = new Map(
  (all as readonly StateType<State>[]).map((it) => [it.type, it]),
);
