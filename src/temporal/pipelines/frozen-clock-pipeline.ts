import type { Client } from '@temporalio/client';
import type { JourneyWorkflow } from '../../../workflows/journey/workflow-contract.js';
import {
  type PipelineInput,
  type PipelineSettings,
  pipelineId,
  pipelineNames,
} from '../../../workflows/pipeline/workflow-contract.js';
import type { Json } from '../../base/json/value.js';
import { childIdOf } from '../../pipelines/handler-run-ids.js';
import { producerCadence } from '../../pipelines/read-producer-schedule.js';
import type { PipelineSnapshot } from '../../pipelines/snapshot.js';
import type { PipelineEntry } from '../../service/library-interface.js';
import { realTimes } from '../schedules/check-and-extend-start-times.js';
import { startAt, timesOf } from '../schedules/fire-schedule-for-scenario.js';
import { createPaused, producerScheduleId } from '../schedules/producers/deploy-producer-schedules.js';
import { deleteSchedule } from '../schedules/write-schedule.js';
import { type DeployConfig, pipelineSettings } from './deploy-pipeline.js';
import { queryPipeline, startPipeline } from './describe-query-and-start-pipeline.js';
import { updatePipeline } from './send-pipeline-messages.js';

const deployer = 'scenario';

/** A pipeline on Temporal with a frozen clock, for scenarios: only `at` moves it, and its Schedules start nothing by themselves. */
export class FrozenClockPipeline {
  private constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
    private readonly entry: PipelineEntry,
    private readonly settings: PipelineSettings,
  ) {}

  static async start(
    client: Client,
    config: DeployConfig,
    entry: PipelineEntry,
    now: number,
  ): Promise<FrozenClockPipeline> {
    const { taskQueue } = config.temporal;
    const { definition } = entry;
    const settings = await pipelineSettings(client, config, definition);
    const deployment = { ...entry, deployer };
    const held = new FrozenClockPipeline(client, taskQueue, entry, settings);
    try {
      await startPipeline(client, taskQueue, { deployment, settings: { ...settings, now } });
      await createPaused(client, taskQueue, definition, now);
    } catch (error) {
      await held.remove().catch(() => undefined);
      throw error;
    }
    return held;
  }

  async at(now: number): Promise<void> {
    const { client, taskQueue, entry } = this;
    const request = { ...entry, deployer, settings: { ...this.settings, now } };
    await updatePipeline(client, taskQueue, this.name, pipelineNames.deploy, request);
  }

  async times(producer: string, after: number, until: number): Promise<number[]> {
    const { schedule } = this.entry.definition.producers[producer]!;
    const times = await timesOf(this.client, producerScheduleId(this.name, producer), after, until);
    return realTimes(producerCadence(schedule), times);
  }

  async tick(producer: string, time: number): Promise<void> {
    const { id, run } = await startAt(this.client, producerScheduleId(this.name, producer), time);
    await this.client.workflow.getHandle(id, run).result();
  }

  async snapshot(): Promise<PipelineSnapshot> {
    return (await queryPipeline<PipelineInput>(this.client, this.name, pipelineNames.nextInput)).snapshot!;
  }

  async outputOf(run: string): Promise<Json> {
    const handle = this.client.workflow.getHandle<JourneyWorkflow>(childIdOf(this.settings.idKey, run));
    return (await handle.result()).output;
  }

  /** Removes the pipeline, its journeys, which would outlive it, and its entry in lists. */
  async remove(): Promise<void> {
    const { active } = await this.snapshot().catch(() => ({ active: undefined }));
    for (const producer of Object.keys(this.entry.definition.producers))
      await deleteSchedule(this.client, producerScheduleId(this.name, producer));
    const workflowId = pipelineId(this.name);
    await this.end(workflowId);
    // Deleting may not be permitted.
    const { namespace } = this.client.options;
    await this.client.workflowService
      .deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } })
      .catch(() => undefined);
    if (active) await this.end(childIdOf(this.settings.idKey, active.key)).catch(() => undefined);
  }

  private async end(id: string): Promise<void> {
    await this.client.workflow.getHandle(id).terminate('the scenario is over');
  }

  private get name(): string {
    return this.entry.definition.name;
  }
}
