import './shared/check-external-payloads.js';
import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { maintenance } from './dispatch/daily-maintenance-workflow.js';
import { runNow } from './dispatch/run-now-workflow.js';
import { readArguments } from './journey/build-workflow-input.js';
import { journey } from './journey/journey.js';
import { lostInput } from './journey/read-start.js';
import { maintenanceWorkflow, ownPrefix, runNowWorkflow } from './journey/workflow-contract.js';
import { pipeline } from './pipeline/pipeline.js';
import { tick } from './pipeline/producer-tick-workflow.js';
import { pipelineWorkflow, tickWorkflow } from './pipeline/workflow-contract.js';

/** Our own workflows by type. */
const own = new Map<string, (...args: never[]) => Promise<unknown>>([
  [runNowWorkflow, runNow],
  [maintenanceWorkflow, maintenance],
  [pipelineWorkflow, pipeline],
  [tickWorkflow, tick],
]);

/**
 * The default workflow of the bundle, for every type: a run's type is its journey's name, so that Temporal's own tools show journeys. The
 * arguments distinguish a journey from our own workflows.
 */
async function workflow(...args: unknown[]): Promise<unknown> {
  const { workflowType } = workflowInfo();
  const input = readArguments(args);
  if (input) return await journey(input);
  const ours = own.get(workflowType);
  if (ours) return await ours(...(args as never[]));
  // The task is retried until a worker of a later version accepts it.
  if (workflowType.startsWith(ownPrefix)) throw new Error(`This worker is too old for ${workflowType}.`);
  throw isScheduled()
    ? ApplicationFailure.nonRetryable(lostInput, 'SCHEDULE_BROKEN')
    : ApplicationFailure.nonRetryable(startedByHand, 'JOURNEY_MISSING');
}

function isScheduled(): boolean {
  return Object.hasOwn(workflowInfo().searchAttributes, 'TemporalScheduledById');
}

const startedByHand = 'The input of a run must contain its journey. Start it over HTTP or with `journeyman`.';

export default workflow;

/** The workflow of orchestrators' workers, under its type; the workers for journeys do not run it. */
export { dispatch as 'journeyman.dispatch' } from './dispatch/dispatch.js';
