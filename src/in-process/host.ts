import { randomUUID } from 'node:crypto';
import { defaultCalls } from '../engine/allowance.js';
import type { Effect, Host } from '../engine/host.js';
import { LocalScope, type StopSignal, type World } from '../engine/local-scope.js';
import type { Limits } from '../expressions/expression.js';
import type { Json } from '../json/value.js';

/** The longest a Node timer can run; a longer wait is done in pieces. */
const longestTimerMs = 2 ** 31 - 1;

/** Runs an effect here and now. */
export type Perform = (effect: Effect, signal: AbortSignal) => Promise<Json>;

/** The host of a `kind: Api`: this process, its clock, no durability, at the cost of a function call. */
export function inProcessHost(
  perform: Perform,
  limits: Limits,
  timezone?: string,
  spanEnded?: Host['spanEnded'],
): Host & { scope: LocalScope } {
  const world: World = {
    sleepUntil,
    perform: (effect, stop) => {
      const abort = new AbortController();
      stop(() => abort.abort());
      return perform(effect, abort.signal);
    },
  };
  return {
    now: () => Date.now(),
    uuid: () => randomUUID(),
    random: () => Math.random(),
    limits,
    calls: defaultCalls,
    ...(spanEnded && { spanEnded }),
    ...(timezone !== undefined && { timezone }),
    scope: new LocalScope(world),
    // The gateway's own thread serves everybody else too.
    pause: () => new Promise((resolve) => setTimeout(resolve, 1)),
    turnsByBranch: true,
  };
}

function sleepUntil(instant: number, _: string, stop: StopSignal): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const left = instant - Date.now();
      timer = left > longestTimerMs ? setTimeout(wait, longestTimerMs) : setTimeout(resolve, Math.max(left, 0));
    };
    wait();
    stop(() => clearTimeout(timer));
  });
}
