import { copy, type Json, type JsonObject } from '../../base/json/value.js';
import { addDuration } from '../../base/time/duration.js';
import { formatInstant } from '../../base/time/instant.js';
import type { Vocabulary } from '../../engine/runner-interfaces.js';
import { defaultLimits } from '../../expressions/expression-engine-interface.js';
import { newPipeline } from '../../pipelines/apply-deployment.js';
import { nextWake } from '../../pipelines/choose-next-run.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import { handlerOutcome } from '../../pipelines/handle-outcome.js';
import type { Answer, Message, StartEffect } from '../../pipelines/messages-and-effects.js';
import { producerCadence } from '../../pipelines/read-producer-schedule.js';
import { advance } from '../../pipelines/reduce-and-evaluate.js';
import { type PipelineSnapshot, restore, snapshot } from '../../pipelines/snapshot.js';
import type { PipelineState } from '../../pipelines/state.js';
import { nextAfter } from '../../schedules/cadence/occurrences.js';
import { declaredConfig, type Platform } from '../../service/check-platform-config.js';
import type { ScriptedBackend } from '../scripted-backend.js';
import { SeededRandom } from '../virtual/seeded-random.js';
import { Simulation } from '../virtual/simulation.js';
import { flushPromises, TooManyEvents, type VirtualClock } from '../virtual/virtual-clock.js';
import { VirtualEffects } from '../virtual/virtual-effects.js';
import { observedPipeline, publishedIn, suspendedRun } from './observed-pipeline.js';
import type { PipelineHost } from './pipeline-host-interface.js';
import type { PipelineAction } from './pipeline-scenario.js';

/** One event that was not caused by an action. */
export interface SimulationMoment {
  readonly now: number;
  /** The producer that became due, if any. */
  readonly due?: string;
  /** Whether a run ended. */
  readonly ended: boolean;
  /** Whether it is the last event at this instant. */
  readonly last: boolean;
}

/** Maximum number of runs at one instant; more count as an endless loop. */
const defaultMostRuns = 10_000;

export interface PipelineSimulationOptions {
  clock: VirtualClock;
  backend: ScriptedBackend;
  environment: string;
  /** Configuration by journey. */
  config: JsonObject;
  seed: number;
  /** Maximum number of runs that may end at one instant. */
  mostRuns?: number;
  /** Runs the states of handlers; given by listeners. */
  vocabulary?: Vocabulary;
}

/**
 * A pipeline in virtual time, instead of on Temporal. Producers run when they are due, handlers are journeys on the same clock, and
 * the state of the pipeline is serialised as JSON before each run, as continue-as-new does.
 */
export class PipelineSimulation implements PipelineHost {
  readonly backend: ScriptedBackend;
  readonly problems = [];
  private state: PipelineState;
  private readonly chance: SeededRandom;
  private readonly effects: VirtualEffects;
  private child: { run: string; journey: string; simulation: Simulation } | undefined;
  private readonly longest = new Map<string, number>();
  private due: string | undefined;
  private ended = false;
  private waiting: Message[] = [];
  private stopWake: (() => void) | undefined;
  private readonly published: Json[] = [];

  constructor(
    definition: PipelineDefinition,
    private readonly options: PipelineSimulationOptions,
  ) {
    const { clock, backend, seed } = options;
    this.backend = backend;
    this.chance = new SeededRandom(seed);
    this.effects = new VirtualEffects(clock, backend);
    this.state = newPipeline({ definition, hash: '', deployer: 'scenario' }, clock.now());
    for (const name of Object.keys(definition.producers)) this.awaitTick(name);
  }

  /** The longest duration of a run of a journey in milliseconds, active runs included. */
  longestOf(journey: string): number {
    const { child } = this;
    const soFar = child?.journey === journey ? this.options.clock.now() - child.simulation.startedAt : 0;
    return Math.max(soFar, this.longest.get(journey) ?? 0);
  }

  /** The number of schedules that runs of a journey have created. */
  schedulesOf(journey: string): number {
    return this.effects.bindings.all.filter(({ request }) => request.journeyName === journey).length;
  }

