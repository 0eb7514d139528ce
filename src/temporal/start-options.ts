import type { WorkflowStartOptions } from '@temporalio/client';
import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import {
  type JourneyArguments,
  type JourneyWorkflow,
  journeyArguments,
  type RunLimits,
} from '../../workflows/input.js';
import { attributesOf, pairs } from '../../workflows/search-attributes.js';
import type { Config } from '../config/config.js';
import type { RequestRef } from '../engine/frame.js';
import { interpreterVersion } from '../engine/version.js';
import type { JsonObject } from '../json/value.js';
import type { LibraryEntry } from '../service/library.js';
import type { StartRun } from '../service/runs.js';
import { signaturesOf } from '../service/signature.js';
import { checkStartSize } from './payloads.js';
import { ownerOf, payloadHash } from './run-ids.js';
import type { RunMemo } from './views.js';

export type StartOptions = WorkflowStartOptions<JourneyWorkflow> & {
  workflowIdConflictPolicy: WorkflowIdConflictPolicy;
  args: JourneyArguments;
};

/** What Temporal gets to start a run with: its input, and what it is found and shown by. */
export function startOptions(
  id: string,
  request: StartRun,
  config: Config,
  { callbacks, request: kept }: { callbacks?: JsonObject | undefined; request?: RequestRef | undefined } = {},
): StartOptions {
  const { definition, body, headers, idempotencyKey, tags, attributes, trace } = request;
  const metadata = { tags, attributes };
  const startedBy = ownerOf(request.caller);
  checkStartSize(definition, body);
  const memo: RunMemo = {
    ...definitionMemo(request),
    tags: metadata.tags,
    start: definition.start,
    ...(idempotencyKey !== undefined && { inputHash: payloadHash(body) }),
    startedBy,
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
    args: journeyArguments({
      interpreter: interpreterVersion,
      definition,
      info: {
        id,
        environment: config.platform.environment,
        config: request.config,
        callModes: config.http.mode,
        schedules: {
          minIntervalSec: config.limits.scheduleIntervalSec,
          contextBytes: config.limits.contextBytes,
        },
        ...(callbacks && { callbacks }),
        ...(headers.traceparent !== undefined && { traceparent: headers.traceparent }),
        ...(trace && { trace }),
      },
      context: body,
      ...(kept && { request: kept }),
      ...metadata,
      limits: runLimits(config),
      ...(config.platform.timezone !== 'UTC' && { timezone: config.platform.timezone }),
    }),
  };
}

/** What a run's memo says of its definition. */
export function definitionMemo({ definition, hash }: LibraryEntry): Omit<RunMemo, 'tags'> {
  const signatures = signaturesOf(definition);
  return {
    links: definition.links,
    cancellable: definition.lifecycle.cancellable,
    definition: hash,
    ...(definition.looksAtRequests && { requests: true }),
    ...(definition.access && { guarded: true }),
    ...(Object.keys(definition.http.steps).length > 0 && { steps: definition.http.steps }),
    ...(Object.keys(signatures).length > 0 && { signatures }),
  };
}

/** What the memo of a run says once another definition has taken the place of its own. */
export function movedMemo(before: Partial<RunMemo>, to: LibraryEntry): RunMemo {
  const { tags = [], start, inputHash, startedBy } = before;
  return {
    ...definitionMemo(to),
    tags,
    ...(start !== undefined && { start }),
    ...(inputHash !== undefined && { inputHash }),
    ...(startedBy !== undefined && { startedBy }),
  };
}

/** The bounds that a run carries from its start. */
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
