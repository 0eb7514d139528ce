import { describe } from '../scheduling/cadence/describe.js';
import { readCadence } from '../scheduling/cadence/wire.js';
import { type PreviewedRun, preview } from '../scheduling/preview.js';
import { scheduleOf } from './answer.js';
import type { IntentContext, IntentResult } from './types.js';

/** What a call would do, for whoever has to say yes to it. */
export interface ReadBack {
  /** The cadence in words, where the call sets one. */
  cadence?: string;
  /** The next three times it runs. */
  next?: PreviewedRun[];
  /** What might surprise. */
  notices: Notice[];
}

/** Remarks on a call. */
export type Notice = 'JOB_IS_PAUSED_STAYS_PAUSED';

/** Reads a call back: its cadence in our own words, its next three runs, and what might surprise. */
export function readBack(result: IntentResult, context: IntentContext): ReadBack | undefined {
  if (!('functionId' in result)) return undefined;
  const { functionId, functionArgs } = result;
  const job = context.jobs.find(({ jobId }) => jobId === functionArgs.jobId);
  const paused = job?.state === 'paused' && (functionId === 'schedule.run_now' || functionId === 'schedule.update');
  const notices: Notice[] = paused ? ['JOB_IS_PAUSED_STAYS_PAUSED'] : [];
  const { cadence } = readCadence(scheduleOf(functionArgs), { now: context.now, allowPast: true });
  if (!cadence) return { notices };
  return { cadence: describe(cadence), next: preview(cadence, context.now, 3, context.timezone), notices };
}
