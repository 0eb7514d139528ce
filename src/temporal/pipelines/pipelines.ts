import type { Client } from '@temporalio/client';
import { type NotedView, pipelineNames } from '../../../workflows/pipeline-input.js';
import type { Config } from '../../config/config.js';
import { childIdOf } from '../../pipelines/child-id.js';
import type { Incoming } from '../../pipelines/incoming.js';
import type { Resolution } from '../../pipelines/message.js';
import type { EventsPage, PipelineView } from '../../pipelines/view.js';
import { ProblemError, refuse } from '../../problems/problem.js';
import type { PipelineEntry } from '../../service/library.js';
import {
  type ActiveShown,
  type Answered,
  type Deployed,
  type ListEvents,
  type NewEvent,
  type PipelineShown,
  type PipelineSummary,
  type Pipelines,
  type Removed,
  refuseUnknownPipeline,
} from '../../service/pipelines.js';
import type { Page } from '../../service/schedules.js';
import { isUnreadable } from '../listed.js';
import { nextPage, pageToken } from '../page-token.js';
import { troubleOf } from '../run-report.js';
import { deployPipeline, idKeyOf } from './deploy.js';
import { describePipeline, endOf, isOpen, queryPipeline } from './entity.js';
import { listPipelines, pipelinesOf } from './list.js';
import { producerScheduleId, producerTimes } from './schedules.js';
import { Telling } from './telling.js';

/** When to try again what a full topic refused: a consumer takes events one after another. */
const fullRetrySec = 5;

/** Pipelines on Temporal: each is one workflow, and each producer one Schedule. */
export class TemporalPipelines implements Pipelines {
  private readonly telling: Telling;

  constructor(
    private readonly client: Client,
    private readonly config: Pick<Config, 'temporal' | 'platform' | 'limits' | 'http' | 'pipelines'>,
  ) {
    this.telling = new Telling(client, config.temporal.taskQueue);
  }

  async list(): Promise<PipelineSummary[]> {
    return await listPipelines(this.client);
  }

  async show(name: string): Promise<PipelineShown> {
    const found = (await describePipeline(this.client, name)) ?? refuseUnknownPipeline(name);
    const [view, { definition }] = await Promise.all([
      queryPipeline<NotedView>(this.client, name, pipelineNames.view),
      queryPipeline<{ definition: PipelineEntry['definition'] }>(this.client, name, pipelineNames.definition),
    ]);
    const ended = isOpen(found)
      ? undefined
      : `${await endOf(this.client, name, found)} Nothing is lost: the next request to it, tick or deployment starts it again.`;
    const status = ended ? 'ended' : view.status;
    const producers: PipelineShown['producers'] = {};
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

  private async shownActive(name: string, active: NonNullable<PipelineView['active']>): Promise<ActiveShown> {
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
    // Where the last one that was seen is forgotten meanwhile, so are all that came before it.
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

  async publish(name: string, event: NewEvent): Promise<Answered> {
    return await this.ask(name, { type: 'publish', ...event, stamp: Date.now().toString(36) });
  }

  async trigger(name: string, handler: string, requestId: string): Promise<Answered> {
    return await this.ask(name, { type: 'trigger', handler, requestId });
  }

  async pause(name: string, note: string): Promise<Answered> {
    return await this.ask(name, { type: 'pause', note });
  }

  async resume(name: string): Promise<Answered> {
    return await this.ask(name, { type: 'resume' });
  }

  async resolve(name: string, run: string, how: Resolution): Promise<Answered> {
    return await this.ask(name, { type: 'resolve', run, how });
  }

  async deploy(entry: PipelineEntry, deployer: string): Promise<Deployed> {
    return await deployPipeline(this.client, this.config, entry, deployer);
  }

  async removeOthers(deployer: string, kept: readonly string[]): Promise<Removed[]> {
    const removed: Removed[] = [];
    for (const { name, problem: trouble } of await pipelinesOf(this.client, deployer)) {
      if (kept.includes(name)) continue;
      try {
        // One that cannot be read here would not be understood either.
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

  private async ask(name: string, message: Incoming): Promise<Answered> {
    const answer = await this.telling.tell(name, message);
    if (answer.ok) return { result: answer.code, ...(answer.run !== undefined && { run: answer.run }) };
    const { problem: refused } = answer;
    throw new ProblemError(refused.code === 'TOPIC_FULL' ? { ...refused, retryAfterSec: fullRetrySec } : refused);
  }
}
