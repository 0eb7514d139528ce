import type { Client } from '@temporalio/client';
import { type DeployedDefinition, pipelineNames } from '../../../workflows/pipeline-input.js';
import { ProblemError } from '../../problems/problem.js';
import { describePipeline, isOpen, queryPipeline } from './entity.js';
import { listPipelines } from './list.js';
import { revivePipeline } from './revive.js';
import { keepSchedules } from './schedules.js';

/**
 * Once a day: starts pipelines again that somebody ended and nobody has asked since, before Temporal forgets them, and puts their Schedules
 * right. One that cannot be helped keeps no other from it.
 */
export async function tidyPipelines(client: Client, taskQueue: string): Promise<void> {
  for (const { name } of await listPipelines(client)) {
    try {
      const found = await describePipeline(client, name);
      // Others have workers of their own.
      if (found?.taskQueue !== taskQueue) continue;
      if (!isOpen(found)) await revivePipeline(client, taskQueue, name);
      const { definition } = await queryPipeline<DeployedDefinition>(client, name, pipelineNames.definition);
      await keepSchedules(client, taskQueue, definition);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
    }
  }
}
