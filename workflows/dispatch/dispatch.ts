import {
  defineSearchAttributeKey,
  SearchAttributeType,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  executeChild,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  TimeoutFailure,
  upsertSearchAttributes,
  type WorkflowInfo,
  workflowInfo,
} from '@temporalio/workflow';
import type { Json } from '../../src/base/json/value.js';
import type { DispatchResult, Envelope } from '../../src/schedules/jobs/dispatch-envelope.js';
import { channelText, draftNoteOf } from '../../src/schedules/jobs/output-to-channel-text.js';
import type { JourneyWorkflow } from '../journey/workflow-contract.js';
import { childJourneyOptions } from '../shared/child-journey-options.js';
import { pairs } from '../shared/run-search-attributes.js';
import type {
  ChildStart,
  DispatchActivities,
  DispatchClose,
  DispatchMemo,
  DispatchStart,
  PreparedDispatch,
} from './workflow-contract.js';

/** Idempotent: a worker that dies repeats them. */
const local = proxyLocalActivities<Pick<DispatchActivities, 'dispatchPrepared' | 'dispatchEnded'>>({
  startToCloseTimeout: '10s',
  scheduleToCloseTimeout: '1 day',
  summary: 'check',
});

const { jobExhausted } = proxyActivities<Pick<DispatchActivities, 'jobExhausted'>>({
  startToCloseTimeout: '30s',
  heartbeatTimeout: '6s',
  summary: 'disable the job',
});

const { channelPost } = proxyActivities<Pick<DispatchActivities, 'channelPost'>>({
  startToCloseTimeout: '60s',
  heartbeatTimeout: '6s',
  retry: { maximumAttempts: 10 },
  summary: 'outgoing',
});

const scheduledStart = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/**
 * Runs one work item of an orchestrator: the trigger of a job, a manual run, a message from a channel. It is `incoming` until a worker of
 * the orchestrator accepts it, `processing` while its target runs, and `outgoing` while the output is posted.
 */
export async function dispatch(given?: Envelope): Promise<DispatchClose> {
  const info = workflowInfo();
  if (!given && !info.memo?.job) throw ApplicationFailure.nonRetryable(lost, 'SCHEDULE_BROKEN');
  const prepared = await CancellationScope.nonCancellable(() => local.dispatchPrepared(asked(info, given)));
  const result = prepared.closes ? { ...prepared.closes, occurrences: prepared.occurrences } : await run(prepared);
  const { envelope, account, child } = prepared;
  const endedAt = new Date().toISOString();
  await CancellationScope.nonCancellable(async () => {
    await explain(envelope, result);
    const { jobId, executionId } = envelope;
    if (prepared.exhausts && jobId !== null)
      await jobExhausted({ jobId, executionId, occurrences: prepared.occurrences });
    const journeyId = child?.workflowId ?? null;
    await local.dispatchEnded({ envelope, startedAt: info.startTime.getTime(), journeyId, result, endedAt });
  });
  return close(prepared, {
    ...result,
    ...(account && { account }),
    ...(child && { journeyId: child.workflowId }),
    endedAt,
  });
}

/**
 * Reports a failed request in the channel it came from, because nobody else waits for the run. Not if the destination itself is the cause.
 */
async function explain(envelope: Envelope, { outcome, reason }: DispatchResult): Promise<void> {
  const { origin, targetRef } = envelope;
  if (outcome !== 'failed' || reason === null || origin !== 'channel' || targetRef === null) return;
  if (/^(?:CHANNEL_|TARGET_REF_|ACCESS_DENIED)/.test(reason.code)) return;
  await channelPost({ envelope, text: `That cannot be done. ${reason.message}` }).catch(() => undefined);
}

const lost = 'It was started without a job: the action of its schedule was rewritten outside Journeyman.';

function asked(info: WorkflowInfo, given: Envelope | undefined): DispatchStart {
  const { job } = (info.memo ?? {}) as DispatchMemo;
  const startedAt = info.startTime.getTime();
  return {
    executionId: info.workflowId,
    runId: info.runId,
    envelope: given ?? null,
    job: given ? null : (job ?? null),
    nominal: info.typedSearchAttributes.get(scheduledStart)?.getTime() ?? startedAt,
    startedAt,
    takenAt: Date.now(),
    previous: given ? null : previousOf(info),
  };
}

