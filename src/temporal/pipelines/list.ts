import type { Client } from '@temporalio/client';
import { deployerTag, type PipelineMemo, pipelineId, pipelineWorkflow } from '../../../workflows/pipeline-input.js';
import { keys, searched } from '../../../workflows/search-attributes.js';
import { problem } from '../../problems/problem.js';
import type { PipelineSummary } from '../../service/pipelines.js';
import { asProblem } from '../failures.js';
import { listedNow } from '../listed.js';
import { executions } from '../newest-executions.js';
import { isOpen } from './entity.js';

const atOnce = 10;

/** Every pipeline, by name. One that somebody ended is among them as long as Temporal remembers it, and one that cannot be read says so. */
export async function listPipelines(client: Client, query = ''): Promise<PipelineSummary[]> {
  const ids = new Set<string>();
  const summaries: PipelineSummary[] = [];
  try {
    const all = `WorkflowType = '${pipelineWorkflow}' AND ExecutionStatus != 'ContinuedAsNew'${query}`;
    for await (const { execution } of executions(client, all)) ids.add(execution?.workflowId ?? '');
    const sorted = [...ids].sort();
    for (let from = 0; from < sorted.length; from += atOnce) {
      const some = await Promise.all(sorted.slice(from, from + atOnce).map((id) => summaryOf(client, id)));
      summaries.push(...some.filter((it) => it !== undefined));
    }
  } catch (error) {
    throw asProblem(error);
  }
  return summaries;
}

/** A pipeline as its newest execution describes it: the list of Temporal may lag behind. */
async function summaryOf(client: Client, workflowId: string): Promise<PipelineSummary | undefined> {
  const found = await listedNow(client, workflowId);
  if (!found) return undefined;
  const { memo, status, startTime, typedSearchAttributes: attributes, unreadable, task } = found;
  const tag = attributes.get(keys.JourneyTags)?.find((it) => it.startsWith(deployerTag('')));
  // What a memo says stands in search attributes too, though cut where it is long.
  const known = {
    name: workflowId.slice(pipelineId('').length),
    version: attributes.get(keys.JourneyVersion) ?? '',
    deployer: searched(tag ?? '').slice(deployerTag('').length),
    status: !isOpen({ status }) ? 'ended' : attributes.get(keys.JourneyState) === 'paused' ? 'paused' : 'running',
    startedAt: startTime.toISOString(),
  } as const;
  const attempt = task?.attempt ?? 0;
  const failing =
    attempt > 1
      ? problem('PIPELINE_UNRESPONSIVE', `Its workflow tasks fail, ${attempt - 1} times so far.`, {
          hint: 'journeyman pipeline show says why.',
        })
      : undefined;
  if (unreadable) return { ...known, problem: unreadable };
  const { version, deployer } = (memo?.pipeline ?? known) as PipelineMemo;
  return { ...known, version, deployer, ...(failing && { problem: failing }) };
}

/** The pipelines that a deployer deployed last. */
export async function pipelinesOf(client: Client, deployer: string): Promise<PipelineSummary[]> {
  const quoted = `'${deployerTag(deployer).replaceAll("'", "''")}'`;
  const listed = await listPipelines(client, ` AND JourneyTags = ${quoted}`);
  return listed.filter((it) => it.deployer === deployer);
}
