import { isObject, type Json, own } from '../../../base/json/value.js';
import type {
  ActivityRequest,
  ActivityRetry,
  ExternalAnswer,
  ExternalError,
} from '../../../engine/definition/external-activity-types.js';
import type { Reply, ScriptedCall, VirtualWorld } from '../task-kind.js';
import { delayAfter } from './external-options.js';

const prefix = 'activity.';

/** The name by which scenarios script an activity. */
export function activityOperation(activity: string): string {
  return `${prefix}${activity}`;
}

/** The activity of such a name. */
export function activityOf(operation: string): string | undefined {
  return operation.startsWith(prefix) ? operation.slice(prefix.length) : undefined;
}

/** The call that represents an activity in scenarios. */
export function activityCall({
  activity,
  taskQueue,
}: Pick<ActivityRequest, 'activity' | 'taskQueue'>): ScriptedCall['call'] {
  return { method: 'POST', url: `activity://${taskQueue}/${activity}`, operation: activityOperation(activity) };
}

/** The answer that the scenario scripts; timeouts and the retry policy apply as on a server. */
export async function virtualActivity(input: Json, _budgetMs: number, world: VirtualWorld): Promise<Json> {
  const request = input as ActivityRequest;
  const { startToClose = Number.POSITIVE_INFINITY, scheduleToClose } = request.timeouts;
  const attempt = (leftMs: number) => once(request, Math.min(startToClose, leftMs), world);
  return await withRetries(request, scheduleToClose, attempt, world);
}

/** Makes attempts as the retry policy says, within `totalMs`; each gets the milliseconds that are left. */
export async function withRetries(
  { retry = { maximumAttempts: 1 }, safe = false }: Pick<ActivityRequest, 'retry' | 'safe'>,
  totalMs = Number.POSITIVE_INFINITY,
  attempt: (leftMs: number) => Promise<ExternalAnswer>,
  world: VirtualWorld,
): Promise<ExternalAnswer> {
  const until = world.now() + totalMs;
  for (let count = 1; ; count += 1) {
    const answer = await attempt(until - world.now());
    if (answer.ok || !isRetried(answer.error, retry, safe) || count >= retry.maximumAttempts) return answer;
    const delay = delayAfter(retry, count);
    if (world.now() + delay >= until) return answer;
    await world.wait(delay);
  }
}

async function once(request: ActivityRequest, timeoutMs: number, world: VirtualWorld): Promise<ExternalAnswer> {
  const reply = await world.call({
    ...activityCall(request),
    headers: {},
    body: JSON.stringify(request.args),
    timeoutMs,
    mode: 'requestResponse',
  });
  if (reply.fail === 'network') {
    await world.wait(Math.min(timeoutMs, request.timeouts.scheduleToStart ?? timeoutMs));
    return { ok: false, error: { type: 'NOT_STARTED', message: 'No worker accepted it in time.' } };
  }
  if (reply.fail === 'timeout' || reply.afterMs > timeoutMs) {
    await world.wait(timeoutMs);
    const error = { type: 'TIMEOUT', message: 'It did not end in time.' };
    return { ok: false, error, ...(request.safe !== true && { uncertain: true }) };
  }
  if (reply.afterMs > 0) await world.wait(reply.afterMs);
  return reply.status < 400 ? { ok: true, value: reply.body ?? null } : { ok: false, error: activityError(reply) };
}

/** The failure in the body of a reply; its `code` is the type, if the reply is written as that of a service. */
export function activityError({ status, body }: Reply): ExternalError {
  const field = (name: string): Json | undefined => (isObject(body) ? own(body, name) : undefined);
  const details = field('details');
  return {
    type: String(field('type') ?? field('code') ?? 'FAILED'),
    message: String(field('message') ?? (field('type') === undefined ? `status ${status}` : '')),
    ...(details !== undefined && { details: Array.isArray(details) ? details : [details] }),
    nonRetryable: field('nonRetryable') === true,
  };
}

/** Ends that a server does not retry. */
const final = ['NOT_STARTED', 'TERMINATED', 'CANCELLED', 'WORKFLOW_ALREADY_STARTED'];

function isRetried({ type, nonRetryable }: ExternalError, retry: ActivityRetry, safe: boolean): boolean {
  if (type === 'TIMEOUT') return safe;
  return !final.includes(type) && nonRetryable !== true && !retry.nonRetryableErrorTypes?.includes(type);
}

/** The call of a recorded run. */
export function recordedActivity(input: Json, answer: Json | undefined, ms: number): ScriptedCall {
  return recordedCall(activityCall(input as ActivityRequest), answer, ms);
}

/** A recorded call with its answer. Without an answer it timed out. */
export function recordedCall(call: ScriptedCall['call'], answer: Json | undefined, ms: number): ScriptedCall {
  const it = answer as ExternalAnswer | undefined;
  const failed = (fail: 'timeout' | 'network') => ({ call, reply: { status: 200, headers: {}, afterMs: 0, fail } });
  if (it === undefined || (!it.ok && it.error.type === 'TIMEOUT')) return failed('timeout');
  if (!it.ok && ['NOT_STARTED', 'TERMINATED'].includes(it.error.type)) return failed('network');
  const body = it.ok ? it.value : (it.error as Json);
  return { call, reply: { status: it.ok ? 200 : 500, headers: {}, body, afterMs: ms } };
}
