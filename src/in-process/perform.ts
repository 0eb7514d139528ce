import type { RequestRef } from '../engine/frame.js';
import { isObject, type JsonObject } from '../json/value.js';
import { type EffectCall, type Effects, effectOf } from '../tasks/effects.js';
import type { Perform } from './host.js';

/** The request that a run in this process works on needs no name: it is at hand. */
export const here: RequestRef = { queue: '', id: '', passes: true };

/** Does effects here and now, with what the request at hand brought for those that look at it. */
export function performing(effects: Effects, { request, headers }: Pick<EffectCall, 'request' | 'headers'>): Perform {
  return async (effect, signal) => {
    const perform = effectOf(effects, effect.name);
    const until = Date.now() + effect.budgetMs;
    const brought = effect.request && { ...(request && { request }), ...(headers && { headers }) };
    let { input } = effect;
    for (;;) {
      const result = await perform(input, { signal, budgetMs: until - Date.now(), ...brought });
      const later = isObject(result) ? result.retryLater : undefined;
      if (!isObject(later)) return result;
      await new Promise((resolve) => setTimeout(resolve, Number(later.afterMs)));
      signal.throwIfAborted();
      input = { ...(input as JsonObject), attempt: Number(later.attempt) };
    }
  };
}
