import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import {
  memoOf,
  type PipelineInput,
  pipelineAttributes,
  pipelineId,
  pipelineNames,
  pipelineWorkflow,
  type Untaken,
} from '../../../workflows/pipeline-input.js';
import { pairs } from '../../../workflows/search-attributes.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import { refuse } from '../../problems/problem.js';
import { refuseUnknownPipeline } from '../../service/pipelines.js';
import { asProblem, isNotFound, isUnanswered } from '../failures.js';
import { lastEvent } from '../schedules/run-end.js';
import { decodeArrayFromPayloads } from '../sdk.js';
import { eventsBackwards } from './history.js';

const queryMs = 5_000;
/** A pipeline that has ended is replayed from its first event. */
const recallMs = 25_000;

/** A pipeline's newest execution; undefined where there is none. */
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

/** Asks a pipeline, whether it runs or has ended. */
export async function queryPipeline<T>(
  client: Client,
  name: string,
  query: string,
  args: unknown[] = [],
  { runId, ms = queryMs }: { runId?: string; ms?: number } = {},
): Promise<T> {
  const handle = client.workflow.getHandle(pipelineId(name), runId);
  try {
    return await client.withDeadline(Date.now() + ms, () => handle.query<T, unknown[]>(query, ...args));
  } catch (error) {
    if (isNotFound(error)) return refuseUnknownPipeline(name);
    if (isUnanswered(error)) return refuse('PIPELINE_UNRESPONSIVE', `No worker answered for the pipeline ${name}.`);
    throw asProblem(error);
  }
}

/** Starts an execution of a pipeline, unless one is there. */
export async function startPipeline(client: Client, taskQueue: string, input: PipelineInput): Promise<void> {
  const { definition, hash, deployer } = input.snapshot ?? input.deployment!;
  const { pauses = [], suspended = [] } = input.snapshot ?? {};
  const status = pauses.length + suspended.length > 0 ? 'paused' : 'running';
  try {
    await client.workflow.start(pipelineWorkflow, {
      workflowId: pipelineId(definition.name),
      taskQueue,
      args: [input],
      memo: { pipeline: memoOf(definition, hash, deployer) },
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
  return `${description ? `${description}\n\n` : ''}Handlers: ${handlers}. What it does now stands under current details.`;
}

/**
 * Starts a pipeline again that somebody ended with Temporal's tools: Temporal still has its history, and a worker that replays it knows what
 * the pipeline knew. Answers whether there was anything to do; refuses with PIPELINE_UNKNOWN where there is nothing to go on from.
 */
export async function revivePipeline(client: Client, taskQueue: string, name: string): Promise<boolean> {
  const found = await describePipeline(client, name);
  if (!found) return refuseUnknownPipeline(name);
  if (isOpen(found)) return false;
  const why = await endOf(client, name, found);
  const input = await lastWords(client, name, found.runId);
  const note = { at: Date.now(), text: `It was started again, with all its events. ${why}` };
  await startPipeline(client, taskQueue, { ...input, notes: [...(input.notes ?? []), note].slice(-10) });
  return true;
}

/** A pipeline that goes on as a fresh execution is open, though the list may not know it yet. */
export function isOpen({ status }: Pick<WorkflowExecutionDescription, 'status'>): boolean {
  return status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW' || status.name === 'PAUSED';
}

/** What an ended execution could have gone on with. One that never did anything goes on with what it was given. */
export async function lastWords(client: Client, name: string, runId: string): Promise<PipelineInput> {
  const { loadedDataConverter } = client.options;
  const untaken: Untaken[] = [];
  let given: PipelineInput | undefined;
  for await (const event of eventsBackwards(client, { workflowId: pipelineId(name), runId })) {
    // Whatever came while that task was under way stands after it: the execution was told, and had no time to listen.
    if (event.workflowTaskCompletedEventAttributes) break;
    const { signalName, input } = event.workflowExecutionSignaledEventAttributes ?? {};
    if (signalName) {
      const args = await decodeArrayFromPayloads(loadedDataConverter, input?.payloads).catch(() => []);
      untaken.unshift({ signal: signalName, args: args ?? [] });
    }
    const started = event.workflowExecutionStartedEventAttributes;
    if (started)
      given = (await decodeArrayFromPayloads(loadedDataConverter, started.input?.payloads))?.[0] as PipelineInput;
  }
  const whole =
    given ?? (await queryPipeline<PipelineInput>(client, name, pipelineNames.whole, [], { runId, ms: recallMs }));
  return untaken.length > 0 ? { ...whole, untaken: [...(whole.untaken ?? []), ...untaken] } : whole;
}

/** Who ended a pipeline, in words. */
export async function endOf(
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
