import {
  defineSearchAttributeKey,
  SearchAttributeType,
  TypedSearchAttributes,
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
import type { Json } from '../src/json/value.js';
import type { DispatchResult, Envelope } from '../src/scheduling/jobs/envelope.js';
import { noteOf, textOf } from '../src/scheduling/jobs/text.js';
import type {
  AskedDispatch,
  ChildStart,
  DispatchActivities,
  DispatchClose,
  DispatchMemo,
  PreparedDispatch,
} from './dispatch-input.js';
import type { JourneyWorkflow } from './input.js';
import { pairs } from './search-attributes.js';

/** They only read, or write what may be written again; a worker that dies repeats them. */
const local = proxyLocalActivities<Pick<DispatchActivities, 'dispatchPrepared' | 'dispatchEnded'>>({
  startToCloseTimeout: '10s',
  scheduleToCloseTimeout: '1 day',
  summary: 'check',
});

const { jobExhausted } = proxyActivities<Pick<DispatchActivities, 'jobExhausted'>>({
  startToCloseTimeout: '30s',
  heartbeatTimeout: '6s',
  summary: 'switch the job off',
});

const { channelPost } = proxyActivities<Pick<DispatchActivities, 'channelPost'>>({
  startToCloseTimeout: '60s',
  heartbeatTimeout: '6s',
  retry: { maximumAttempts: 10 },
  summary: 'outgoing',
});

const scheduledStart = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/**
 * Everything that an orchestrator runs: the trigger of a job, a run that somebody asked for, a message of a channel. It is in `incoming`
 * until a worker of the orchestrator takes it, then in `processing` while its target runs, then in `outgoing` while the output is told.
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
    if (prepared.exhausts && envelope.jobId !== null) await jobExhausted(envelope.jobId, envelope.executionId);
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
 * Whoever spoke in a channel is told there why nothing came of it: nobody else is waiting for the run. Not if the place itself is in question.
 */
async function explain(envelope: Envelope, { outcome, reason }: DispatchResult): Promise<void> {
  const { origin, targetRef } = envelope;
  if (outcome !== 'failed' || reason === null || origin !== 'channel' || targetRef === null) return;
  if (/^(?:CHANNEL_|TARGET_REF_|ACCESS_DENIED)/.test(reason.code)) return;
  await channelPost({ envelope, text: `That cannot be done. ${reason.message}` }).catch(() => undefined);
}

const lost = 'It was started without a job: something rewrote the action of its schedule.';

function asked(info: WorkflowInfo, given: Envelope | undefined): AskedDispatch {
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

/** A Schedule tells how the previous run closed, unless that was ended from outside, or runs beside it. */
function previousOf({ lastFailure, lastResult }: WorkflowInfo): AskedDispatch['previous'] {
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
      const note = noteOf(output);
      await channelPost({ envelope, text: textOf(output), ...(note && { note }) });
    }
    return { outcome: 'succeeded', reason: null, occurrences };
  } catch (error) {
    return { ...failed(error, ended), occurrences };
  }
}

async function runJourney(start: ChildStart, maxDurationSec: number): Promise<Json> {
  const outcome = await executeChild<JourneyWorkflow>(start.workflowType, {
    workflowId: start.workflowId,
    taskQueue: start.taskQueue,
    args: start.args,
    memo: start.memo,
    typedSearchAttributes: new TypedSearchAttributes(pairs(start.attributes)),
    staticSummary: start.summary,
    ...(start.details !== undefined && { staticDetails: start.details }),
    // Once per execution id, whoever starts this again.
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

/** `code` stands for whatever has none of its own. */
function failed(error: unknown, code: string): Failed {
  if (isCancellation(error))
    return { outcome: 'failed', reason: { code: cancelled, message: 'Somebody cancelled it.' } };
  if (error instanceof WorkflowExecutionAlreadyStartedError)
    return {
      outcome: 'skipped',
      reason: { code: 'RUN_DUPLICATE', message: 'This execution has had its run already.' },
    };
  const cause = error instanceof ChildWorkflowFailure || error instanceof ActivityFailure ? error.cause : error;
  // What refused, and a journey that failed, say why in their details.
  if (cause instanceof ApplicationFailure) {
    const own = cause.details?.[0] ? cause.type : undefined;
    return { outcome: 'failed', reason: { code: own ?? code, message: cause.message } };
  }
  if (cause instanceof TimeoutFailure)
    return { outcome: 'failed', reason: { code: 'TIMEOUT', message: 'It took longer than the job allows.' } };
  const message = cause instanceof Error ? cause.message : String(cause);
  return {
    outcome: 'failed',
    reason: { code: 'TARGET_ENDED', message: `The target was ended from outside: ${message}` },
  };
}

/** The close that Temporal shows in the right colour, with the result where the next run and every reader find it. */
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
