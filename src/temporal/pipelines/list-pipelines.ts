import type { Client } from '@temporalio/client';
import {
  deployerTag,
  type PipelineMemo,
  pipelineId,
  pipelineWorkflow,
} from '../../../workflows/pipeline/workflow-contract.js';
import { keys, searched } from '../../../workflows/shared/run-search-attributes.js';
import { problem } from '../../base/problems/problem.js';
import type { PipelineSummary } from '../../service/pipelines-interface.js';
import { asProblem } from '../classify-temporal-errors.js';
import { executions } from '../runs/newest-executions.js';
import { newestEntry } from '../runs/visibility-entry.js';
import { isOpen } from './describe-query-and-start-pipeline.js';

const atOnce = 10;

/** Lists every pipeline by name, including ended ones that Temporal still has and ones that cannot be decrypted. */
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

/** Summarises a pipeline from its newest execution: visibility may lag behind. */
async function summaryOf(client: Client, workflowId: string): Promise<PipelineSummary | undefined> {
  const found = await newestEntry(client, workflowId);
  if (!found) return undefined;
  const { memo, status, startTime, typedSearchAttributes: attributes, unreadable, task } = found;
  const tag = attributes.get(keys.JourneyTags)?.find((it) => it.startsWith(deployerTag('')));
  // The search attributes have the content of the memo too, cut where it is long.
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
  const { version, deployer, pause } = (memo?.pipeline ?? known) as PipelineMemo;
  return {
    ...known,
    version,
    deployer,
    ...(pause && known.status === 'paused' && { pause }),
    ...(failing && { problem: failing }),
  };
}

/** Longest wait for the states of pipelines; a scrape of the metrics waits for them. */
const statesMs = 2_000;

/** The state of each pipeline, as a metric shows it: running, ended, or the reason why it is paused. */
export async function pipelineStates(client: Client): Promise<{ name: string; state: string }[]> {
  const listed = await client.withDeadline(Date.now() + statesMs, () => listPipelines(client));
  return listed.map(({ name, status, pause }) => ({ name, state: pause?.reason ?? status }));
}

/** The pipelines that a deployer deployed last. */
export async function pipelinesOf(client: Client, deployer: string): Promise<PipelineSummary[]> {
  const quoted = `'${deployerTag(deployer).replaceAll("'", "''")}'`;
  const listed = await listPipelines(client, ` AND JourneyTags = ${quoted}`);
  return listed.filter((it) => it.deployer === deployer);
}
