import type { Call } from '../ledger.js';
import { listOf, type RecordedRun } from './clients.js';
import { checkHistory } from './linearizable.js';
import { runModel } from './run-model.js';

/** All violations in the observations of a run's clients and in the calls to its service; empty if there are none. */
export function judgeRun(run: RecordedRun, calls: readonly Call[], length: number): string[] {
  const list = listOf(run.result);
  // The compensation of a cancelled run receives its last accepted submission.
  const undone = calls.filter(({ point }) => point === 'undo').map(({ value }) => value);
  const succeeded = run.result.phase === 'SUCCEEDED';
  const keysOf = (point: string) => new Set(calls.filter((it) => it.point === point).map(({ key }) => key));
  const verdict = checkHistory(run.history, runModel(length));
  const unexplained = verdict.linearizable ? [] : verdict.stuckAt.map(({ what }) => JSON.stringify(what));
  const { code } = (run.result.error ?? {}) as { code?: string };
  return [
    ...(succeeded || code === 'JOURNEY_CANCELLED' ? [] : [`it ended with ${code}`]),
    ...(new Set(run.ids).size === 1 ? [] : [`one key started ${new Set(run.ids).size} runs`]),
    ...[...run.acknowledged]
      .filter((it) => !list.includes(it) && !undone.includes(it))
      .map((it) => `${it} was acknowledged and is lost`),
    ...(succeeded && JSON.stringify(run.result.output) !== JSON.stringify(list)
      ? ['the result differs from the list']
      : []),
    ...(verdict.linearizable ? [] : [`not linearizable: ${unexplained.join(' or ')}`]),
    // A run that is cancelled right after a submission does not start its call.
    ...list
      .slice(0, succeeded ? undefined : -1)
      .filter((it) => keysOf(it).size === 0)
      .map((it) => `the call for ${it} is lost`),
    ...[...new Set(calls.map(({ point }) => point))]
      .filter((it) => !list.includes(it) && (succeeded || it !== 'undo'))
      .map((it) => `nobody asked for the call ${it}`),
    ...[...new Set(calls.map(({ point }) => point))]
      .filter((it) => keysOf(it).size > 1 || keysOf(it).has(undefined))
      .map((it) => `the call for ${it} was repeated without its key`),
    ...(succeeded || keysOf('undo').size === 1 ? [] : ['the compensation did not call']),
  ].map((it) => `${run.label} (${run.ids[0]}): ${it}`);
}
