import type { Vocabulary } from '../../engine/vocabulary.js';
import { defaultLimits } from '../../expressions/expression.js';
import { copy, isObject, type Json, type JsonObject, own } from '../../json/value.js';
import { cadenceOf } from '../../pipelines/cadence.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import { newPipeline } from '../../pipelines/deploy.js';
import { advance } from '../../pipelines/evaluate.js';
import type { Answer, Message, StartEffect } from '../../pipelines/message.js';
import { handlerOutcome } from '../../pipelines/outcomes.js';
import { nextWake } from '../../pipelines/scheduling.js';
import { restore, type Snapshot, snapshot } from '../../pipelines/snapshot.js';
import type { PipelineState } from '../../pipelines/state.js';
import { eventsPage, viewOf } from '../../pipelines/view.js';
import { nextAfter } from '../../scheduling/cadence/occurrences.js';
import { formatInstant } from '../../time/duration.js';
import type { ScriptedBackend } from '../backend.js';
import { plain } from '../observation.js';
import { Chance } from '../virtual/chance.js';
import { settled, type VirtualClock } from '../virtual/clock.js';
import { VirtualEffects } from '../virtual/effects.js';
import { Simulation } from '../virtual/simulation.js';

export interface PipelineSimulationOptions {
  clock: VirtualClock;
  backend: ScriptedBackend;
  environment: string;
  /** Configuration by journey. */
  config: JsonObject;
  seed: number;
  /** What runs the states of handlers, where somebody listens. */
  vocabulary?: Vocabulary;
}

/**
 * A pipeline in virtual time: the host that Temporal is elsewhere. Producers run at their times, handlers are journeys on the same clock, and
 * everything the pipeline knows goes through JSON before each run, as it does between two executions.
 */
export class PipelineSimulation {
  private state: PipelineState;
  private readonly chance: Chance;
  private readonly effects: VirtualEffects;
  private child: { run: string; simulation: Simulation } | undefined;
  private waiting: Message[] = [];
  private stopWake: (() => void) | undefined;
  private readonly published: Json[] = [];

  constructor(
    definition: PipelineDefinition,
    private readonly options: PipelineSimulationOptions,
  ) {
    const { clock, backend, seed } = options;
    this.chance = new Chance(seed);
    this.effects = new VirtualEffects(clock, backend);
    this.state = newPipeline({ definition, hash: '', deployer: 'scenario' }, clock.now());
    for (const name of Object.keys(definition.producers)) this.awaitTick(name);
  }

  /** Hands a message over and lets everything happen that takes no time. */
  async send(message: Message): Promise<Answer> {
    const [answer] = await this.take([message]);
    await this.settle();
    return answer!;
  }

  /** Lets time pass up to `instant`, with what happens at it. */
  async until(instant: number): Promise<void> {
    const { clock } = this.options;
    clock.at(instant, () => undefined);
    await this.settle();
    while (clock.next !== undefined && clock.next <= instant) {
      await clock.advance();
      await this.settle();
    }
  }

  suspendedRun(handler: string): string | undefined {
    return this.state.suspended.find((run) => run.handler === handler)?.key;
  }

  /** Everything that can be expected of the pipeline. */
  seen(): JsonObject {
    const { state } = this;
    const { status, pauses, topics, producers, consumers, runs, suspended } = viewOf(state, this.options.clock.now());
    const carried = { ...state.producers, ...state.consumers };
    return plain({
      status,
      pauses,
      topics,
      producers: mapped(producers, (view, name) => ({ ...view, nextRunAt: this.nextRun(name) })),
      consumers,
      runs: runs.reverse(),
      suspended,
      events: mapped(topics, (_, name) => eventsPage(state, name, { limit: 1_000 }).items),
      published: this.published,
      state: mapped(carried, (handler) => handler.state),
    } as unknown as JsonObject);
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
      this.waiting.push({ type: 'tick', producer: name, slot });
      this.awaitTick(name);
    });
  }

  /** Takes what arrived at this instant together, and what follows from it. */
  private async settle(): Promise<void> {
    for (;;) {
      await settled();
      const { child } = this;
      if (child?.simulation.crash !== undefined) throw child.simulation.crash;
      if (child?.simulation.outcome && !child.simulation.compensating) {
        this.child = undefined;
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
    this.child = { run, simulation };
  }

  private notePublished(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.type !== 'ended' || message.outcome.kind !== 'success') continue;
      const committed = this.state.runs.some(({ key, status }) => key === message.run && status === 'committed');
      const events = own(message.outcome.output, 'publish');
      if (committed && Array.isArray(events)) this.published.push(...events);
    }
  }
}

function mapped<T, R>(all: Readonly<Record<string, T>>, change: (value: T, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value, name)]));
}
