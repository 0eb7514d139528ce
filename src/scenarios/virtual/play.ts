import { emptyObject } from '../../json/value.js';
import { addDuration } from '../../time/duration.js';
import type { ScriptedBackend } from '../backend.js';
import {
  type Answer,
  type Delivered,
  type Observation,
  plain,
  seenCompensation,
  type Trouble,
} from '../observation.js';
import type { Scenario, StepInput, Trigger } from '../scenario.js';
import type { VirtualBindings } from './bindings.js';
import { TooManyEvents, type VirtualClock } from './clock.js';
import { EndlessWatch } from './endless.js';
import type { VirtualRequests } from './requests.js';
import { seenBinding } from './seen-binding.js';
import type { Simulation } from './simulation.js';

/** What a scenario is played with. */
export interface Played {
  scenario: Scenario;
  simulation: Simulation;
  clock: VirtualClock;
  backend: ScriptedBackend;
  requests: VirtualRequests;
  bindings: VirtualBindings;
  /** Called when the run rests at steps that the scenario submits nothing to; true when it did something about it. */
  atRest?: (simulation: Simulation) => Promise<boolean>;
  /** An error of ours in a run that a schedule started. */
  crashed: () => unknown;
}

/** One scenario being played: hands inputs to the simulation when their moment has come. */
export class Play {
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

  constructor(private readonly it: Played) {}

  async toObservation(): Promise<Observation> {
    const { until } = this.it.scenario;
    if (until) {
      this.it.clock.at(addDuration(this.it.simulation.startedAt, until), () => {
        this.stopped = true;
      });
    }
    try {
      await this.play();
    } catch (error) {
      if (!(error instanceof TooManyEvents)) throw error;
      const hint = 'Script what ends the loop, bound it in the journey, or use until to look at the run earlier.';
      this.trouble(`The run did not come to rest: ${error.message}.`, undefined, hint);
    }
    if (this.it.simulation.crash !== undefined) throw this.it.simulation.crash;
    this.reportLeftovers();
    return this.observe();
  }

  private async play(): Promise<void> {
    await this.it.clock.settled();
    const endless = new EndlessWatch(this.it.simulation, () => this.unchanging());
    for (;;) {
      while (!this.stopped && this.deliver()) await this.it.clock.settled();
      if (this.isDone()) return;
      if (await this.helped()) continue;
      if (!(await this.it.clock.advance())) return;
      const crash = this.it.crashed();
      if (crash !== undefined) throw crash;
      const found = this.it.scenario.until ? undefined : endless.found();
      if (found !== undefined) throw new TooManyEvents(found);
    }
  }

  /** Somebody did something about a run that rests at its steps. */
  private async helped(): Promise<boolean> {
    const { atRest, simulation } = this.it;
    if (!atRest || this.pending || simulation.ended || !simulation.resting || simulation.activeSteps.length === 0)
      return false;
    if (this.it.scenario.steps.length > this.nextStep || this.it.scenario.signals.length > this.nextSignal)
      return false;
    if (!(await atRest(simulation))) return false;
    await this.it.clock.settled();
    return true;
  }

  /** Nothing is to come at a time of its own, and services answer the same from now on. */
  private unchanging(): boolean {
    const { steps, signals, cancel } = this.it.scenario;
    const left = [...steps.slice(this.nextStep), ...signals.slice(this.nextSignal), ...(cancel ? [cancel] : [])];
    return this.it.backend.settled && left.every((trigger) => !trigger.at && !this.dueAt.has(trigger));
  }

  private isDone(): boolean {
    if (this.stopped) return true;
    const { expect, until, steps, signals, cancel } = this.it.scenario;
    if (this.it.simulation.ended) {
      if (this.it.simulation.compensating || (until && this.it.bindings.live)) return false;
      const timed = [steps[this.nextStep], signals[this.nextSignal], this.cancelled ? undefined : cancel];
      return timed.every((trigger) => trigger?.at === undefined);
    }
    return expect.phase === 'RUNNING' && until === undefined && this.it.simulation.resting && this.allDelivered();
  }

