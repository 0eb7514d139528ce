import type { Client } from '@temporalio/client';
import {
  pipelineId,
  pipelineNames,
  pipelineWorkflow,
  sourceTag,
} from '../../../workflows/pipeline/workflow-contract.js';
import type { KafkaSource } from '../../pipelines/definition.js';
import type { Answer, Deliver } from '../../pipelines/messages-and-effects.js';
import type { SourceView } from '../../pipelines/topics/deliver-source-records.js';
import { asProblem } from '../classify-temporal-errors.js';
import { queryLiteral } from '../query-literal.js';
import { executions } from '../runs/newest-executions.js';
import { describePipeline, isOpen, queryPipeline } from './describe-query-and-start-pipeline.js';
import { revivePipeline } from './revive-pipelines.js';
import { updatePipeline } from './send-pipeline-messages.js';

/** Names of the pipelines with a source that a task queue serves. */
export async function pipelinesWithSources(client: Client, taskQueue: string): Promise<string[]> {
  const names = new Set<string>();
  const query = [
    `WorkflowType = '${pipelineWorkflow}'`,
    `JourneyTags = '${sourceTag}'`,
    `TaskQueue = ${queryLiteral(taskQueue)}`,
    `ExecutionStatus != 'ContinuedAsNew'`,
  ].join(' AND ');
  try {
    for await (const { execution } of executions(client, query))
      names.add((execution?.workflowId ?? '').slice(pipelineId('').length));
  } catch (error) {
    throw asProblem(error);
  }
  return [...names];
}

/** The sources of a pipeline. One that was ended with Temporal's tools is restarted, as by any other event. */
export async function sourcesOfPipeline(client: Client, taskQueue: string, name: string): Promise<SourceView[]> {
  const found = await describePipeline(client, name);
  if (found && !isOpen(found)) await revivePipeline(client, taskQueue, name);
  return await queryPipeline<SourceView[]>(client, name, pipelineNames.sources);
}

/** One source of a pipeline, for the worker that reads it. */
export class PipelineSource {
  constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
    private readonly pipeline: string,
    private readonly topic: string,
    private readonly kafka: KafkaSource,
  ) {}

  async look(): Promise<SourceView | undefined> {
    const sources = await queryPipeline<SourceView[]>(this.client, this.pipeline, pipelineNames.sources);
    const { topic, group } = this.kafka;
    return sources.find((it) => it.topic === this.topic && it.kafka.topic === topic && it.kafka.group === group);
  }

  async deliver(deliveries: readonly Deliver[]): Promise<Answer[]> {
    return await updatePipeline(this.client, this.taskQueue, this.pipeline, pipelineNames.take, deliveries);
  }
}
