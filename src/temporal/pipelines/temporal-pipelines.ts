import type { Client } from '@temporalio/client';
import { type NotedView, pipelineNames } from '../../../workflows/pipeline/workflow-contract.js';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import { childIdOf } from '../../pipelines/handler-run-ids.js';
import type { Resolution } from '../../pipelines/messages-and-effects.js';
import type { Incoming } from '../../pipelines/read-incoming-messages.js';
import type { EventsPage, PipelineView } from '../../pipelines/view.js';
import type { PipelineEntry } from '../../service/library-interface.js';
import {
  type ActiveRunDetails,
  type DeploymentResult,
  type ListEvents,
  type NewEvent,
  type PipelineDetails,
  type PipelineSummary,
  type Pipelines,
  type RemovedPipeline,
  type RequestResult,
  refuseUnknownPipeline,
} from '../../service/pipelines-interface.js';
import type { Page } from '../../service/schedules-interface.js';
import { nextPage, pageToken } from '../page-token.js';
import { troubleOf } from '../runs/run-diagnostics.js';
import { isUnreadable } from '../runs/visibility-entry.js';
import { producerScheduleId, producerTimes } from '../schedules/producers/deploy-producer-schedules.js';
import { deployPipeline, idKeyOf } from './deploy-pipeline.js';
import { describePipeline, endText, isOpen, queryPipeline } from './describe-query-and-start-pipeline.js';
import { listPipelines, pipelinesOf } from './list-pipelines.js';
import { PipelineClient } from './send-pipeline-messages.js';

/** `Retry-After` of a full topic, in seconds: consumers handle events one after another. */
const fullRetrySec = 5;

/** Pipelines on Temporal: each is one workflow, and each producer one Schedule. */
export class TemporalPipelines implements Pipelines {
  private readonly messages: PipelineClient;

  constructor(
    private readonly client: Client,
    private readonly config: Pick<Config, 'temporal' | 'platform' | 'limits' | 'http' | 'pipelines'>,
  ) {
    this.messages = new PipelineClient(client, config.temporal.taskQueue);
  }

  async list(): Promise<PipelineSummary[]> {
    return await listPipelines(this.client);
  }

  async show(name: string): Promise<PipelineDetails> {
    const found = (await describePipeline(this.client, name)) ?? refuseUnknownPipeline(name);
    const [view, { definition }] = await Promise.all([
      queryPipeline<NotedView>(this.client, name, pipelineNames.view),
      queryPipeline<{ definition: PipelineEntry['definition'] }>(this.client, name, pipelineNames.definition),
    ]);
    const ended = isOpen(found)
      ? undefined
      : `${await endText(this.client, name, found)} Nothing is lost: the next request to it, tick or deployment starts it again.`;
    const status = ended ? 'ended' : view.status;
    const producers: PipelineDetails['producers'] = {};
    for (const [producer, it] of Object.entries(view.producers)) {
      const times = await producerTimes(this.client, name, producer, definition.producers[producer]!.schedule);
      const nextRuns = status === 'running' ? times.next : [];
      producers[producer] = {
        ...it,
        cadence: times.cadence,
        nextRunAt: nextRuns[0] ?? null,
        nextRuns,
        scheduleId: producerScheduleId(name, producer),
        drift: times.drift,
      };
    }
    const { active, ...rest } = view;
    return {
      ...rest,
      ...(active && { active: await this.shownActive(name, active) }),
      suspended: await this.withIds(name, view.suspended),
      runs: await this.withIds(name, view.runs),
      status,
      ...(ended && { ended }),
      producers,
    };
  }

  private async shownActive(name: string, active: NonNullable<PipelineView['active']>): Promise<ActiveRunDetails> {
    if (active.phase !== 'running') return active;
    const [run] = await this.withIds(name, [active]);
    return { ...run!, ...(await troubleOf(this.client, run!.journeyId)) };
  }

  /** Runs with the ids of their journeys. */
  private async withIds<T extends { run: string }>(
    name: string,
    runs: readonly T[],
  ): Promise<(T & { journeyId: string })[]> {
    const idKey = await idKeyOf(this.client, name);
    return runs.map((run) => ({ ...run, journeyId: childIdOf(idKey, run.run) }));
  }

  async runs(name: string, { pageSize, pageToken: token }: Page) {
    const { runs } = await queryPipeline<PipelineView>(this.client, name, pipelineNames.view);
    const after = Buffer.from(pageToken(token, name)).toString();
    // If the last run of the page before is forgotten, so are all that came before it.
    const begin = after === '' ? 0 : runs.findIndex(({ run }) => run === after) + 1 || runs.length;
    const items = await this.withIds(name, runs.slice(begin, begin + pageSize));
    const last = begin + pageSize < runs.length ? items.at(-1) : undefined;
    return { items, ...nextPage(last ? Buffer.from(last.run) : null, name) };
  }

  async events(name: string, topic: string, { status, pageSize, pageToken: token }: ListEvents) {
    const filter = `${name} ${topic} ${status ?? ''}`;
    const after = Buffer.from(pageToken(token, filter)).toString();
    const request = { topic, limit: pageSize, ...(status && { status }), ...(after && { after }) };
    const page = await queryPipeline<EventsPage>(this.client, name, pipelineNames.events, [request]);
    if (!page.known) refuse('TOPIC_UNKNOWN', `The pipeline ${name} has no topic '${topic.slice(0, 80)}'.`);
    return { items: page.items, ...nextPage(page.next === undefined ? null : Buffer.from(page.next), filter) };
  }

  async publish(name: string, event: NewEvent): Promise<RequestResult> {
    return await this.ask(name, { type: 'publish', ...event, stamp: Date.now().toString(36) });
  }

  async trigger(name: string, handler: string, requestId: string): Promise<RequestResult> {
    return await this.ask(name, { type: 'trigger', handler, requestId });
  }

  async pause(name: string, note: string): Promise<RequestResult> {
    return await this.ask(name, { type: 'pause', note });
  }

  async resume(name: string): Promise<RequestResult> {
    return await this.ask(name, { type: 'resume' });
  }

  async resolve(name: string, run: string, how: Resolution): Promise<RequestResult> {
    return await this.ask(name, { type: 'resolve', run, how });
  }

  async deploy(entry: PipelineEntry, deployer: string, takeOver = false): Promise<DeploymentResult> {
    return await deployPipeline(this.client, this.config, entry, { deployer, takeOver });
  }

  async removeOthers(deployer: string, kept: readonly string[]): Promise<RemovedPipeline[]> {
    const removed: RemovedPipeline[] = [];
    for (const { name, problem: trouble } of await pipelinesOf(this.client, deployer)) {
      if (kept.includes(name)) continue;
      try {
        // A pipeline that cannot be decrypted cannot be removed either.
        if (isUnreadable(trouble)) throw new ProblemError(trouble);
        const { result } = await this.ask(name, { type: 'remove', deployer });
        if (result === 'done') removed.push({ name });
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        removed.push({ name, problem: error.problem });
      }
    }
    return removed;
  }

  private async ask(name: string, message: Incoming): Promise<RequestResult> {
    const answer = await this.messages.send(name, message);
    if (answer.ok) return { result: answer.code, ...(answer.run !== undefined && { run: answer.run }) };
    const { problem: refused } = answer;
    throw new ProblemError(refused.code === 'TOPIC_FULL' ? { ...refused, retryAfterSec: fullRetrySec } : refused);
  }
}
