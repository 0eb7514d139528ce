import './unreadable-signals.js';
import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { maintenanceWorkflow, ownPrefix, readArguments, runNowWorkflow } from './input.js';
import { journey, lost } from './journey.js';
import { maintenance } from './maintenance.js';
import { pipeline } from './pipeline.js';
import { pipelineWorkflow, tickWorkflow } from './pipeline-input.js';
import { runNow } from './run-now.js';
import { tick } from './tick.js';

/** Our own workflows by type; those without the prefix were started by earlier versions. */
const own = new Map<string, (...args: never[]) => Promise<unknown>>([
  [runNowWorkflow, runNow],
  [maintenanceWorkflow, maintenance],
  [pipelineWorkflow, pipeline],
  [tickWorkflow, tick],
  ['runNow', runNow],
  ['maintenance', maintenance],
]);

/**
 * The one workflow of the bundle, whatever the type: a run's type is its journey's name, so that Temporal's own tools speak of journeys.
 * What a run was started with tells a journey of that name from a workflow of ours.
 */
async function workflow(...args: unknown[]): Promise<unknown> {
  const { workflowType } = workflowInfo();
  const input = readArguments(args);
  if (input) return await journey(input);
  const ours = own.get(workflowType);
  if (ours) return await ours(...(args as never[]));
  // A worker of a later version knows it: the task is tried again until one does.
  if (workflowType.startsWith(ownPrefix)) throw new Error(`This worker is too old for ${workflowType}.`);
  throw isScheduled()
    ? ApplicationFailure.nonRetryable(lost, 'SCHEDULE_BROKEN')
    : ApplicationFailure.nonRetryable(byHand, 'JOURNEY_MISSING');
}

function isScheduled(): boolean {
  return Object.hasOwn(workflowInfo().searchAttributes, 'TemporalScheduledById');
}

const byHand =
  'A run needs its journey, which the gateway puts into its input. Start it over HTTP or with `journeyman`.';

// The SDK looks a type up among the exports, and in their prototype, before it takes the default: these are the names found there.
export {
  workflow as __defineGetter__,
  workflow as __defineSetter__,
  workflow as __lookupGetter__,
  workflow as __lookupSetter__,
  workflow as __proto__,
  workflow as constructor,
  workflow as default,
  workflow as hasOwnProperty,
  workflow as isPrototypeOf,
  workflow as propertyIsEnumerable,
  workflow as toLocaleString,
  workflow as toString,
  workflow as valueOf,
};
