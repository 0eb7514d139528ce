import { createHmac } from 'node:crypto';
import type { Client } from '@temporalio/client';
import {
  type DeployedDefinition,
  type DeployRequest,
  type PipelineSettings,
  pipelineNames,
} from '../../../workflows/pipeline-input.js';
import type { Config } from '../../config/config.js';
import type { Answer } from '../../pipelines/message.js';
import { ProblemError } from '../../problems/problem.js';
import type { PipelineEntry } from '../../service/library.js';
import type { Deployed } from '../../service/pipelines.js';
import { checkConfigs } from '../../service/platform-config.js';
import { namespaceSecret } from '../namespace-secret.js';
import { runLimits } from '../start-options.js';
import { describePipeline, isOpen, queryPipeline, startPipeline } from './entity.js';
import { revivePipeline } from './revive.js';
import { keepSchedules } from './schedules.js';
import { updatePipeline } from './telling.js';

export type DeployConfig = Pick<Config, 'temporal' | 'platform' | 'limits' | 'http' | 'pipelines'>;

/** Makes a pipeline, or gives it this document; then makes its Schedules fit. Repeating it changes nothing. */
export async function deployPipeline(
  client: Client,
  config: DeployConfig,
  { definition, hash }: PipelineEntry,
  deployer: string,
): Promise<Deployed> {
  const { name, version } = definition;
  const { taskQueue } = config.temporal;
  const settings = await settingsOf(client, config, definition);
  const deployment = { definition, hash, deployer };
  const found = await describePipeline(client, name);
  if (!found) await startPipeline(client, taskQueue, { deployment, settings });
  else if (!isOpen(found)) await revivePipeline(client, taskQueue, name);
  const before = found && (await queryPipeline<DeployedDefinition>(client, name, pipelineNames.definition));
  const result = found ? await give(client, taskQueue, name, { ...deployment, settings }) : 'created';
  const schedules = await keepSchedules(client, taskQueue, definition, Object.keys(before?.definition.producers ?? {}));
  return { name, version, result, schedules };
}

async function give(
  client: Client,
  taskQueue: string,
  name: string,
  request: DeployRequest,
): Promise<Deployed['result']> {
  const answer = await updatePipeline<Answer>(client, taskQueue, name, pipelineNames.deploy, request);
  if (!answer.ok) throw new ProblemError(answer.problem);
  return answer.code === 'waiting' ? 'waiting' : answer.code === 'unchanged' ? 'unchanged' : 'changed';
}

/** What the journeys of the pipeline are run with, as it is configured here. */
export async function settingsOf(
  client: Client,
  config: DeployConfig,
  definition: PipelineEntry['definition'],
): Promise<PipelineSettings> {
  const { platform, http, limits } = config;
  const configs = checkConfigs(definition, platform);
  return {
    idKey: await idKeyOf(client, definition.name),
    environment: platform.environment,
    configs,
    callModes: http.mode,
    schedules: { minIntervalSec: limits.scheduleIntervalSec, contextBytes: limits.contextBytes },
    limits: runLimits(config),
    watchMs: config.pipelines.watchSec * 1000,
    ...(platform.timezone !== 'UTC' && { timezone: platform.timezone }),
  };
}

/** The key that ids of a pipeline's journeys are made with. It stands in histories, so it is not the namespace's own secret. */
export async function idKeyOf(client: Client, name: string): Promise<string> {
  const { value } = await namespaceSecret(client);
  return createHmac('sha256', value).update(`pipeline ${name}`).digest('base64url');
}
