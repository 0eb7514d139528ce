/**
 * All uses of the SDK's internals, in one file for upgrades. Its public API cannot send a conflict token with a Schedule, read a raw
 * description, list with custom decoding, or choose the next run.
 */
export { executionInfoFromRaw, getGrpcStatusDetails } from '@temporalio/client/lib/helpers.js';
export {
  encodeScheduleAction,
  encodeSchedulePolicies,
  encodeScheduleSpec,
  encodeScheduleState,
} from '@temporalio/client/lib/schedule-helpers.js';
export { decodeScheduleOverlapPolicy, encodeScheduleOverlapPolicy } from '@temporalio/client/lib/schedule-types.js';
export { encodeUnifiedSearchAttributes } from '@temporalio/common/lib/converter/payload-search-attributes.js';
export {
  decodeArrayFromPayloads,
  decodeMapFromPayloads,
  decodeOptionalFailureToOptionalError,
  encodeMapToPayloads,
  encodeToPayloads,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
export { msNumberToTs, msToTs, tsToMs } from '@temporalio/common/lib/time.js';
export type {
  Workflow as SdkWorkflow,
  WorkflowCreator as SdkWorkflowCreator,
} from '@temporalio/worker/lib/workflow/interface.js';
export type { WorkflowBundleWithSourceMapAndFilename as SdkBundle } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';
