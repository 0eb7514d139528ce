import { emptyObject } from '../../json/value.js';
import { addDuration } from '../../time/duration.js';
import { ScriptedBackend } from '../backend.js';
import {
  type Answer,
  type Delivered,
  type Observation,
  plain,
  type ScenarioRunner,
  seenCompensation,
  type Trouble,
} from '../observation.js';
import type { Scenario, StepInput, Trigger } from '../scenario.js';
import { prepareStart } from '../start.js';
import { TooManyEvents, VirtualClock } from './clock.js';
import { VirtualEffects } from './effects.js';
import { VirtualRequests } from './requests.js';
import { Simulation } from './simulation.js';

/** Runs scenarios in virtual time. */
export const virtualRunner: ScenarioRunner = {
  async run(definition, scenario) {
    const prepared = prepareStart(definition, scenario);
    if ('refused' in prepared) return { refused: prepared.refused, calls: [], answers: [], troubles: [] };
    const { body, config, tags, attributes, headers } = prepared.start;
    const clock = new VirtualClock(scenario.now);
    const backend = new ScriptedBackend(scenario.backend);
    const requests = new VirtualRequests();
    const { query, certificate, plugins } = scenario;
    const inbound = { headers, query: new URLSearchParams(query), ...(certificate !== undefined && { certificate }) };
    const simulation = new Simulation(definition, body, {
      clock,
      effects: new VirtualEffects(clock, backend, undefined, { requests, plugins }),
      ...(definition.looksAtRequests && { request: requests.keep(inbound, definition.http.start) }),
      seed: scenario.seed,
      metadata: { tags, attributes },
      info: {
        environment: scenario.environment,
        config,
        ...(headers.traceparent !== undefined && { traceparent: headers.traceparent }),
      },
    });
    return await new Play(scenario, simulation, clock, backend, requests).toObservation();
  },
};

/** One scenario being played: hands inputs to the simulation when their moment has come. */
class Play {
  private readonly troubles: Trouble[] = [];
  private readonly answers: (Answer | undefined)[] = [];
  private readonly order: Delivered[] = [];
  private readonly dueAt = new Map<Trigger, number>();
  private nextStep = 0;
  private nextSignal = 0;
  private cancelled = false;
  private stopped = false;
  /** Reads the answer of the submission that is still being worked on. */
  private pending: (() => Answer) | undefined;

  constructor(
    private readonly scenario: Scenario,
    private readonly simulation: Simulation,
    private readonly clock: VirtualClock,
    private readonly backend: ScriptedBackend,
    private readonly requests: VirtualRequests,
  ) {}

  async toObservation(): Promise<Observation> {
    const { until } = this.scenario;
    if (until) {
      this.clock.at(addDuration(this.simulation.startedAt, until), () => {
        this.stopped = true;
      });
    }
    try {
      await this.play();
    } catch (error) {
      if (!(error instanceof TooManyEvents)) throw error;
      this.trouble(`The run did not come to rest: ${error.message}.`, undefined, 'Use until to look at it earlier.');
    }
    if (this.simulation.crash !== undefined) throw this.simulation.crash;
    this.reportLeftovers();
    return this.observe();
  }

  private async play(): Promise<void> {
    await this.clock.settled();
    for (;;) {
      while (!this.stopped && this.deliver()) await this.clock.settled();
      if (this.isDone() || !(await this.clock.advance())) return;
    }
  }

  private isDone(): boolean {
    if (this.stopped) return true;
    const { expect, until, steps, signals, cancel } = this.scenario;
    if (this.simulation.ended) {
      if (this.simulation.compensating) return false;
      const timed = [steps[this.nextStep], signals[this.nextSignal], this.cancelled ? undefined : cancel];
      return timed.every((trigger) => trigger?.at === undefined);
    }
    return expect.phase === 'RUNNING' && until === undefined && this.simulation.resting && this.allDelivered();
  }

  private allDelivered(): boolean {
    const { steps, signals, cancel } = this.scenario;
    return (
      !this.pending && this.nextStep >= steps.length && this.nextSignal >= signals.length && (!cancel || this.cancelled)
    );
  }

  /** Hands over one input whose moment has come; false when there is none. */
  private deliver(): boolean {
    const { steps, signals, cancel } = this.scenario;
    const { simulation } = this;
    if (this.pending && simulation.resting) {
      this.answers.push(this.pending());
      this.pending = undefined;
    }
    if (cancel && !this.cancelled && this.isDue(cancel, () => true)) {
      this.cancelled = true;
      this.delivered(cancel);
      simulation.cancel();
      return true;
    }
    const signal = signals[this.nextSignal];
    if (signal && this.isDue(signal, () => true)) {
      this.nextSignal += 1;
      this.delivered(signal);
      simulation.signal(signal.step, signal.payload);
      return true;
    }
    const step = this.pending ? undefined : steps[this.nextStep];
    if (!step || !this.isDue(step, () => simulation.activeSteps.includes(step.step))) return false;
    this.nextStep += 1;
    this.delivered(step);
    this.submit(step);
    return true;
  }

