import { TypedSearchAttributes } from '@temporalio/common';
import type { ChildWorkflowOptions } from '@temporalio/workflow';
import type { ChildStart } from '../dispatch/workflow-contract.js';
import type { JourneyArguments } from '../journey/workflow-contract.js';
import { pairs } from './run-search-attributes.js';

/** Options of a child workflow that runs a journey. */
export function childJourneyOptions(start: ChildStart): ChildWorkflowOptions & { args: JourneyArguments } {
  return {
    workflowId: start.workflowId,
    taskQueue: start.taskQueue,
    args: start.args,
    memo: start.memo,
    typedSearchAttributes: new TypedSearchAttributes(pairs(start.attributes)),
    staticSummary: start.summary,
    ...(start.details !== undefined && { staticDetails: start.details }),
  };
}
