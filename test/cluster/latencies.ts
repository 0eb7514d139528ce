import type { Kill } from './kills.js';
import type { LoadRun } from './load.js';
import { type Role, roles } from './member.js';

/** Runs of the measured journey, which waits only for its calls and whose start returns the outcome. */
export const timedJourney = 'order';

/** Quantiles of durations in milliseconds. */
export function quantiles(times: readonly number[]): string[] {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (q: number) => sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)];
  return [0.5, 0.95, 0.99, 1].map((q) => at(q)?.toFixed(0) ?? '–');
}

interface Timed {
  readonly startedAt: number;
  readonly endedAt: number;
}

const took = ({ startedAt, endedAt }: Timed): number => endedAt - startedAt;

/** The time from the readiness of the last killed process to the first of the latencies "after". */
const settleMs = 20_000;

/** New processes are slow; runs of the first seconds do not count. */
const warmUpMs = 30_000;

/** Latencies before the first kill, until the last process was ready, and afterwards. */
export function latencyPhases(runs: readonly LoadRun[], kills: readonly Kill[]): Record<string, number[]> {
  const timed = timedRuns(runs);
  const first = kills[0]?.at ?? Number.POSITIVE_INFINITY;
  const settledAt = (kills.at(-1)?.readyAt ?? Number.POSITIVE_INFINITY) + settleMs;
  return {
    'before the kills': timed.filter(({ endedAt }) => endedAt < first).map(took),
    'during them': timed.filter(({ startedAt, endedAt }) => endedAt >= first && startedAt <= settledAt).map(took),
    'after them': timed.filter(({ startedAt }) => startedAt > settledAt).map(took),
  };
}

/** The effect of a kill: seconds until the process accepted work again, and until the last slow run. */
export interface Recovery {
  readonly role: Role;
  readonly readySec: number;
  readonly calmSec: number;
}

/**
 * A run is slow if it took over three times the 95th percentile of the runs before and after the kills, and over a second. Recovery from a
 * kill lasts until the last slow run that ended before the next kill.
 */
export function recoveries(runs: readonly LoadRun[], kills: readonly Kill[]): Recovery[] {
  const timed = timedRuns(runs);
  const phases = latencyPhases(runs, kills);
  const undisturbed = [...phases['before the kills']!, ...phases['after them']!].sort((a, b) => a - b);
  const slowMs = Math.max(1_000, 3 * (undisturbed[Math.ceil(undisturbed.length * 0.95) - 1] ?? 0));
  const slow = timed.filter((run) => took(run) > slowMs);
  return kills.map(({ member, at, readyAt }, i) => {
    const next = kills[i + 1]?.at ?? Number.POSITIVE_INFINITY;
    const ends = slow.filter(({ endedAt }) => endedAt > at && endedAt <= next).map(({ endedAt }) => endedAt);
    return { role: member.spec.role, readySec: (readyAt - at) / 1000, calmSec: (Math.max(at, ...ends) - at) / 1000 };
  });
}

/** Recoveries by role: number of kills, medians and worst. */
export function recoveryRows(all: readonly Recovery[]): string[][] {
  return roles.flatMap((role) => {
    const those = all.filter((it) => it.role === role);
    if (those.length === 0) return [];
    const [ready, recovered] = [those.map((it) => it.readySec), those.map((it) => it.calmSec)].map((it) =>
      it.sort((a, b) => a - b),
    ) as [number[], number[]];
    const shown = (list: number[]) => [list[Math.floor(list.length / 2)]!, list.at(-1)!].map((it) => it.toFixed(1));
    return [[role, String(those.length), ...shown(ready), ...shown(recovered)]];
  });
}

function timedRuns(runs: readonly LoadRun[]): Timed[] {
  const warm = (runs[0]?.startedAt ?? 0) + warmUpMs;
  return runs.flatMap(({ journey, startedAt, endedAt }) =>
    journey.name === timedJourney && startedAt >= warm && endedAt !== undefined ? [{ startedAt, endedAt }] : [],
  );
}
