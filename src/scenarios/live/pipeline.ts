import { setTimeout as delay } from 'node:timers/promises';
import { isObject, type Json, type JsonObject } from '../../json/value.js';
import type { Answer } from '../../pipelines/message.js';
import { restore } from '../../pipelines/snapshot.js';
import type { PipelineState } from '../../pipelines/state.js';
import { formatInstant } from '../../time/duration.js';
import type { ScriptedBackend } from '../backend.js';
import { describeDifference, differences } from '../diff.js';
import type { Trouble } from '../observation.js';
import type { PipelineHost } from '../pipelines/host.js';
import type { Action } from '../pipelines/scenario.js';
import { publishedIn, seenOf, suspendedRun } from '../pipelines/seen.js';
import type { Moment, PipelineSimulation } from '../pipelines/simulation.js';
import { type GatewayClient, refusal } from './gateway-client.js';
import type { HeldReplies } from './held-replies.js';
import type { ScenarioPipeline } from './stack.js';

const pollMs = 15;
/** A pipeline that has not come as far as in virtual time by then is given up on. */
const patienceMs = 20_000;
/** How far ahead a producer's next time is looked for, one after the other: there may be one each minute, or one a year. */
const horizons = [3_600_000, 86_400_000, 40 * 86_400_000, 5 * 366 * 86_400_000];

/**
 * A pipeline on a real server. Time stands still there until virtual time, which goes ahead, has come to its next moment: then the clock is
 * set, what is due is let happen, and the next moment is waited for until the pipeline has come as far as in virtual time.
 */
export class LivePipeline implements PipelineHost {
  readonly troubles: Trouble[] = [];
  private state: PipelineState | undefined;
  private readonly published = new Map<string, Json[]>();
  private readonly nextRuns = new Map<string, string | null>();
  /** Producers' times that have come at this instant, and that the pipeline was not told of yet. */
  private due: { producer: string; time: number }[] = [];

  constructor(
    private readonly name: string,
    private readonly plan: PipelineSimulation,
    private readonly pipeline: ScenarioPipeline,
    private readonly gateway: GatewayClient,
    readonly backend: ScriptedBackend,
    private readonly replies: HeldReplies,
  ) {}

  async act(action: Action): Promise<Answer | undefined> {
    if (action.type === 'advance') {
      await this.plan.act(action, (moment) => this.goOn(moment));
      await this.lookAhead();
      return undefined;
    }
    await this.plan.act(action);
    const answer = await this.tell(action);
    await this.catchUp();
    await this.lookAhead();
    return answer;
  }

  seen(): JsonObject {
    const published = [...this.published.values()].flat();
    return seenOf(this.state!, this.replies.now, {
      published,
      nextRun: (producer) => this.nextRuns.get(producer) ?? null,
    });
  }

  /** Looks at the pipeline before anything has happened to it. */
  async begin(): Promise<this> {
    await this.catchUp();
    await this.lookAhead();
    return this;
  }

  /** It becomes this late: what slept wakes, producers are due, replies come; in the order that they have in virtual time. */
  private async goOn({ now, due, ended, last }: Moment): Promise<void> {
    const before = this.replies.now;
    if (now > before) {
      await this.pipeline.at(now);
      this.replies.at(now);
      for (const producer of this.producers)
        for (const time of await this.pipeline.times(producer, before, now)) this.due.push({ producer, time });
    }
    const told = this.due.filter(({ producer }) => last || producer === due);
    this.due = this.due.filter((it) => !told.includes(it));
    for (const { producer, time } of told) await this.pipeline.tick(producer, time);
    if (!ended && !last) return;
    this.replies.send();
    await this.catchUp();
  }

