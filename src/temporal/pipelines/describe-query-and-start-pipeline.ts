import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import {
  type PipelineInput,
  pipelineAttributes,
  pipelineId,
  pipelineMemo,
  pipelineWorkflow,
} from '../../../workflows/pipeline/workflow-contract.js';
import { pairs } from '../../../workflows/shared/run-search-attributes.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import { refuseUnknownPipeline } from '../../service/pipelines-interface.js';
import { asProblem, isNotFound } from '../classify-temporal-errors.js';
import { lastEvent } from '../schedules/scheduled-executions.js';
import { unansweredProblem } from './explain-unanswered-request.js';

const queryMs = 5_000;

/** Describes a pipeline's newest execution. Undefined if there is none. */
export async function describePipeline(
  client: Client,
  name: string,
): Promise<WorkflowExecutionDescription | undefined> {
  const found = await client.workflow
    .getHandle(pipelineId(name))
    .describe()
    .catch((error) => {
      if (isNotFound(error)) return undefined;
      throw asProblem(error);
    });
  return found?.type === pipelineWorkflow ? found : undefined;
}

/** Queries a pipeline, running or ended. */
export async function queryPipeline<T>(client: Client, name: string, query: string, args: unknown[] = []): Promise<T> {
  const handle = client.workflow.getHandle(pipelineId(name));
  try {
    return await client.withDeadline(Date.now() + queryMs, () => handle.query<T, unknown[]>(query, ...args));
  } catch (error) {
    throw isNotFound(error) ? refuseUnknownPipeline(name) : await unansweredProblem(client, name, error);
  }
}

/** Starts an execution of a pipeline, unless one is running. */
export async function startPipeline(client: Client, taskQueue: string, input: PipelineInput): Promise<void> {
  const { definition, hash, deployer } = input.snapshot ?? input.deployment!;
  const { pauses = [], suspended = [] } = input.snapshot ?? {};
  const status = pauses.length + suspended.length > 0 ? 'paused' : 'running';
  try {
    await client.workflow.start(pipelineWorkflow, {
      workflowId: pipelineId(definition.name),
      taskQueue,
      args: [input],
      memo: { pipeline: pipelineMemo(definition, hash, deployer) },
      typedSearchAttributes: new TypedSearchAttributes(pairs(pipelineAttributes(definition, deployer, status))),
      staticSummary: `Pipeline ${definition.name}`,
      staticDetails: detailsOf(definition),
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw asProblem(error);
  }
}

function detailsOf({ description, producers, consumers }: PipelineDefinition): string {
  const handlers = [...Object.keys(producers), ...Object.keys(consumers)].join(', ');
  return `${description ? `${description}\n\n` : ''}Handlers: ${handlers}. Current details show its status.`;
}

/** Whether a pipeline is running. One that continues as new is, though visibility may not know it yet. */
export function isOpen({ status }: Pick<WorkflowExecutionDescription, 'status'>): boolean {
  return status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW' || status.name === 'PAUSED';
}

/** A sentence about the end of a pipeline. */
export async function endText(
  client: Client,
  name: string,
  { runId, status }: WorkflowExecutionDescription,
): Promise<string> {
  const last = await lastEvent(client, { workflowId: pipelineId(name), runId });
  const { reason, identity } = last?.workflowExecutionTerminatedEventAttributes ?? {};
  const failed = last?.workflowExecutionFailedEventAttributes?.failure?.message;
  const said = [reason, failed].filter(Boolean).join(': ');
  return `Temporal says: ${status.name}${identity ? ` by ${identity}` : ''}${said ? ` (${said})` : ''}.`.slice(0, 300);
}
