import { type BindingRecord, bindingCadence, isExhausted } from '../../../schedules/bindings/binding-record.js';
import { isOccurrence } from '../../../schedules/cadence/occurrences.js';
import {
  accountBindingRun,
  accountGap,
  type GapFacts,
  type OccurrenceAccount,
} from '../../../schedules/occurrence-counts.js';
import type { BindingSnapshot } from './binding-schedule.js';

/** Maximum delay between the due time of a run and its start, unless the server was unavailable. */
const settlingMs = 1_000;

/** The account of all occurrences until now, including those that no run has recorded yet. */
export function occurrencesNow(snapshot: BindingSnapshot, now: number): OccurrenceAccount {
  const { record, recent, running, next, paused } = snapshot;
  const cadence = bindingCadence(record);
  const active = recent.find(({ run }) => running.some((it) => it.run === run));
  if (active) return accountBindingRun(cadence, record.occurrences, { ...active, until: now }, gapFacts(snapshot));
  if (isExhausted(record)) return record.occurrences;
  // A run that has just come due may not have started yet. While the Schedule is paused, the server processes nothing, and its next time
  // is the last one it saw.
  const settled = Math.min(now - settlingMs, paused ? now : (next[0] ?? now) - 1);
  return accountGap(cadence, record.occurrences, settled, gapFacts(snapshot));
}

/** Closes the account for a Schedule that continues at `next`. An active run is included. */
export function closedAccount(snapshot: BindingSnapshot, now: number, next: Date) {
  const through = new Date(next.getTime() - 1).toISOString();
  return {
    occurrences: { ...occurrencesNow(snapshot, now), through },
    accountFrom: through,
    overlapSkipped: snapshot.overlapSkipped,
  } satisfies Partial<BindingRecord>;
}

/**
 * Starts and skips that the Schedule has counted since the binding's account was written. A run that closed without being counted was not
 * admitted: its time was skipped.
 */
export function gapFacts({ record, recent, running, overlapSkipped }: BindingSnapshot): GapFacts {
  const known = [...record.accounted, ...running.map(({ run }) => run)];
  const through = Date.parse(record.occurrences.through);
  const cadence = bindingCadence(record);
  const refused = recent.filter(
    ({ run, nominal }) => !known.includes(run) && nominal > through && isOccurrence(cadence, nominal),
  );
  return {
    started: recent.filter(({ run }) => known.includes(run)).map(({ nominal }) => nominal),
    skipped: overlapSkipped - record.overlapSkipped + refused.length,
  };
}
