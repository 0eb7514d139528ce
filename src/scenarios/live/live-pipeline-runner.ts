import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '../../base/json/value.js';
import { formatInstant } from '../../base/time/instant.js';
import type { Definition } from '../../engine/definition/definition.js';
import { scheduleStarts } from '../../language/states/graph-traversal.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import type { Answer } from '../../pipelines/messages-and-effects.js';
import { restore } from '../../pipelines/snapshot.js';
import type { PipelineState } from '../../pipelines/state.js';
import { describeDifference, differences } from '../json-differences.js';
import { observedPipeline, publishedIn, suspendedRun } from '../pipelines/observed-pipeline.js';
import type { PipelineHost } from '../pipelines/pipeline-host-interface.js';
import type { PipelineAction, PipelineRunner, PipelineScenario } from '../pipelines/pipeline-scenario.js';
import type { PipelineSimulation, SimulationMoment } from '../pipelines/pipeline-simulation.js';
import { createPipelineSimulation, playOnHost, runPipelineScenario } from '../pipelines/run-pipeline-scenario.js';
import type { ScenarioReport } from '../run-scenario.js';
import type { ScenarioProblem } from '../scenario-observation.js';
import type { ScriptedBackend } from '../scripted-backend.js';
import type { Cleanup } from './cleanup.js';
import { certificateHeader, GatewayClient, problemFrom } from './gateway-client.js';
import { removeSchedules } from './live-schedules.js';
import { DelayedReplies, openScriptedServices } from './scripted-services.js';
import { scaleTimes } from './shorten-times.js';
import type { ScenarioPipeline, Stack } from './stack-interface.js';

/** Maximum real duration of a handler's timers. */
const comfortableMs = 1_500;
/** Slowdown factor for replaying a scenario that diverged. */
const slower = 4;
/** Upper bound for the duration of a handler in such a replay. */
const slowestMs = 10_000;

/** Runs scenarios of pipelines on a real Temporal server, through the HTTP gateway. */
export class LivePipelineRunner implements PipelineRunner {
  constructor(
    private readonly stack: Stack,
    private readonly leftovers: Cleanup,
  ) {}

  /** The clock of the pipeline is frozen, so only the work of handlers depends on the speed of the machine. */
  async run(definition: PipelineDefinition, scenario: PipelineScenario): Promise<ScenarioReport> {
    const plan = await played(definition, scenario).catch(() => undefined);
    // A scenario that cannot be played in virtual time is reported there.
    if (!plan) return await runPipelineScenario(definition, scenario);
    /** The speed-up factor for the timers of each journey. */
    const factors = (factor: (longestMs: number) => number) =>
      Object.fromEntries(Object.keys(definition.journeys).map((name) => [name, factor(plan.longestOf(name))]));
    const slowest = factors((ms) => Math.max(1, ms / slowestMs));
    for (let slowdown = 1; ; slowdown *= slower) {
      const chosen = factors((ms) => Math.max(1, ms / comfortableMs / slowdown, ms / slowestMs));
      const { report, astray } = await this.play(definition, scenario, chosen, plan);
      if (!astray || isDeepStrictEqual(chosen, slowest)) return report;
    }
  }

  private async play(
    given: PipelineDefinition,
    scenario: PipelineScenario,
    factors: Record<string, number>,
    planned: PipelineSimulation,
  ): Promise<{ report: ScenarioReport; astray: boolean }> {
    const replies = new DelayedReplies(scenario.now);
    const journeys = Object.values(given.journeys).map((it) => it.definition);
    const { backend, servers, activities, hasty } = await openScriptedServices(journeys, scenario.backend, {
      shortened: true,
      held: (reply) => replies.held(reply),
      sinceStart: () => replies.now - scenario.now,
    });
    const own = randomUUID().slice(0, 8);
    const definition = underOwnName(given, own, (it, name) =>
      scaleTimes(it, { factor: factors[name]!, virtualStart: scenario.now, realStart: Date.now() }, hasty),
    );
    const config = scenario.config as Record<string, JsonObject>;
    const gateway = await this.stack.serve({
      journeys: [],
      config: Object.fromEntries(
        Object.entries(definition.journeys).map(([name, it]) => [it.definition.name, config[name] ?? {}]),
      ),
      environment: scenario.environment,
      certificateHeader,
      rewrite: servers.rewrite,
      activities,
      scheduledRuns: false,
    });
    const client = new GatewayClient(gateway.url);
    let pipeline: ScenarioPipeline | undefined;
    let live: LivePipeline | undefined;
    const remove = async () => {
      await pipeline?.remove();
      for (const [name, it] of Object.entries(definition.journeys))
        if (scheduleStarts(it.definition).size > 0)
          await removeSchedules(this.stack, client, it.definition.name, planned.schedulesOf(name));
    };
    try {
      const report = await this.leftovers.around(remove, () =>
        playOnHost(scenario, async () => {
          pipeline = await gateway.deploy(definition, scenario.now);
          const plan = createPipelineSimulation(given, scenario);
          live = new LivePipeline(definition.name, plan, pipeline, client, backend, replies);
          return await live.begin();
        }),
      );
      return { report, astray: (live?.problems.length ?? 0) > 0 };
    } finally {
      await gateway.close();
      await servers.close();
    }
  }
}

