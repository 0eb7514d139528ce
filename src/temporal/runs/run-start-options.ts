import type { WorkflowStartOptions } from '@temporalio/client';
import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { journeyArguments, newInput, type RunSettings } from '../../../workflows/journey/build-workflow-input.js';
import type { JourneyArguments, JourneyWorkflow, RunLimits } from '../../../workflows/journey/workflow-contract.js';
import { attributesOf, pairs } from '../../../workflows/shared/run-search-attributes.js';
import type { JsonObject } from '../../base/json/value.js';
import type { Config } from '../../config/config-types.js';
import type { RequestRef } from '../../engine/frame.js';
import type { RunInfo } from '../../engine/run.js';
import type { LibraryEntry } from '../../service/library-interface.js';
import { signaturesOf } from '../../service/request-signature.js';
import type { StartRun } from '../../service/runs-interface.js';
import { checkStartSize } from '../check-payload-size.js';
import { ownerOf, payloadHash } from './run-ids.js';
import type { RunMemo } from './run-views.js';

export type RunStartOptions = WorkflowStartOptions<JourneyWorkflow> & {
  workflowIdConflictPolicy: WorkflowIdConflictPolicy;
  args: JourneyArguments;
};

/** Options to start a run with: input, memo, search attributes and summary. */
export function startOptions(
  { id, nonce }: Pick<RunInfo, 'id' | 'nonce'>,
  request: StartRun,
  config: Config,
  { callbacks, request: kept }: { callbacks?: JsonObject | undefined; request?: RequestRef | undefined } = {},
): RunStartOptions {
  const { definition, body, headers, idempotencyKey, tags, attributes, trace } = request;
  const metadata = { tags, attributes };
  const startedBy = ownerOf(request.caller);
  checkStartSize(definition, body);
  const memo: RunMemo = {
    ...definitionMemo(request),
    ...(metadata.tags.length > 0 && { tags: metadata.tags }),
    start: definition.start,
    ...((idempotencyKey !== undefined || nonce !== undefined) && { inputHash: payloadHash(body) }),
    ...(nonce !== undefined && { nonce, ...(idempotencyKey !== undefined && { request: requestHash(request) }) }),
    startedBy,
    ...(request.ownSchedules && { ownSchedules: true }),
  };
  return {
    workflowId: id,
    taskQueue: config.temporal.taskQueue,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    typedSearchAttributes: new TypedSearchAttributes(
      pairs({ ...attributesOf(definition, metadata), StartedBy: startedBy }),
    ),
    memo: { journey: memo },
    staticSummary: `${definition.name} ${definition.version}`,
    ...(definition.description !== undefined && { staticDetails: definition.description }),
    args: journeyArguments(
      newInput(runSettings(config), {
        definition,
        info: {
          id,
          ...(nonce !== undefined && { nonce }),
          config: request.config,
          ...(callbacks && { callbacks }),
          ...(headers.traceparent !== undefined && { traceparent: headers.traceparent }),
          ...(trace && { trace }),
        },
        context: body,
        ...(kept && { request: kept }),
        ...metadata,
      }),
    ),
  };
}

/** The hash of a start's Idempotency-Key, by which a repeated request is recognised. */
export function requestHash({ caller, idempotencyKey }: Pick<StartRun, 'caller' | 'idempotencyKey'>): string {
  return payloadHash([caller, idempotencyKey ?? null]);
}

/** Settings of new runs from the configuration. */
export function runSettings(config: Pick<Config, 'platform' | 'http' | 'limits'>): RunSettings {
  const { platform, http, limits } = config;
  return {
    environment: platform.environment,
    callModes: http.mode,
    schedules: { minIntervalSec: limits.scheduleIntervalSec, contextBytes: limits.contextBytes },
    limits: runLimits(config),
    ...(platform.timezone !== 'UTC' && { timezone: platform.timezone }),
  };
}

/** The part of a run's memo that depends on its definition. */
export function definitionMemo({ definition, hash }: LibraryEntry): Omit<RunMemo, 'tags'> {
  const signatures = signaturesOf(definition);
  return {
    ...(!definition.links && { links: false }),
    ...(!definition.lifecycle.cancellable && { cancellable: false }),
    definition: hash,
    ...(definition.looksAtRequests && { requests: true }),
    ...(definition.access && { guarded: true }),
    ...(Object.keys(definition.http.steps).length > 0 && { steps: definition.http.steps }),
    ...(Object.keys(signatures).length > 0 && { signatures }),
  };
}

/** The memo of a run after its migration to another definition. */
export function migratedMemo(before: Partial<RunMemo>, to: LibraryEntry): RunMemo {
  const { tags = [], start, inputHash, request, nonce, startedBy, ownSchedules } = before;
  return {
    ...definitionMemo(to),
    ...(tags.length > 0 && { tags }),
    ...(start !== undefined && { start }),
    ...(inputHash !== undefined && { inputHash }),
    ...(request !== undefined && { request }),
    ...(nonce !== undefined && { nonce }),
    ...(startedBy !== undefined && { startedBy }),
    ...(ownSchedules && { ownSchedules }),
  };
}

/** The limits that a run keeps from its start. */
export function runLimits({ limits }: Pick<Config, 'limits'>): RunLimits {
  const { expression, steps, calls, callsPerMinute, historyEvents, metadata, duration } = limits;
  return {
    expression,
    steps,
    calls: { atOnce: calls, perMinute: callsPerMinute },
    historyEvents,
    metadata,
    ...(duration && { duration }),
  };
}
