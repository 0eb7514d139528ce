import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Json } from '../../src/base/json/value.js';
import { refuse } from '../../src/base/problems/problem.js';
import type { Envelope } from '../../src/schedules/jobs/dispatch-envelope.js';
import type { Audit, AuditEntry } from '../../src/service/audit/audit-interface.js';
import type { ChannelAdapter } from '../../src/service/channel-interface.js';
import { exhaustJob } from '../../src/temporal/schedules/jobs/job-schedule.js';
import { type DispatchDeps, prepareDispatch } from '../../src/temporal/schedules/jobs/prepare-dispatch.js';
import type {
  DispatchActivities,
  DispatchStart,
  EndedDispatch,
  ExhaustedJob,
  OutgoingMessage,
  PreparedDispatch,
} from '../../workflows/dispatch/workflow-contract.js';
import { withHeartbeats } from '../effects-as-activities.js';

const patienceMs = 5_000;

/** Dependencies of the dispatch activities. */
export interface DispatchActivityDeps extends DispatchDeps {
  /** Channels by name. */
  readonly channels: Readonly<Record<string, ChannelAdapter>>;
  readonly audit: Audit;
  /** Records the end of a run in files. It never rejects. */
  readonly ended?: (run: EndedDispatch) => Promise<void>;
}

/** Activities of dispatches. All are safe to repeat. */
export function dispatchActivities(parts: DispatchActivityDeps): DispatchActivities {
  const { client, config, targets, channels, audit, ended } = parts;
  return {
    dispatchPrepared: (asked: DispatchStart): Promise<PreparedDispatch> =>
      withHeartbeats(async () => {
        const { taskQueue } = Context.current().info;
        const prepared = await prepareDispatch(parts, asked, taskQueue);
        // In order, and without waiting for the disk.
        for (const entry of beginnings(prepared)) void audit.record(entry);
        return prepared;
      }),

    functionInvoked: (envelope: Envelope): Promise<Json> => withHeartbeats(() => targets.invoke(envelope)),

    channelPost: ({ envelope: { executionId, targetRef }, ...said }: OutgoingMessage): Promise<{ messageId: string }> =>
      withHeartbeats(async () => {
        const { channel } = targetRef!;
        const adapter = Object.hasOwn(channels, channel) ? channels[channel] : undefined;
        if (!adapter) return refuse('CHANNEL_NOT_SERVED', `No adapter posts to the channel ${channel}.`);
        const { attempt, scheduledTimestampMs } = Context.current().info;
        return await adapter.post({
          ...said,
          executionId,
          targetRef: targetRef!,
          firstAttempt: attempt === 1,
          askedAt: new Date(scheduledTimestampMs).toISOString(),
        });
      }),

    jobExhausted: (job: ExhaustedJob): Promise<void> =>
      withHeartbeats(() => exhaustJob(client, config.temporal.taskQueue, job)),

    dispatchEnded: async (run: EndedDispatch): Promise<void> => {
      const told = Promise.all([audit.record(ending(run)), ended?.(run)]);
      // A slow disk must not keep the run open.
      await Promise.race([told, sleep(patienceMs, undefined, { ref: false })]);
    },
  };
}

function about({ orchestratorId, jobId, executionId, origin, triggeredAt }: Envelope) {
  return { orchestratorId, jobId, executionId, detail: { origin, triggeredAt } };
}

/** Audit entries for the start of a dispatch. */
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
