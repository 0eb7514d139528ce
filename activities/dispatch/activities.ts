import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Json } from '../../src/json/value.js';
import { refuse } from '../../src/problems/problem.js';
import type { Envelope } from '../../src/scheduling/jobs/envelope.js';
import type { Audit, AuditEntry } from '../../src/service/audit.js';
import type { ChannelAdapter } from '../../src/service/channels.js';
import { type FireGround, prepareDispatch } from '../../src/temporal/jobs/fire.js';
import { exhaustJob } from '../../src/temporal/jobs/settle.js';
import type {
  AskedDispatch,
  AskedPost,
  DispatchActivities,
  EndedDispatch,
  PreparedDispatch,
} from '../../workflows/dispatch-input.js';
import { answering } from '../activity.js';

const patienceMs = 5_000;

/** What the runs of orchestrators need of their worker. */
export interface DispatchParts extends FireGround {
  /** By the channel's name. */
  readonly channels: Readonly<Record<string, ChannelAdapter>>;
  readonly audit: Audit;
  /** Writes down how a run ended, for people and for good. It never rejects. */
  readonly ended?: (run: EndedDispatch) => Promise<void>;
}

/** What dispatches ask for. Each may be repeated. */
export function dispatchActivities(parts: DispatchParts): DispatchActivities {
  const { client, config, targets, channels, audit, ended } = parts;
  return {
    dispatchPrepared: (asked: AskedDispatch): Promise<PreparedDispatch> =>
      answering(async () => {
        const { taskQueue } = Context.current().info;
        const prepared = await prepareDispatch(parts, asked, taskQueue);
        // In order, and without keeping the run waiting for a disk.
        for (const entry of beginnings(prepared)) void audit.record(entry);
        return prepared;
      }),

    functionInvoked: (envelope: Envelope): Promise<Json> => answering(() => targets.invoke(envelope)),

    channelPost: ({ envelope: { executionId, targetRef }, ...said }: AskedPost): Promise<{ messageId: string }> =>
      answering(async () => {
        const { channel } = targetRef!;
        const adapter = Object.hasOwn(channels, channel) ? channels[channel] : undefined;
        if (!adapter) return refuse('CHANNEL_NOT_SERVED', `Nothing here can post to the channel ${channel}.`);
        const { attempt, scheduledTimestampMs } = Context.current().info;
        return await adapter.post({
          ...said,
          executionId,
          targetRef: targetRef!,
          firstAttempt: attempt === 1,
          askedAt: new Date(scheduledTimestampMs).toISOString(),
        });
      }),

    jobExhausted: (jobId: string, executionId: string): Promise<void> =>
      answering(() => exhaustJob(client, config.temporal.taskQueue, jobId, executionId)),

    dispatchEnded: async (run: EndedDispatch): Promise<void> => {
      const told = Promise.all([audit.record(ending(run)), ended?.(run)]);
      // A disk that hangs must not keep the run from closing.
      await Promise.race([told, sleep(patienceMs, undefined, { ref: false })]);
    },
  };
}

function about({ orchestratorId, jobId, executionId, origin, triggeredAt }: Envelope) {
  return { orchestratorId, jobId, executionId, detail: { origin, triggeredAt } };
}

/** What the log says when a worker takes a run. */
function beginnings({ envelope, closes, occurrences }: PreparedDispatch): AuditEntry[] {
  const base = about(envelope);
  const missed = occurrences.filter(({ reason }) => reason === 'missed' || reason === 'coalesced');
  const detail = { ...base.detail, occurrences: missed.map((it) => ({ ...it })) };
  return [
    { ...base, event: 'scheduler.trigger.due' },
    ...(missed.length > 0
      ? [{ ...base, event: closes ? 'scheduler.misfire.skip_missed' : 'scheduler.misfire.fire_once', detail } as const]
      : []),
    ...(closes ? [] : [{ ...base, event: 'scheduler.trigger.dispatched' } as const]),
  ];
}

function ending({ envelope, result }: EndedDispatch): AuditEntry {
  const base = about(envelope);
  const { outcome, reason } = result;
  const event = outcome === 'failed' ? 'scheduler.trigger.failed' : 'scheduler.trigger.completed';
  return { ...base, event, detail: { ...base.detail, outcome, ...(reason && { ...reason }) } };
}
