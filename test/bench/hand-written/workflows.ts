import { executeChild, proxyActivities } from '@temporalio/workflow';
import type { CallResult } from './activities.js';

const { call } = proxyActivities<{ call(method: string, url: string, body?: string): Promise<CallResult> }>({
  startToCloseTimeout: '15s',
});

/** What a team would write by hand: ten calls in a row, the results kept, a check at the end. */
export async function tenCalls(method: string, base: string): Promise<{ results: CallResult[] }> {
  const results: CallResult[] = [];
  for (let i = 0; i < 10; i++) {
    results.push(await call(method, `${base}/${i}`, method === 'GET' ? undefined : JSON.stringify({ i })));
  }
  if (!results.every((result) => result.ok)) throw new Error('a call failed');
  return { results };
}

/** The least a Schedule can start. */
export async function nothing(): Promise<void> {}

/** The least that a Schedule whose workflow starts a child can do. */
export async function parent(): Promise<void> {
  await executeChild(nothing);
}
