import type { Answer, Resolution } from './message.js';
import { done, refused, type Step } from './step.js';

/** What a person decides about a suspended run. */
export function resolve({ state, now }: Step, key: string, how: Resolution): Answer {
  const at = state.suspended.findIndex((run) => run.key === key);
  if (at < 0)
    return refused(
      'RUN_NOT_SUSPENDED',
      `No suspended run of ${state.definition.name} is called '${key.slice(0, 200)}'.`,
    );
  const [run] = state.suspended.splice(at, 1) as [(typeof state.suspended)[number]];
  if (how === 'retry') state.retries.push(run);
  else if (how === 'skip') state.topics.settle(run.reservations, 'skipped', now);
  else state.topics.release(run.reservations);
  const record = state.runs.find((it) => it.key === key);
  if (record) record.resolution = how;
  return done('done', key);
}
