import { isObject, type Json, own } from '../../../base/json/value.js';
import type { ExternalAnswer, WorkflowRequest } from '../../../engine/definition/external-activity-types.js';
import type { ScriptedCall, VirtualWorld } from '../task-kind.js';
import { activityError, recordedCall, withRetries } from './virtual-activity.js';

const prefixes = { workflow: 'workflow.', journey: 'journey.' } as const;

/** A child by its type, or by the name of its journey. */
export type NamedWorkflow = { readonly workflow: string } | { readonly journey: string };

/** A child in a few words. */
export function nameOfWorkflow(it: NamedWorkflow): string {
  return 'journey' in it ? `journey ${it.journey}` : `workflow ${it.workflow}`;
}

/** The name by which scenarios script a child. */
export function workflowOperation(it: NamedWorkflow): string {
  return 'journey' in it ? `${prefixes.journey}${it.journey}` : `${prefixes.workflow}${it.workflow}`;
}

/** The child of such a name. */
export function workflowOf(operation: string): NamedWorkflow | undefined {
  const { workflow, journey } = prefixes;
  if (operation.startsWith(workflow)) return { workflow: operation.slice(workflow.length) };
  return operation.startsWith(journey) ? { journey: operation.slice(journey.length) } : undefined;
}

/** The call that represents a child in scenarios. */
export function workflowCall(it: NamedWorkflow): ScriptedCall['call'] {
  const [scheme, name] = 'journey' in it ? ['journey', it.journey] : ['workflow', it.workflow];
  return { method: 'POST', url: `${scheme}://${name}`, operation: workflowOperation(it) };
}

/** The answer that the scenario scripts; timeouts and the retry policy apply as on a server. */
export async function virtualWorkflow(input: Json, _budgetMs: number, world: VirtualWorld): Promise<Json> {
  const request = input as WorkflowRequest;
  if ('journey' in request) return await once(request, Number.POSITIVE_INFINITY, world);
  const { execution, run = Number.POSITIVE_INFINITY } = request.timeouts;
  const { safe } = request;
  const policy = { ...(request.retry && { retry: request.retry }), ...(safe && { safe }) };
  return await withRetries(policy, execution, (leftMs) => once(request, Math.min(run, leftMs), world), world);
}

async function once(request: WorkflowRequest, timeoutMs: number, world: VirtualWorld): Promise<ExternalAnswer> {
  const sent = 'journey' in request ? request.input : request.args;
  if ('journey' in request && !isObject(sent)) return failed('INPUT_INVALID', 'The input must be an object.');
  const call = { ...workflowCall(request), headers: {}, body: JSON.stringify(sent) };
  const reply = await world.call({ ...call, timeoutMs, mode: 'requestResponse' });
  const { afterMs, fail, status, body } = reply;
  if (request.detach) {
    if (afterMs > 0) await world.wait(afterMs);
    const id = 'journey' in request ? request.idempotencyKey : request.id;
    return status < 400
      ? { ok: true, value: body ?? { workflowId: id, runId: id } }
      : { ok: false, error: activityError(reply) };
  }
  const uncertain = request.safe !== true && { uncertain: true as const };
  if (fail === 'network') return { ...failed('TERMINATED', 'It was terminated.'), ...uncertain };
  if (fail === 'timeout' || afterMs > timeoutMs) {
    if (timeoutMs !== Number.POSITIVE_INFINITY) await world.wait(timeoutMs);
    return { ...failed('TIMEOUT', 'It did not end in time.'), ...uncertain };
  }
  if (afterMs > 0) await world.wait(afterMs);
  return status < 400 ? { ok: true, value: body ?? null } : { ok: false, error: activityError(reply) };
}

function failed(type: string, message: string): ExternalAnswer {
  return { ok: false, error: { type, message } };
}

/** The call of a recorded run. */
export function recordedWorkflow(input: Json, answer: Json | undefined, ms: number): ScriptedCall {
  const request = input as WorkflowRequest;
  const call = workflowCall(request);
  // Of a detached child only the start counts.
  const isRefused = own(own(answer ?? null, 'error') ?? null, 'type') === 'WORKFLOW_ALREADY_STARTED';
  if (request.detach && !isRefused) {
    const value = own(answer ?? null, 'value');
    const isStart = own(value ?? null, 'runId') !== undefined;
    return {
      call,
      reply: {
        status: 200,
        headers: {},
        ...(isStart && value !== undefined && { body: value }),
        afterMs: isStart ? ms : 0,
      },
    };
  }
  return recordedCall(call, answer, ms);
}
