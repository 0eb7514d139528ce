import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Definition } from '../../definition/definition.js';
import type { JsonObject } from '../../json/value.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import { scheduleStarts } from '../../states/graphs.js';
import { inVirtualTime, playPipelineScenario, runPipelineScenario } from '../pipelines/run.js';
import type { PipelineRunner, PipelineScenario } from '../pipelines/scenario.js';
import type { PipelineSimulation } from '../pipelines/simulation.js';
import type { ScenarioReport } from '../run-scenario.js';
import { certificateHeader, GatewayClient } from './gateway-client.js';
import { HeldReplies } from './held-replies.js';
import type { Leftovers } from './leftovers.js';
import { LivePipeline } from './pipeline.js';
import { scaled } from './scale.js';
import { removeSchedules } from './schedules.js';
import { openScripted } from './scripted.js';
import type { ScenarioPipeline, Stack } from './stack.js';

/** How long the timers of a handler may really take. */
const comfortableMs = 1_500;
/** How much slower a scenario is played again that went another way. */
const slower = 4;
/** But never so slowly that a handler takes longer than this. */
const slowestMs = 10_000;

/** Runs scenarios of pipelines on a real Temporal server, through the HTTP gateway. */
export class LivePipelineRunner implements PipelineRunner {
  constructor(
    private readonly stack: Stack,
    private readonly leftovers: Leftovers,
  ) {}

  /** The clock of the pipeline is held, so only what handlers do by themselves depends on how fast the machine is. */
  async run(definition: PipelineDefinition, scenario: PipelineScenario): Promise<ScenarioReport> {
    const plan = await played(definition, scenario).catch(() => undefined);
    // What cannot be played in virtual time either says why there.
    if (!plan) return await runPipelineScenario(definition, scenario);
    /** How much faster the timers of each journey run. */
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
    const replies = new HeldReplies(scenario.now);
    const journeys = Object.values(given.journeys).map((it) => it.definition);
    const { backend, servers, hasty } = await openScripted(journeys, scenario.backend, {
      shortened: true,
      held: (reply) => replies.held(reply),
      sinceStart: () => replies.now - scenario.now,
    });
    const own = randomUUID().slice(0, 8);
    const definition = underOwnName(given, own, (it, name) =>
      scaled(it, { factor: factors[name]!, virtualStart: scenario.now, realStart: Date.now() }, hasty),
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
        playPipelineScenario(scenario, async () => {
          pipeline = await gateway.deploy(definition, scenario.now);
          const plan = inVirtualTime(given, scenario);
          live = new LivePipeline(definition.name, plan, pipeline, client, backend, replies);
          return await live.begin();
        }),
      );
      return { report, astray: (live?.troubles.length ?? 0) > 0 };
    } finally {
      await gateway.close();
      await servers.close();
    }
  }
}

/**
 * The same pipeline with a name of its own, because others may play it on the same server, or mean it. So have journeys of its handlers that
 * make schedules: these are known by the journey's name.
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
  const plan = inVirtualTime(definition, scenario);
  for (const { action } of scenario.happens) if (action) await plan.act(action);
  return plan;
}