/** A Schedule passes on the result of the previous run, unless it was terminated or runs overlap. */
function previousOf({ lastFailure, lastResult }: WorkflowInfo): DispatchStart['previous'] {
  const said =
    lastFailure === undefined
      ? lastResult
      : lastFailure instanceof ApplicationFailure
        ? lastFailure.details?.[0]
        : undefined;
  const { account, endedAt } = (said ?? {}) as Partial<DispatchClose>;
  return account && endedAt !== undefined ? { account, endedAt } : null;
}

async function run(prepared: PreparedDispatch): Promise<DispatchResult> {
  const { envelope, occurrences } = prepared;
  upsertSearchAttributes(
    pairs({
      JourneyState: 'processing',
      ...(envelope.origin === 'run_now' && { JourneyTags: ['origin=run_now'] }),
    }),
  );
  let ended = 'TARGET_FAILED';
  try {
    const output = prepared.child
      ? await runJourney(prepared.child, prepared.maxDurationSec)
      : await runFunction(envelope, prepared.maxDurationSec);
    if (envelope.targetRef !== null) {
      upsertSearchAttributes(pairs({ JourneyState: 'outgoing' }));
      ended = 'CHANNEL_FAILED';
      const note = draftNoteOf(output);
      await channelPost({ envelope, text: channelText(output), ...(note && { note }) });
    }
    return { outcome: 'succeeded', reason: null, occurrences };
  } catch (error) {
    return { ...failed(error, ended), occurrences };
  }
}

async function runJourney(start: ChildStart, maxDurationSec: number): Promise<Json> {
  const outcome = await executeChild<JourneyWorkflow>(start.workflowType, {
    ...childJourneyOptions(start),
    // Once per execution id.
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowExecutionTimeout: maxDurationSec * 1000,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
  return outcome.output;
}

async function runFunction(envelope: Envelope, maxDurationSec: number): Promise<Json> {
  const { functionInvoked } = proxyActivities<Pick<DispatchActivities, 'functionInvoked'>>({
    scheduleToCloseTimeout: maxDurationSec * 1000,
    heartbeatTimeout: '6s',
    retry: { maximumAttempts: 5 },
    summary: envelope.targetAction.type === 'command_invoke' ? envelope.targetAction.functionId : 'function',
  });
  return await functionInvoked(envelope);
}

type Failed = Pick<DispatchResult, 'outcome' | 'reason'>;

const cancelled = 'CANCELLED';

/** `code` is for errors without a code. */
function failed(error: unknown, code: string): Failed {
  if (isCancellation(error)) return { outcome: 'failed', reason: { code: cancelled, message: 'It was cancelled.' } };
  if (error instanceof WorkflowExecutionAlreadyStartedError)
    return {
      outcome: 'skipped',
      reason: { code: 'RUN_DUPLICATE', message: 'This execution has already run.' },
    };
  const cause = error instanceof ChildWorkflowFailure || error instanceof ActivityFailure ? error.cause : error;
  // The details of a rejection or a failed journey contain the reason.
  if (cause instanceof ApplicationFailure) {
    const own = cause.details?.[0] ? cause.type : undefined;
    return { outcome: 'failed', reason: { code: own ?? code, message: cause.message } };
  }
  if (cause instanceof TimeoutFailure)
    return { outcome: 'failed', reason: { code: 'TIMEOUT', message: 'It exceeded the maximum duration of the job.' } };
  const message = cause instanceof Error ? cause.message : String(cause);
  return {
    outcome: 'failed',
    reason: { code: 'TARGET_ENDED', message: `The target was terminated: ${message}` },
  };
}

/** Closes the workflow with the status that Temporal shows, and with the result for the next run and for readers. */
function close({ envelope }: PreparedDispatch, closing: DispatchClose): DispatchClose {
  const { outcome, reason } = closing;
  const why = reason ? ` \`${reason.code}\`: ${reason.message}` : '';
  setCurrentDetails(`**${outcome}**${why}\n\n${envelope.origin} ${envelope.triggeredAt}`);
  if (outcome === 'succeeded') return closing;
  if (outcome !== 'failed') {
    upsertSearchAttributes(pairs({ JourneyOutcome: reason?.code ?? outcome.toUpperCase() }));
    return closing;
  }
  const { code, message } = reason ?? { code: 'FAILED', message: '' };
  if (code === cancelled) throw new CancelledFailure(message, [closing]);
  const failure = ApplicationFailure.create({ type: code, message, nonRetryable: true, details: [closing] });
  failure.stack = `${code}: ${message}`;
  throw failure;
}
