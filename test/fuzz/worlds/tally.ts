import type { Verdict } from './judge.js';
import type { World } from './world.js';

/** Counts over many worlds, as plain numbers. */
export type Counts = Record<string, number>;

/** Counts of one world. */
export function countsOf({ journey }: World, { log, continued, isComparable }: Verdict): Counts {
  const { outcome, visits, submissions, compensations, cuts } = log;
  const effects = visits.flatMap((it) => it.effects);
  const how = (...verdicts: string[]) => submissions.filter(({ verdict }) => verdicts.includes(verdict)).length;
  return {
    worlds: 1,
    ended: outcome ? 1 : 0,
    succeeded: outcome?.phase === 'SUCCEEDED' ? 1 : 0,
    parked: outcome ? 0 : 1,
    cancelled: outcome?.terminationKind === 'Cancel' ? 1 : 0,
    'out of time': outcome?.terminationKind === 'Timeout' ? 1 : 0,
    compensated: compensations.length,
    'states entered': visits.length,
    effects: effects.length,
    requests: effects.reduce((sum, { attempts }) => sum + attempts.length, 0),
    'lost attempts': effects.filter(({ lost }) => lost).length,
    'submissions accepted': how('accepted'),
    kept: how('kept', 'signal'),
    repeated: how('repeated'),
    rejected: submissions.length - how('accepted', 'kept', 'signal', 'repeated'),
    cuts: cuts.length,
    'continued as new': continued,
    compared: isComparable ? 1 : 0,
    'worlds with a deadline': journey.deadlineMs === undefined ? 0 : 1,
  };
}

/** Adds counts to others. */
export function addCounts(total: Counts, more: Counts): void {
  for (const [name, count] of Object.entries(more)) total[name] = (total[name] ?? 0) + count;
}
