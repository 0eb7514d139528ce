import type { Client } from '@temporalio/client';
import type { JourneyWorkflow } from '../../../workflows/input.js';
import {
  type PipelineInput,
  type PipelineSettings,
  pipelineId,
  pipelineNames,
} from '../../../workflows/pipeline-input.js';
import type { Json } from '../../json/value.js';
import { cadenceOf } from '../../pipelines/cadence.js';
import { childIdOf } from '../../pipelines/child-id.js';
import type { Snapshot } from '../../pipelines/snapshot.js';
import type { PipelineEntry } from '../../service/library.js';
import { realTimes } from '../schedules/drift.js';
import { startAt, timesOf } from '../schedules/rehearsal.js';
import { type DeployConfig, settingsOf } from './deploy.js';
import { queryPipeline, startPipeline } from './entity.js';
import { makePaused, producerScheduleId, removeSchedule } from './schedules.js';
import { updatePipeline } from './telling.js';

const deployer = 'scenario';

/** A pipeline on Temporal whose clock somebody holds: it stands still between two moments, and its Schedules start nothing by themselves. */
export class HeldPipeline {
  private constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
    private readonly entry: PipelineEntry,
    private readonly settings: PipelineSettings,
  ) {}

  static async start(client: Client, config: DeployConfig, entry: PipelineEntry, now: number): Promise<HeldPipeline> {
    const { taskQueue } = config.temporal;
    const { definition } = entry;
    const settings = await settingsOf(client, config, definition);
    const deployment = { ...entry, deployer };
    const held = new HeldPipeline(client, taskQueue, entry, settings);
    try {
      await startPipeline(client, taskQueue, { deployment, settings: { ...settings, now } });
      await makePaused(client, taskQueue, definition, now);
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
    return realTimes(cadenceOf(schedule), times);
  }

  async tick(producer: string, time: number): Promise<void> {
    const { id, run } = await startAt(this.client, producerScheduleId(this.name, producer), time);
    await this.client.workflow.getHandle(id, run).result();
  }

  async snapshot(): Promise<Snapshot> {
    return (await queryPipeline<PipelineInput>(this.client, this.name, pipelineNames.whole)).snapshot!;
  }

  async outputOf(run: string): Promise<Json> {
    const handle = this.client.workflow.getHandle<JourneyWorkflow>(childIdOf(this.settings.idKey, run));
    return (await handle.result()).output;
  }

  /** Its journeys would outlive it; and a pipeline that has ended stays in lists, as one that can be started again. */
  async remove(): Promise<void> {
    const { active } = await this.snapshot().catch(() => ({ active: undefined }));
    for (const producer of Object.keys(this.entry.definition.producers))
      await removeSchedule(this.client, producerScheduleId(this.name, producer));
    const workflowId = pipelineId(this.name);
    await this.end(workflowId);
    // Whoever may not delete leaves it there.
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
