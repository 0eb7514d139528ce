import { createHmac } from 'node:crypto';
import type { Client } from '@temporalio/client';
import {
  type DeployedDefinition,
  type DeployRequest,
  type PipelineSettings,
  pipelineNames,
} from '../../../workflows/pipeline/workflow-contract.js';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import type { Answer } from '../../pipelines/messages-and-effects.js';
import type { PipelineView } from '../../pipelines/view.js';
import { checkConfigs } from '../../service/check-platform-config.js';
import type { PipelineEntry } from '../../service/library-interface.js';
import type { DeploymentResult } from '../../service/pipelines-interface.js';
import { namespaceSecret } from '../namespace-secret.js';
import { runSettings } from '../runs/run-start-options.js';
import { deploySchedules } from '../schedules/producers/deploy-producer-schedules.js';
import { describePipeline, isOpen, queryPipeline, startPipeline } from './describe-query-and-start-pipeline.js';
import { revivePipeline } from './revive-pipelines.js';
import { updatePipeline } from './send-pipeline-messages.js';

export type DeployConfig = Pick<Config, 'temporal' | 'platform' | 'limits' | 'http' | 'pipelines'>;

/** Creates a pipeline, or deploys this document to it; then creates or updates its Schedules. Idempotent. */
export async function deployPipeline(
  client: Client,
  config: DeployConfig,
  { definition, hash }: PipelineEntry,
  { deployer, takeOver = false }: { deployer: string; takeOver?: boolean },
): Promise<DeploymentResult> {
  const { name, version } = definition;
  const { taskQueue } = config.temporal;
  const settings = await pipelineSettings(client, config, definition);
  const deployment = { definition, hash, deployer };
  const found = await describePipeline(client, name);
  if (!found) await startPipeline(client, taskQueue, { deployment, settings });
  else if (!isOpen(found)) await revivePipeline(client, taskQueue, name);
  const before = found && (await queryPipeline<DeployedDefinition>(client, name, pipelineNames.definition));
  if (found && before && !isSameFolder(before.deployer, deployer))
    refuseTakeover(name, before.deployer, found, config, takeOver);
  const result = found ? await deployTo(client, taskQueue, name, { ...deployment, settings }) : 'created';
  const schedules = await deploySchedules(
    client,
    taskQueue,
    definition,
    Object.keys(before?.definition.producers ?? {}),
  );
  const pause = found && (await queryPipeline<PipelineView>(client, name, pipelineNames.view)).pauses[0];
  return { name, version, result, schedules, ...(pause && { pause: pause.text }) };
}

/** Whether two deployers are one. The host of a default one is ignored: every container of an image has another. */
function isSameFolder(one: string, other: string): boolean {
  const folder = (deployer: string) => /^[^:/]+:(\/.*|[A-Za-z]:.*)$/.exec(deployer)?.[1];
  return one === other || (folder(one) !== undefined && folder(one) === folder(other));
}

/** Refuses to replace a pipeline of another folder, unless that was asked for and its task queue is served here. */
function refuseTakeover(
  name: string,
  other: string,
  { taskQueue }: { taskQueue: string },
  { temporal }: DeployConfig,
  takeOver: boolean,
): void {
  const detail = `The pipeline ${name} was deployed by ${other}`;
  if (taskQueue !== temporal.taskQueue)
    refuse('PIPELINE_TAKEN', `${detail} and runs on the task queue ${taskQueue}, not ${temporal.taskQueue}.`, {
      hint: `Rename one of the two. Only an installation that serves ${taskQueue} can take it over.`,
    });
  if (!takeOver)
    refuse('PIPELINE_TAKEN', `${detail}.`, {
      hint: 'Rename one of the two, or take it over: journeyman pipeline deploy --take-over, or journeyman up --take-over.',
    });
}

async function deployTo(
  client: Client,
  taskQueue: string,
  name: string,
  request: DeployRequest,
): Promise<DeploymentResult['result']> {
  const answer = await updatePipeline<Answer>(client, taskQueue, name, pipelineNames.deploy, request);
  if (!answer.ok) throw new ProblemError(answer.problem);
  return answer.code === 'waiting' ? 'waiting' : answer.code === 'unchanged' ? 'unchanged' : 'changed';
}

/** The settings of a pipeline that is deployed with this configuration. */
export async function pipelineSettings(
  client: Client,
  config: DeployConfig,
  definition: PipelineEntry['definition'],
): Promise<PipelineSettings> {
  const configs = checkConfigs(definition, config.platform);
  const idKey = await idKeyOf(client, definition.name);
  return { ...runSettings(config), idKey, configs, watchMs: config.pipelines.watchSec * 1000 };
}

/** The key from which ids of a pipeline's journeys are derived. Histories contain it, so it is not the namespace's own secret. */
export async function idKeyOf(client: Client, name: string): Promise<string> {
  const value = await namespaceSecret(client);
  return createHmac('sha256', value).update(`pipeline ${name}`).digest('base64url');
}
