import { createHash } from 'node:crypto';
import type { JsonObject } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { readTargetAction } from '../../scheduling/jobs/target-action.js';
import { readTargetRef } from '../../scheduling/jobs/target-ref.js';
import { formatInstant } from '../../time/duration.js';
import type { Dispatcher } from '../jobs.js';
import type { Caller } from './registry.js';
import { checkTarget, type TargetGround } from './target.js';

/** What putting something into a queue needs. */
export interface EnqueueParts {
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly targets: TargetGround;
  readonly now: () => number;
}

/** Puts `{targetAction, targetRef?}` into the queue of the caller's orchestrator; the same request id is the same run. */
export async function enqueue(
  { dispatcher, targets, now }: EnqueueParts,
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
