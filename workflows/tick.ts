import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  getExternalWorkflowHandle,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import { cadenceOf } from '../src/pipelines/cadence.js';
import { isOn } from '../src/scheduling/bindings/occurrences.js';
import { isCoalescedSlot } from '../src/scheduling/cadence/coalesced.js';
import { formatInstant } from '../src/time/duration.js';
import { type PipelineActivities, pipelineId, pipelineNames, type TickInput } from './pipeline-input.js';

const { pipelineRevived } = proxyActivities<Pick<PipelineActivities, 'pipelineRevived'>>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: '6s',
  summary: 'start the pipeline again',
});

const scheduledStart = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/**
 * A producer's Schedule cannot signal, so it starts this: it tells the pipeline which time has come. The pipeline decides what becomes of
 * it. One that was ended from outside is started again first.
 */
export async function tick(given?: TickInput): Promise<string> {
  if (!given?.pipeline || !given.schedule) throw ApplicationFailure.nonRetryable(lost, 'SCHEDULE_BROKEN');
  const { pipeline, producer, schedule } = given;
  const { typedSearchAttributes, startTime, workflowId } = workflowInfo();
  const slot = (typedSearchAttributes.get(scheduledStart) ?? startTime).getTime();
  const cadence = cadenceOf(schedule);
  if (isCoalescedSlot(cadence, slot)) return said('The clock shows this time twice; the first showing counted.');
  // At another time than its own, somebody triggered the Schedule.
  const [signal, message] = isOn(cadence, slot)
    ? [pipelineNames.tick, { producer, slot }]
    : ['trigger', { handler: producer, requestId: workflowId }];
  const entity = getExternalWorkflowHandle(pipelineId(pipeline));
  try {
    await entity.signal(signal, message);
  } catch {
    await pipelineRevived(pipeline).catch(explain);
    await entity.signal(signal, message);
  }
  return said(`Told ${pipelineId(pipeline)} that ${producer} is due (${formatInstant(slot)}).`);
}

const lost =
  'It was started without a pipeline: something rewrote the action of its schedule. Deploy the pipeline again.';

function explain(error: unknown): never {
  throw error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause : error;
}

function said(text: string): string {
  setCurrentDetails(text);
  return text;
}
