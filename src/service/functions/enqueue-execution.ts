import { createHash } from 'node:crypto';
import type { JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { formatInstant } from '../../base/time/instant.js';
import { readTargetRef } from '../../schedules/jobs/read-output-destination.js';
import { readTargetAction } from '../../schedules/jobs/read-target-action.js';
import type { Dispatcher } from '../jobs-interface.js';
import { checkTarget, type TargetDeps } from './check-target.js';
import type { Caller } from './function-registry.js';

/** Dependencies of `enqueue`. */
export interface EnqueueDeps {
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly targets: TargetDeps;
  readonly now: () => number;
}

/** Adds `{targetAction, targetRef?}` to the queue of the caller's orchestrator; idempotent by request id. */
export async function enqueue(
  { dispatcher, targets, now }: EnqueueDeps,
  request: JsonObject,
  caller: Caller,
): Promise<{ executionId: string }> {
  const { orchestrator, by, origin, requestId } = caller;
  const read = readTargetAction(request.targetAction, '/targetAction');
  const ref = request.targetRef == null ? { ref: null, findings: [] } : readTargetRef(request.targetRef, '/targetRef');
  const findings = [...read.findings, ...ref.findings];
  if (findings.length > 0)
    return refuse('JOB_INVALID', `${findings[0]!.message}.`, { pointer: findings[0]!.pointer, errors: findings });
  const [targetAction, targetRef] = [read.action!, ref.ref ?? null];
  checkTarget(targets, orchestrator, targetAction, targetRef, { mayWait: true });
  const hash = createHash('sha256')
    .update(JSON.stringify([orchestrator.id, by.caller, requestId]))
    .digest('hex');
  return await dispatcher.dispatch({
    executionId: `run-${orchestrator.id}-${hash.slice(0, 20)}`,
    jobId: null,
    triggeredAt: formatInstant(now()),
    orchestratorId: orchestrator.id,
    origin,
    requestedBy: by,
    targetAction,
    targetRef,
  });
}
