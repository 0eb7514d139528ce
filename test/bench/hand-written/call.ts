import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { CallResult } from './activities.js';

interface Calls {
  call(method: string, url: string, body?: unknown): Promise<CallResult>;
}

/** A call whose attempts have the same timeout as in a journey. */
export const { call } = proxyActivities<Calls>({ startToCloseTimeout: '11s' });

/** The same as a local activity, for calls that may be repeated. */
export const { call: localCall } = proxyLocalActivities<Calls>({ startToCloseTimeout: '11s' });

/** The result of a workflow whose calls succeeded. */
export interface Checked {
  ok: true;
}

/** Fails unless all calls succeeded. */
export function check(results: readonly CallResult[]): Checked {
  if (!results.every(({ ok }) => ok)) throw new Error('a call failed');
  return { ok: true };
}
