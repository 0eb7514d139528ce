import type { Json } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import type { InboundRequest } from '../../service/inbound-request.js';

/** Time beyond the budget of an effect before the attempt of its activity counts as lost. */
export const activityGraceMs = 5_000;

/** The circumstances of one effect: its signal, its time limit, the request that it belongs to. */
export interface EffectCall {
  readonly signal: AbortSignal;
  /** Milliseconds in total; by default the effect's own limits apply. */
  readonly budgetMs?: number;
  /** True if the run is blocked meanwhile, so that the effect must be short. */
  readonly isLocal?: boolean;
  /** The input of the run, if it is at hand. */
  readonly origin?: Json;
  /** The current request of the run, for an effect that uses it. */
  readonly request?: InboundRequest;
  /** Headers of the current request that calls forward. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Performs one effect. */
export type Perform = (input: Json, how: EffectCall) => Promise<Json>;

/** The effects of a process, by name. */
export type Effects = Readonly<Record<string, Perform>>;

/** Returns the effect of this name; an unknown one is refused. */
export function effectOf<T>(table: Readonly<Record<string, T>>, name: string): T {
  return Object.hasOwn(table, name) ? table[name]! : refuse('EFFECT_UNKNOWN', `There is no effect '${name}'.`);
}
