import { Context } from '@temporalio/activity';
import { request } from 'undici';

/** The response of a call, with the parts that a journey keeps. */
export interface CallResult {
  ok: boolean;
  status: number;
  headers: Record<string, unknown>;
  body: unknown;
}

/** One HTTP call, as a team would write it, with a key by which the service recognises repetitions. */
export async function call(method: string, url: string, body?: unknown): Promise<CallResult> {
  const { workflowExecution, activityId } = Context.current().info;
  const response = await request(url, {
    method: method as 'GET',
    headers: {
      accept: 'application/json',
      'idempotency-key': `${workflowExecution?.workflowId}/${activityId}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const ok = response.statusCode < 300;
  return { ok, status: response.statusCode, headers: { ...response.headers }, body: await response.body.json() };
}
