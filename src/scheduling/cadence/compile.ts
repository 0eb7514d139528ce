import type { ScheduleSpec } from '@temporalio/client';
import { type Cadence, type Every, lastInstant, second, wholeSecond } from './cadence.js';
import { compileCron } from './compile-cron.js';
import { compileIso, oneInstant } from './compile-iso.js';
import { nextAfter } from './occurrences.js';

/** What a schedule adds to its cadence. */
export interface CompileOptions {
  now: number;
  /** Nothing runs before it; a cadence with a start of its own, like an interval, has it anyway. */
  startAt?: number;
  /** A start that is not in the future means a first run at once, as bindings want it. */
  runAtOnce?: boolean;
  /** How often it may run in all. */
  maxRuns?: number;
}

/** A cadence as Temporal takes it. */
export interface Compiled {
  spec: ScheduleSpec;
  /** The caller starts the first run now; `spec` continues after it, on the anchored grid. */
  startsNow: boolean;
  /** `maxRuns` without the run that starts now: the guard behind our own count. */
  remainingActions?: number;
  /** Times were written out only up to here; compile again before then. */
  completeUntil?: number;
}

/** Compiles a cadence to structured calendars and anchored intervals, never to a cron string. */
export function compile(cadence: Cadence, options: CompileOptions): Compiled {
  const { now, startAt, runAtOnce = false, maxRuns } = options;
  const own = ownStart(cadence);
  const start = startAt === undefined ? (own ?? now) : wholeSecond(startAt);
  const startsNow = runAtOnce && start <= now;
  const { completeUntil, ...spec } = times(cadence, now);
  const first = nextAfter(cadence, Math.max(now, startsNow ? start : start - 1));
  return {
    spec: { ...spec, ...((own !== undefined || start > now) && { startAt: new Date(first ?? lastInstant + second) }) },
    startsNow,
    ...(maxRuns !== undefined && { remainingActions: Math.max(0, maxRuns - (startsNow ? 1 : 0)) }),
    ...(completeUntil !== undefined && { completeUntil }),
  };
}

/** When a cadence that says so itself begins; never, when nothing is left of it. */
function ownStart(cadence: Cadence): number | undefined {
  if (cadence.kind === 'every' || cadence.kind === 'iso') return cadence.anchor;
  if (cadence.kind === 'once' || cadence.from === undefined) return undefined;
  return nextAfter(cadence, cadence.from - 1) ?? lastInstant + second;
}

function times(cadence: Cadence, now: number): ScheduleSpec & { completeUntil?: number } {
  switch (cadence.kind) {
    case 'once':
      return { calendars: [oneInstant(cadence.at)], timezone: 'UTC' };
    case 'every':
      return { intervals: [onGrid(cadence)] };
    case 'iso':
      return compileIso(cadence, now);
    case 'cron':
      return compileCron(cadence, now);
  }
}

/** Whether some of its times have no pattern that Temporal knows, so that they are written out for the next years only. */
export function isWrittenOut(cadence: Cadence, now: number): boolean {
  if (cadence.kind === 'cron') return compileCron(cadence, now).completeUntil !== undefined;
  return cadence.kind === 'iso' && (cadence.days > 0 || cadence.millis > 0);
}

/** Temporal aligns intervals with the epoch; the offset moves them onto the anchor. */
function onGrid({ millis, anchor }: Every) {
  return { every: millis, offset: anchor % millis };
}
