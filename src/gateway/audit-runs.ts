import type { Response } from 'express';
import type { JsonObject } from '../base/json/value.js';
import { type Audit, type AuditEvent, mainOrchestrator } from '../service/audit/audit-interface.js';
import type { RunView } from '../service/runs-interface.js';
import { factsOf } from './request-facts.js';

/** A change of a run by a request. */
export interface RunChange {
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  readonly detail: JsonObject;
}

/** Records an action on a run in the audit log. */
export async function auditRunChange(
  audit: Audit,
  event: Extract<AuditEvent, `run.${string}`>,
  response: Response,
  executionId: string,
  change: RunChange,
): Promise<void> {
  const { principal, id: requestId } = factsOf(response);
  const by = { caller: principal.id };
  await audit.record({ event, orchestratorId: mainOrchestrator, executionId, by, requestId, ...change });
}

/** The change of a run that was cancelled. */
export function cancelled({ phase, journeyName }: Pick<RunView, 'phase' | 'journeyName'>): RunChange {
  return { before: { phase: 'RUNNING' }, after: { phase }, detail: { journeyName } };
}
