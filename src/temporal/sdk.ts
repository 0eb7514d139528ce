/**
 * What we use of the SDK's internals: its public surface cannot send a conflict token with a Schedule, read a raw description, or list with
 * its own decoding, or decide which run goes next. All of it is in this file, so that an upgrade has one place to look at.
 */
export { executionInfoFromRaw, getGrpcStatusDetails } from '@temporalio/client/lib/helpers.js';
export {
  encodeScheduleAction,
  encodeSchedulePolicies,
  encodeScheduleSpec,
  encodeScheduleState,
} from '@temporalio/client/lib/schedule-helpers.js';
export { encodeScheduleOverlapPolicy } from '@temporalio/client/lib/schedule-types.js';
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
