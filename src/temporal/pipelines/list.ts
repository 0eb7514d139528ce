import type { Client } from '@temporalio/client';
import { deployerTag, type PipelineMemo, pipelineWorkflow } from '../../../workflows/pipeline-input.js';
import { keys } from '../../../workflows/search-attributes.js';
import type { PipelineSummary } from '../../service/pipelines.js';
import { asProblem } from '../failures.js';
import { isOpen } from './entity.js';

/** Every pipeline, by name. One that somebody ended is among them as long as Temporal remembers it. */
export async function listPipelines(client: Client, query = ''): Promise<PipelineSummary[]> {
  const newest = new Map<string, PipelineSummary>();
  try {
    const listed = client.workflow.list({
      query: `WorkflowType = '${pipelineWorkflow}' AND ExecutionStatus != 'ContinuedAsNew'${query}`,
    });
    // The newest come first: earlier executions of the same pipeline ended before.
    for await (const { memo, status, startTime, typedSearchAttributes } of listed) {
      const said = memo?.pipeline as PipelineMemo | undefined;
      if (!said || newest.has(said.name)) continue;
      newest.set(said.name, {
        name: said.name,
        version: said.version,
        status: !isOpen({ status })
          ? 'ended'
          : typedSearchAttributes.get(keys.JourneyState) === 'paused'
            ? 'paused'
            : 'running',
        deployer: said.deployer,
        startedAt: startTime.toISOString(),
      });
    }
  } catch (error) {
    throw asProblem(error);
  }
  return [...newest.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The names of the pipelines that a deployer deployed last. */
export async function pipelinesOf(client: Client, deployer: string): Promise<string[]> {
  const quoted = `'${deployerTag(deployer).replaceAll("'", "''")}'`;
  const listed = await listPipelines(client, ` AND JourneyTags = ${quoted}`);
  return listed.filter((it) => it.deployer === deployer).map(({ name }) => name);
}