  private async catchUp(): Promise<void> {
    const { plan, backend } = this;
    // One that lost its way does not find back; what is seen of it will say so.
    const patient = this.troubles.length === 0 ? patienceMs : 0;
    for (const since = Date.now(); ; await delay(pollMs)) {
      await this.look();
      const differs = differences(comparable(plan.seen()), comparable(this.seen()), false);
      const behind = backend.calls.length < plan.backend.calls.length;
      if (differs.length === 0 && !behind) return;
      if (Date.now() - since <= patient) continue;
      const [first] = differs;
      const how = first ? `${first.path}: ${describeDifference(first)}` : 'it made fewer calls';
      const at = formatInstant(this.replies.now);
      if (patient > 0)
        this.troubles.push({ message: `On Temporal it went another way at ${at} than in virtual time: ${how}.` });
      return;
    }
  }

  private async look(): Promise<void> {
    this.state = restore(await this.pipeline.snapshot());
    for (const { key, status, output, published = 0 } of this.state.runs)
      if (status === 'committed' && published > 0 && !this.published.has(key))
        this.published.set(key, publishedIn(output ?? (await this.pipeline.outputOf(key))));
  }

  private get producers(): string[] {
    return Object.keys(this.state!.producers);
  }

  /** Asks Temporal when producers come next. */
  private async lookAhead(): Promise<void> {
    const { now } = this.replies;
    for (const producer of this.producers) {
      let next: number | undefined;
      for (const horizon of horizons) {
        [next] = await this.pipeline.times(producer, now, now + horizon);
        if (next !== undefined) break;
      }
      this.nextRuns.set(producer, next === undefined ? null : formatInstant(next));
    }
  }

  private async tell(action: Exclude<Action, { type: 'advance' }>): Promise<Answer> {
    const path = (...parts: string[]) => `/api/v1/pipelines/${[this.name, ...parts].map(encodeURIComponent).join('/')}`;
    switch (action.type) {
      case 'publish': {
        const { topic, id, payload } = action;
        return await this.post(path('topics', topic, 'events'), { id, payload });
      }
      case 'trigger':
        return await this.post(path('handlers', action.handler, 'trigger'));
      case 'pause':
      case 'resume':
        return await this.post(path(action.type));
      case 'resolve': {
        const run = suspendedRun(this.state!, action.handler);
        return typeof run === 'string' ? await this.post(path('runs', run, 'resolve'), { how: action.how }) : run;
      }
    }
  }

  private async post(path: string, body: JsonObject = {}): Promise<Answer> {
    const answer = await this.gateway.post(path, body);
    if (answer.status >= 400) return { ok: false, problem: refusal(answer.body) };
    return { ok: true, code: String(answer.body.result) as Extract<Answer, { ok: true }>['code'] };
  }
}

/** What is the same in every play: not ids and payloads that handlers make, nor what is made of them. */
function comparable(seen: JsonObject): Json {
  const { state: _, published, producers, consumers, pauses, events, runs, suspended, ...rest } = seen;
  return {
    ...rest,
    published: (published as Json[]).length,
    pauses: without(pauses!, 'note', 'run'),
    producers: without(producers!, 'nextRunAt', 'last'),
    consumers: without(consumers!, 'last'),
    events: Object.fromEntries(
      Object.entries(events as JsonObject).map(([topic, all]) => [topic, without(all!, 'id', 'payload', 'run')]),
    ),
    runs: (runs as JsonObject[]).map(comparableRun),
    suspended: (suspended as JsonObject[]).map(comparableRun),
  };
}

function comparableRun({ run: _, reservations: __, input: ___, output: ____, error, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...(isObject(error) && { error: error.code ?? null }) };
}

/** A list or an object of objects, each without these fields. */
function without(all: Json, ...fields: string[]): Json {
  const left = (one: JsonObject) => Object.fromEntries(Object.entries(one).filter(([name]) => !fields.includes(name)));
  if (Array.isArray(all)) return (all as JsonObject[]).map(left);
  return Object.fromEntries(Object.entries(all as JsonObject).map(([name, one]) => [name, left(one as JsonObject)]));
}