/**
 * The same pipeline under a unique name, because the server may be shared with others that play or deploy it. Journeys of handlers that
 * create schedules are renamed too, because schedules are found by the journey's name.
 */
function underOwnName(
  given: PipelineDefinition,
  own: string,
  change: (journey: Definition, name: string) => Definition,
): PipelineDefinition {
  return {
    ...given,
    name: `${given.name}-${own}`,
    journeys: Object.fromEntries(
      Object.entries(given.journeys).map(([name, it]) => {
        const definition = change(it.definition, name);
        const renamed = scheduleStarts(definition).size > 0 ? { ...definition, name: `${name}-${own}` } : definition;
        return [name, { ...it, definition: renamed }];
      }),
    ),
  };
}

/** The pipeline after a scenario was played in virtual time. */
async function played(definition: PipelineDefinition, scenario: PipelineScenario): Promise<PipelineSimulation> {
  const plan = createPipelineSimulation(definition, scenario);
  for (const { action } of scenario.steps) if (action) await plan.act(action);
  return plan;
}

const pollMs = 15;
/** Timeout for a pipeline to reach the same state as in virtual time. */
const patienceMs = 20_000;
/** Horizons in which a producer's next run is searched, one after the other: it may run every minute, or once a year. */
const horizons = [3_600_000, 86_400_000, 40 * 86_400_000, 5 * 366 * 86_400_000];

/**
 * A pipeline on a real server. Its clock is frozen. Virtual time runs ahead to the next event; then the clock is set to that time, due
 * producers and replies are released, and the play waits until the pipeline has reached the same state as in virtual time.
 */
class LivePipeline implements PipelineHost {
  readonly problems: ScenarioProblem[] = [];
  private state: PipelineState | undefined;
  private readonly published = new Map<string, Json[]>();
  private readonly nextRuns = new Map<string, string | null>();
  /** Due times of producers for which the pipeline has not received a tick yet. */
  private due: { producer: string; time: number }[] = [];

  constructor(
    private readonly name: string,
    private readonly plan: PipelineSimulation,
    private readonly pipeline: ScenarioPipeline,
    private readonly gateway: GatewayClient,
    readonly backend: ScriptedBackend,
    private readonly replies: DelayedReplies,
  ) {}

  async act(action: PipelineAction): Promise<Answer | undefined> {
    if (action.type === 'advance') {
      await this.plan.act(action, (moment) => this.advanceTo(moment));
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
    return observedPipeline(this.state!, this.replies.now, {
      published,
      nextRun: (producer) => this.nextRuns.get(producer) ?? null,
    });
  }

  /** Observes the pipeline in its initial state. */
  async begin(): Promise<this> {
    await this.catchUp();
    await this.lookAhead();
    return this;
  }

  /** Sets the clock to the time of an event: sleeps end, producers become due and replies are sent, in the same order as in virtual time. */
  private async advanceTo({ now, due, ended, last }: SimulationMoment): Promise<void> {
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
    // A pipeline that has diverged does not recover; the observation shows the difference.
    const patient = this.problems.length === 0 ? patienceMs : 0;
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
        this.problems.push({ message: `On Temporal, the pipeline differs from virtual time at ${at}: ${how}.` });
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

  /** Asks Temporal for the next run of each producer. */
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

  private async tell(action: Exclude<PipelineAction, { type: 'advance' }>): Promise<Answer> {
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
    if (answer.status >= 400) return { ok: false, problem: problemFrom(answer.body) };
    return { ok: true, code: String(answer.body.result) as Extract<Answer, { ok: true }>['code'] };
  }
}

/** The parts that are equal in every play: without ids and payloads that handlers create, and values derived from them. */
function comparable(seen: JsonObject): Json {
  const { state: _, published, topics, producers, consumers, pauses, events, runs, suspended, ...rest } = seen;
  return {
    ...rest,
    published: (published as Json[]).length,
    topics: without(topics!, 'bytes', 'room'),
    pauses: without(pauses!, 'note', 'run', 'text'),
    producers: without(producers!, 'nextRunAt', 'last'),
    consumers: without(consumers!, 'last'),
    events: Object.fromEntries(
      Object.entries(events as JsonObject).map(([topic, all]) => [topic, without(all!, 'id', 'payload', 'run')]),
    ),
    runs: (runs as JsonObject[]).map(comparableRun),
    suspended: (suspended as JsonObject[]).map(comparableRun),
  };
}

function comparableRun({ run: _, reservations: __, input: ___, output: ____, error, uncertain, ...rest }: JsonObject) {
  return {
    ...rest,
    ...(isObject(error) && { error: error.code ?? null }),
    // Its error names the time that a call took, which is scaled.
    ...(isObject(uncertain) && { uncertain: without([uncertain], 'error') }),
  };
}

/** A list or an object of objects, each without these fields. */
function without(all: Json, ...fields: string[]): Json {
  const left = (one: JsonObject) => Object.fromEntries(Object.entries(one).filter(([name]) => !fields.includes(name)));
  if (Array.isArray(all)) return (all as JsonObject[]).map(left);
  return Object.fromEntries(Object.entries(all as JsonObject).map(([name, one]) => [name, left(one as JsonObject)]));
}
