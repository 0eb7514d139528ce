import type { Json } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import type { InboundRequest } from '../service/inbound.js';

/** How an effect is to be done: what can stop it, how long it may take, what goes along with it. */
export interface EffectCall {
  readonly signal: AbortSignal;
  /** Milliseconds in all; without it the effect's own bounds hold. */
  readonly budgetMs?: number;
  /** True where the run stands still meanwhile, so that the effect must not take long. */
  readonly isLocal?: boolean;
  /** What the run was started with, where it is at hand. */
  readonly origin?: Json;
  /** The request that the run works on, for an effect that looks at it. */
  readonly request?: InboundRequest;
  /** Headers of the current request that calls pass on. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Does one thing in the world. */
export type Perform = (input: Json, how: EffectCall) => Promise<Json>;

/** The effects that a process can do, by the name that tasks ask for. */
export type Effects = Readonly<Record<string, Perform>>;

/** The effect of this name in a table of them; an unknown one is refused, never guessed. */
export function effectOf<T>(table: Readonly<Record<string, T>>, name: string): T {
  return Object.hasOwn(table, name) ? table[name]! : refuse('EFFECT_UNKNOWN', `Nothing here does '${name}'.`);
}