  private delivered({ pointer }: Trigger): void {
    this.order.push({ pointer, callsBefore: this.backend.calls.length, lateMs: 0 });
  }

  private submit({ step, payload, headers, query, certificate }: StepInput): void {
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const { http, looksAtRequests } = this.simulation.definition;
    const binding = Object.hasOwn(http.steps, step) ? http.steps[step] : undefined;
    const inbound = {
      headers: lower,
      query: new URLSearchParams(query),
      ...(certificate !== undefined && { certificate }),
    };
    const answer = this.simulation.submit(step, payload, {
      headers: lower,
      query,
      ...(looksAtRequests && { kept: this.requests.keep(inbound, binding) }),
    });
    this.pending = () => {
      const { refused, phase, status, projection } = answer();
      const { currentState } = status;
      if (refused) {
        const { status, code, detail } = refused;
        return { status, code, ...(detail !== undefined && { detail }), body: { code } };
      }
      const { activeSteps } = this.simulation;
      return { status: 200, phase, currentState, activeSteps, body: { ...projection, phase, currentState } };
    };
  }

  /** Whether the trigger's moment has come; makes the clock stop there when it lies in the future. */
  private isDue(trigger: Trigger, canHappen: () => boolean): boolean {
    const known = this.dueAt.get(trigger);
    if (known !== undefined) return known <= this.clock.now();
    const from = this.moment(trigger, canHappen);
    if (from === undefined) return false;
    const due = trigger.delay ? addDuration(from, trigger.delay) : from;
    this.dueAt.set(trigger, due);
    if (due > this.clock.now()) this.clock.at(due, () => undefined);
    return due <= this.clock.now();
  }

  private moment({ at, afterState }: Trigger, canHappen: () => boolean): number | undefined {
    if (at) return addDuration(this.simulation.startedAt, at);
    const now = this.clock.now();
    if (afterState !== undefined) {
      return this.simulation.visits.some(({ state }) => state === afterState) ? now : undefined;
    }
    return canHappen() ? now : undefined;
  }

  private reportLeftovers(): void {
    const { steps, signals, cancel, pointer } = this.scenario;
    const where = this.simulation.ended ? 'the run ended' : `the run is in ${this.simulation.status.currentState}`;
    if (this.pending) this.answers.push(this.pending());
    for (const step of steps.slice(this.nextStep))
      this.trouble(`The step ${step.step} was not submitted: ${where}.`, step);
    for (const signal of signals.slice(this.nextSignal)) {
      this.trouble(`The signal ${signal.step} was not sent: ${where}.`, signal);
    }
    if (cancel && !this.cancelled) this.trouble(`The run was not cancelled: ${where}.`, cancel);
    for (const { method, url, operation } of this.backend.unexpected) {
      this.trouble(
        `No reply is scripted for ${method} ${url}${operation === undefined ? '' : ` (${operation})`}.`,
        { pointer },
        `Add a rule to backend: ${operation === undefined ? `call: ${method} ${url}` : `operation: ${operation}`}.`,
      );
    }
  }

  private trouble(message: string, at?: { pointer: string }, hint?: string): void {
    this.troubles.push({ message, ...(at && { pointer: at.pointer }), ...(hint !== undefined && { hint }) });
  }

  private observe(): Observation {
    const { simulation, backend, answers, troubles } = this;
    const { outcome, visits, activeSteps, status } = simulation;
    const due = status.activeStates.flatMap(({ dueAt }) => (dueAt === undefined ? [] : Date.parse(dueAt)));
    return {
      phase: outcome?.phase ?? 'RUNNING',
      ...(outcome && { outcome, compensation: seenCompensation(outcome, simulation.compensation) }),
      context: plain(simulation.currentContext ?? emptyObject()),
      currentState: status.currentState,
      activeSteps,
      states: visits.filter(({ frame }) => frame === '').map(({ state }) => state),
      calls: backend.calls,
      momentsMs: this.clock.moments.map((moment) => moment - simulation.startedAt),
      closestMs: this.clock.closest,
      order: this.order,
      ...(due.length > 0 && { dueMs: Math.min(...due) - simulation.startedAt }),
      elapsedMs: (simulation.endedAt ?? this.clock.now()) - simulation.startedAt,
      answers,
      troubles,
    };
  }
}
