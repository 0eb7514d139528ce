import type { Client } from '@temporalio/client';
import type { StepSubmission } from '../../../workflows/journey/workflow-contract.js';
import { type Problem, ProblemError } from '../../base/problems/problem.js';
import { keyedRunId } from '../../engine/definition/keyed-run-id.js';
import type { StepRequest } from '../../engine/step-submissions.js';
import type { SignalAnswer, SignalRequest } from '../../language/tasks/signal.js';
import { type Access, fullAccess } from '../../service/access.js';
import type { InboundRequest } from '../../service/inbound-request.js';
import { checkedKey } from '../../service/keys/evaluate-run-key.js';
import type { Runs, SubmitStep } from '../../service/runs-interface.js';
import { payloadHash } from './run-ids.js';
import type { RunMemo } from './run-views.js';

/** A request to submit a step, as the run receives it. */
export function submissionOf(request: SubmitStep, more: StepRequest): StepSubmission {
  const { stepId, payload, caller, idempotencyKey, early, dropRepeats, answerAtOnce } = request;
  return {
    stepId,
    payload,
    ...more,
    ...(idempotencyKey !== undefined && {
      key: payloadHash([caller, idempotencyKey]),
      hash: payloadHash([stepId, payload]),
    }),
    ...(early && { early }),
    ...(dropRepeats && { dropRepeats }),
    ...(answerAtOnce && { answerAtOnce }),
  };
}

/** The HTTP request of a submission. */
export function submittedRequest({ headers, query, certificate }: SubmitStep): InboundRequest {
  return { headers, query: query ?? new URLSearchParams(), ...(certificate !== undefined && { certificate }) };
}

/** The run that sends a signal. */
export interface Sender {
  readonly workflowId: string;
  readonly runId: string;
  /** When it first asked for the signal, in milliseconds since the epoch. */
  readonly since: number;
}

/** How long a run that does not respond is asked. Workers may be away for that long, as in a deploy. */
const patienceMs = 300_000;

/** Submits a step of another run for a run. Failures that the journey can handle are data. */
export async function signalRun(
  client: Client,
  runs: Runs,
  { journey, key, step, payload, idempotencyKey }: SignalRequest,
  sender: Sender,
): Promise<SignalAnswer> {
  try {
    const access = await accessOf(client, sender);
    await runs.as({ ...access, journeys: [journey] }).submit({
      id: keyedRunId(journey, checkedKey(key)),
      caller: 'signal',
      stepId: step,
      payload,
      headers: {},
      idempotencyKey,
      early: true,
      answerAtOnce: true,
    });
    return { ok: true };
  } catch (error) {
    return failure(error, sender.since);
  }
}

/** The rights of the run's owner: a client reaches its own runs; runs of operators, pipelines and jobs reach all. */
async function accessOf(client: Client, { workflowId, runId }: Sender): Promise<Access> {
  const { memo } = await client.workflow.getHandle(workflowId, runId).describe();
  return ownersAccess((memo?.journey ?? {}) as RunMemo);
}

/** The rights of the owner that a run's memo records. */
export function ownersAccess({ startedBy, ownSchedules }: Pick<RunMemo, 'startedBy' | 'ownSchedules'>): Access {
  const all = fullAccess('journeyman');
  return ownSchedules ? { ...all, recordedAs: startedBy ?? '', runs: 'own' } : all;
}

/** A failure as data. Others are repeated by Temporal, except that the sender does not wait forever for a run that is stuck. */
function failure(error: unknown, since: number): SignalAnswer {
  if (!(error instanceof ProblemError)) throw error;
  const { problem } = error;
  if (problem.code === 'RUN_UNRESPONSIVE' && Date.now() - since > patienceMs)
    return { ...answer(problem, 'TIMEOUT'), uncertain: true };
  if (problem.status >= 500 && problem.code !== 'STEP_FULL') throw error;
  return answer(problem, problem.code);
}

function answer({ detail, title }: Problem, type: string): SignalAnswer & { ok: false } {
  return { ok: false, error: { type, message: detail ?? title } };
}