  async act(action: PipelineAction, moment?: (it: SimulationMoment) => Promise<void>): Promise<Answer | undefined> {
    const { clock } = this.options;
    if (action.type === 'advance') {
      await this.until(addDuration(clock.now(), action.by), moment);
      return undefined;
    }
    if (action.type === 'publish') return await this.send({ ...action, stamp: clock.now().toString(36) });
    if (action.type !== 'resolve') return await this.send(action);
    const run = suspendedRun(this.state, action.handler);
    return typeof run === 'string' ? await this.send({ type: 'resolve', run, how: action.how }) : run;
  }

  /** Delivers a message and processes everything that follows without delay. */
  async send(message: Message): Promise<Answer> {
    const [answer] = await this.take([message]);
    await this.settle();
    return answer!;
  }

  /** Advances time to `instant`, events at that instant included. */
  async until(instant: number, moment?: (it: SimulationMoment) => Promise<void>): Promise<void> {
    const { clock } = this.options;
    clock.at(instant, () => undefined);
    await this.settle();
    while (clock.next !== undefined && clock.next <= instant) {
      this.due = undefined;
      this.ended = false;
      await clock.advance();
      await this.settle();
      const { due, ended } = this;
      const last = clock.next === undefined || clock.next > clock.now();
      await moment?.({ now: clock.now(), ...(due !== undefined && { due }), ended, last });
    }
  }

  seen(): JsonObject {
    const { state, published } = this;
    return observedPipeline(state, this.options.clock.now(), { published, nextRun: (name) => this.nextRun(name) });
  }

  private nextRun(producer: string): string | null {
    const at = nextAfter(
      producerCadence(this.state.definition.producers[producer]!.schedule),
      this.options.clock.now(),
    );
    return at === undefined ? null : formatInstant(at);
  }

  private awaitTick(name: string): void {
    const { clock } = this.options;
    const slot = nextAfter(producerCadence(this.state.definition.producers[name]!.schedule), clock.now());
    if (slot === undefined) return;
    clock.at(slot, () => {
      this.due = name;
      this.waiting.push({ type: 'tick', producer: name, slot });
      this.awaitTick(name);
    });
  }

  /** Processes all messages of this instant together, and their consequences. */
  private async settle(): Promise<void> {
    const { mostRuns = defaultMostRuns } = this.options;
    for (let ended = 0; ; ) {
      await flushPromises();
      const { child } = this;
      if (child?.simulation.crash !== undefined) throw child.simulation.crash;
      if (child?.simulation.outcome && !child.simulation.compensating) {
        this.longest.set(child.journey, this.longestOf(child.journey));
        this.child = undefined;
        this.ended = true;
        ended += 1;
        if (ended > mostRuns)
          throw new TooManyEvents(`more than ${mostRuns} runs at one instant, the last ${child.run}`);
        this.waiting.unshift({ type: 'ended', run: child.run, outcome: handlerOutcome(child.simulation.outcome) });
      }
      if (this.waiting.length === 0) return;
      await this.take(this.waiting.splice(0));
    }
  }

  private async take(messages: Message[]): Promise<Answer[]> {
    const { clock } = this.options;
    this.state = restore(JSON.parse(JSON.stringify(snapshot(this.state))) as PipelineSnapshot);
    const env = { uuid: () => this.chance.uuid(), random: () => this.chance.random() };
    const { starts, answers } = await advance(this.state, messages, clock.now(), { env, limits: defaultLimits });
    this.notePublished(messages);
    for (const start of starts) this.start(start);
    this.stopWake?.();
    const wake = nextWake(this.state);
    this.stopWake = wake === undefined ? undefined : clock.at(wake, () => this.waiting.push({ type: 'clock' }));
    return answers;
  }

  private start({ run, journey, input }: StartEffect): void {
    const { clock, environment, config, vocabulary } = this.options;
    const { definition } = this.state.definition.journeys[journey]!;
    const simulation = new Simulation(definition, copy(input) as JsonObject, {
      clock,
      effects: this.effects,
      ...(vocabulary && { vocabulary }),
      seed: Math.floor(this.chance.random() * 2 ** 31),
      info: {
        id: run,
        environment,
        config: declaredConfig(definition, { environment, config: config as Platform['config'] }),
        handler: true,
      },
    });
    this.child = { run, journey, simulation };
  }

  private notePublished(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.type !== 'ended' || message.outcome.kind !== 'success') continue;
      const committed = this.state.runs.some(({ key, status }) => key === message.run && status === 'committed');
      if (committed) this.published.push(...publishedIn(message.outcome.output));
    }
  }
}
