import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  getExternalWorkflowHandle,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import { formatInstant } from '../../src/base/time/instant.js';
import { producerCadence } from '../../src/pipelines/read-producer-schedule.js';
import { isCoalescedSlot } from '../../src/schedules/cadence/detect-coalesced-slot.js';
import { isOccurrence } from '../../src/schedules/cadence/occurrences.js';
import { type PipelineActivities, pipelineId, pipelineNames, type TickInput } from './workflow-contract.js';

const { pipelineRevived } = proxyActivities<Pick<PipelineActivities, 'pipelineRevived'>>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: '6s',
  summary: 'restart the pipeline',
});

const scheduledStart = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/**
 * Signals a pipeline that a producer is due: a Schedule can only start workflows. A pipeline that was ended from outside is restarted
 * first.
 */
export async function tick(given?: TickInput): Promise<string> {
  if (!given?.pipeline || !given.schedule) throw ApplicationFailure.nonRetryable(lostInput, 'SCHEDULE_BROKEN');
  const { pipeline, producer, schedule } = given;
  const { typedSearchAttributes, startTime, workflowId } = workflowInfo();
  const slot = (typedSearchAttributes.get(scheduledStart) ?? startTime).getTime();
  const cadence = producerCadence(schedule);
  if (isCoalescedSlot(cadence, slot)) return ended('The clock shows this time twice; the first showing counted.');
  // At any other time the Schedule was triggered by hand.
  const [signal, message] = isOccurrence(cadence, slot)
    ? [pipelineNames.tick, { producer, slot }]
    : ['trigger', { handler: producer, requestId: workflowId }];
  const entity = getExternalWorkflowHandle(pipelineId(pipeline));
  try {
    await entity.signal(signal, message);
  } catch {
    await pipelineRevived(pipeline).catch(explain);
    await entity.signal(signal, message);
  }
  return ended(`Told ${pipelineId(pipeline)} that ${producer} is due (${formatInstant(slot)}).`);
}

const lostInput =
  'It was started without a pipeline: something rewrote the action of its schedule. Deploy the pipeline again.';

function explain(error: unknown): never {
  throw error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause : error;
}

function ended(text: string): string {
  setCurrentDetails(text);
  return text;
}
