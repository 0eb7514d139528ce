import { type JsonObject, own } from '../../base/json/value.js';
import { readCadence } from '../cadence/cadence-json.js';
import { describeCadence } from '../cadence/describe-cadence.js';
import { type PreviewedRun, preview } from '../preview-cadence-runs.js';
import { scheduleOf } from './conversation.js';
import type { IntentContext, IntentResult } from './intent-types.js';

/** Summary of a call, shown before it is confirmed. */
export interface CallSummary {
  /** The cadence in words, if the call sets one. */
  cadence?: string;
  /** The next three runs. */
  next?: PreviewedRun[];
  /** Remarks about effects that may be unexpected. */
  notices: Notice[];
}

/** Remarks on a call, by code. */
export const remarks = {
  JOB_IS_PAUSED_STAYS_PAUSED: 'The job is paused and stays paused.',
  JOB_IS_DISABLED_STAYS_DISABLED: 'The job is disabled and stays disabled.',
  JOB_IS_ENABLED_AGAIN: 'The job is disabled and will be enabled.',
} as const;

export type Notice = keyof typeof remarks;

/** Summarizes a call: the cadence in words, the next three runs, and remarks. */
export function summarizeCall(result: IntentResult, context: IntentContext): CallSummary | undefined {
  if (!('functionId' in result)) return undefined;
  const { functionId, functionArgs } = result;
  const job = context.jobs.find(({ jobId }) => jobId === functionArgs.jobId);
  const notices = noticesOn(functionId, functionArgs, job?.state);
  const { cadence } = readCadence(scheduleOf(functionArgs), { now: context.now, allowPast: true });
  if (!cadence) return { notices };
  return { cadence: describeCadence(cadence), next: preview(cadence, context.now, 3, context.timezone), notices };
}

function noticesOn(functionId: string, { patch }: JsonObject, state: string | undefined): Notice[] {
  const updates = functionId === 'schedule.update';
  if (state === 'paused' && (updates || functionId === 'schedule.run_now')) return ['JOB_IS_PAUSED_STAYS_PAUSED'];
  if (state !== 'disabled' || !updates) return [];
  return [own(patch, 'state') === 'enabled' ? 'JOB_IS_ENABLED_AGAIN' : 'JOB_IS_DISABLED_STAYS_DISABLED'];
}