  private allDelivered(): boolean {
    const { steps, signals, cancel } = this.it.scenario;
    return (
      !this.pending && this.nextStep >= steps.length && this.nextSignal >= signals.length && (!cancel || this.cancelled)
    );
  }

  /** Hands over one input whose moment has come; false when there is none. */
  private deliver(): boolean {
    const { steps, signals, cancel } = this.it.scenario;
    const { simulation } = this.it;
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
    this.order.push({ pointer, callsBefore: this.it.backend.calls.length, lateMs: 0 });
  }

  private submit({ step, payload, headers, query, certificate }: StepInput): void {
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const { http, looksAtRequests } = this.it.simulation.definition;
    const binding = Object.hasOwn(http.steps, step) ? http.steps[step] : undefined;
    const inbound = {
      headers: lower,
      query: new URLSearchParams(query),
      ...(certificate !== undefined && { certificate }),
    };
    const answer = this.it.simulation.submit(step, payload, {
      headers: lower,
      query,
      ...(looksAtRequests && { kept: this.it.requests.keep(inbound, binding) }),
    });
    this.pending = () => {
      const { refused, phase, status, projection } = answer();
      const { currentState } = status;
      if (refused) {
        const { status, code, detail } = refused;
        return { status, code, ...(detail !== undefined && { detail }), body: { code } };
      }
      const { activeSteps } = this.it.simulation;
      return { status: 200, phase, currentState, activeSteps, body: { ...projection, phase, currentState } };
    };
  }

  /** Whether the trigger's moment has come; makes the clock stop there when it lies in the future. */
  private isDue(trigger: Trigger, canHappen: () => boolean): boolean {
    const known = this.dueAt.get(trigger);
    if (known !== undefined) return known <= this.it.clock.now();
    const from = this.moment(trigger, canHappen);
    if (from === undefined) return false;
    const due = trigger.delay ? addDuration(from, trigger.delay) : from;
    this.dueAt.set(trigger, due);
    if (due > this.it.clock.now()) this.it.clock.at(due, () => undefined);
    return due <= this.it.clock.now();
  }

  private moment({ at, afterState }: Trigger, canHappen: () => boolean): number | undefined {
    if (at) return addDuration(this.it.simulation.startedAt, at);
    const now = this.it.clock.now();
    if (afterState !== undefined) {
      return this.it.simulation.visits.some(({ state }) => state === afterState) ? now : undefined;
    }
    return canHappen() ? now : undefined;
  }

  private reportLeftovers(): void {
    const { steps, signals, cancel } = this.it.scenario;
    const where = this.it.simulation.ended
      ? 'the run ended'
      : `the run is in ${this.it.simulation.status.currentState}`;
    if (this.pending) this.answers.push(this.pending());
    for (const step of steps.slice(this.nextStep))
      this.trouble(`The step ${step.step} was not submitted: ${where}.`, step);
    for (const signal of signals.slice(this.nextSignal)) {
      this.trouble(`The signal ${signal.step} was not sent: ${where}.`, signal);
    }
    if (cancel && !this.cancelled) this.trouble(`The run was not cancelled: ${where}.`, cancel);
    this.troubles.push(...this.it.backend.troubles);
  }

  private trouble(message: string, at?: { pointer: string }, hint?: string): void {
    this.troubles.push({ message, ...(at && { pointer: at.pointer }), ...(hint !== undefined && { hint }) });
  }

  private observe(): Observation {
    const { answers, troubles } = this;
    const { simulation, backend } = this.it;
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
      momentsMs: this.it.clock.moments.map((moment) => moment - simulation.startedAt),
      closestMs: this.it.clock.closest,
      order: this.order,
      ...(due.length > 0 && { dueMs: Math.min(...due) - simulation.startedAt }),
      elapsedMs: (simulation.endedAt ?? this.it.clock.now()) - simulation.startedAt,
      answers,
      notes: simulation.notes,
      troubles,
      schedules: this.it.bindings.all.map(seenBinding),
      underWay: this.it.bindings.all.map(({ active }) => active),
    };
  }
}
