import type { Vocabulary } from '../../engine/vocabulary.js';
import { defaultLimits } from '../../expressions/expression.js';
import { copy, isObject, type Json, type JsonObject } from '../../json/value.js';
import { cadenceOf } from '../../pipelines/cadence.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import { newPipeline } from '../../pipelines/deploy.js';
import { advance } from '../../pipelines/evaluate.js';
import type { Answer, Message, StartEffect } from '../../pipelines/message.js';
import { handlerOutcome } from '../../pipelines/outcomes.js';
import { nextWake } from '../../pipelines/scheduling.js';
import { restore, type Snapshot, snapshot } from '../../pipelines/snapshot.js';
import type { PipelineState } from '../../pipelines/state.js';
import { nextAfter } from '../../scheduling/cadence/occurrences.js';
import { addDuration, formatInstant } from '../../time/duration.js';
import type { ScriptedBackend } from '../backend.js';
import { Chance } from '../virtual/chance.js';
import { settled, TooManyEvents, type VirtualClock } from '../virtual/clock.js';
import { VirtualEffects } from '../virtual/effects.js';
import { Simulation } from '../virtual/simulation.js';
import type { PipelineHost } from './host.js';
import type { Action } from './scenario.js';
import { publishedIn, seenOf, suspendedRun } from './seen.js';

/** One thing that happened by itself. */
export interface Moment {
  readonly now: number;
  /** The producer whose time came, if that was it. */
  readonly due?: string;
  /** Whether a run ended. */
  readonly ended: boolean;
  /** Whether nothing more happens at this instant. */
  readonly last: boolean;
}

/** So many runs at one instant are taken for ones that go on for ever. */
const defaultMostRuns = 10_000;

export interface PipelineSimulationOptions {
  clock: VirtualClock;
  backend: ScriptedBackend;
  environment: string;
  /** Configuration by journey. */
  config: JsonObject;
  seed: number;
  /** How many runs may end at one instant. */
  mostRuns?: number;
  /** What runs the states of handlers, where somebody listens. */
  vocabulary?: Vocabulary;
}

/**
 * A pipeline in virtual time: the host that Temporal is elsewhere. Producers run at their times, handlers are journeys on the same clock, and
 * everything the pipeline knows goes through JSON before each run, as it does between two executions.
 */
export class PipelineSimulation implements PipelineHost {
  readonly backend: ScriptedBackend;
  readonly troubles = [];
  private state: PipelineState;
  private readonly chance: Chance;
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
    this.chance = new Chance(seed);
    this.effects = new VirtualEffects(clock, backend);
    this.state = newPipeline({ definition, hash: '', deployer: 'scenario' }, clock.now());
    for (const name of Object.keys(definition.producers)) this.awaitTick(name);
  }

  /** The longest that a run of a journey has taken, in milliseconds, those that go on included. */
  longestOf(journey: string): number {
    const { child } = this;
    const soFar = child?.journey === journey ? this.options.clock.now() - child.simulation.startedAt : 0;
    return Math.max(soFar, this.longest.get(journey) ?? 0);
  }

  /** How many schedules runs of a journey have made. */
  schedulesOf(journey: string): number {
    return this.effects.bindings.all.filter(({ request }) => request.journeyName === journey).length;
  }

  async act(action: Action, moment?: (it: Moment) => Promise<void>): Promise<Answer | undefined> {
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

  /** Hands a message over and lets everything happen that takes no time. */
  async send(message: Message): Promise<Answer> {
    const [answer] = await this.take([message]);
    await this.settle();
    return answer!;
  }

  /** Lets time pass up to `instant`, with what happens at it. */
  async until(instant: number, moment?: (it: Moment) => Promise<void>): Promise<void> {
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
    return seenOf(state, this.options.clock.now(), { published, nextRun: (name) => this.nextRun(name) });
  }

  private nextRun(producer: string): string | null {
    const at = nextAfter(cadenceOf(this.state.definition.producers[producer]!.schedule), this.options.clock.now());
    return at === undefined ? null : formatInstant(at);
  }

  private awaitTick(name: string): void {
    const { clock } = this.options;
    const slot = nextAfter(cadenceOf(this.state.definition.producers[name]!.schedule), clock.now());
    if (slot === undefined) return;
    clock.at(slot, () => {
      this.due = name;
      this.waiting.push({ type: 'tick', producer: name, slot });
      this.awaitTick(name);
    });
  }

  /** Takes what arrived at this instant together, and what follows from it. */
  private async settle(): Promise<void> {
    const { mostRuns = defaultMostRuns } = this.options;
    for (let ended = 0; ; ) {
      await settled();
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
    this.state = restore(JSON.parse(JSON.stringify(snapshot(this.state))) as Snapshot);
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
    const own = config[journey];
    const simulation = new Simulation(definition, copy(input) as JsonObject, {
      clock,
      effects: this.effects,
      ...(vocabulary && { vocabulary }),
      seed: Math.floor(this.chance.random() * 2 ** 31),
      info: { id: run, environment, config: isObject(own) ? own : {}, handler: true },
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
