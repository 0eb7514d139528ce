import { canonical, emptyObject } from '../../base/json/value.js';
import { addDuration } from '../../base/time/duration.js';
import { partsOfAddress } from '../../engine/steps/step-address.js';
import type { Scenario, StepInput, Trigger } from '../scenario.js';
import {
  type DeliveredInput,
  type Observation,
  observedCompensation,
  plainJson,
  type ScenarioProblem,
  type SubmissionAnswer,
} from '../scenario-observation.js';
import type { ScriptedBackend } from '../scripted-backend.js';
import type { Simulation, VirtualDelivery } from './simulation.js';
import { TooManyEvents, type VirtualClock } from './virtual-clock.js';
import type { VirtualRequests } from './virtual-effects.js';
import { observedBinding, type VirtualBindings } from './virtual-schedules.js';

/** Dependencies of a play. */
export interface PlayDeps {
  scenario: Scenario;
  simulation: Simulation;
  clock: VirtualClock;
  backend: ScriptedBackend;
  requests: VirtualRequests;
  bindings: VirtualBindings;
  /** The deliveries that the submissions at fixed URLs are. */
  deliveries: ReadonlyMap<StepInput, VirtualDelivery>;
  /** Called when the run waits at steps without a scripted submission; returns true if it acted on the run. */
  atRest?: (simulation: Simulation) => Promise<boolean>;
  /** An internal error in a scheduled run. */
  crashed: () => unknown;
}

/** Plays one scenario: delivers inputs to the simulation when they are due. */
export class Play {
  private readonly problems: ScenarioProblem[] = [];
  private readonly answers: (SubmissionAnswer | undefined)[] = [];
  private readonly order: DeliveredInput[] = [];
  private readonly dueAt = new Map<Trigger, number>();
  private nextStep = 0;
  private nextSignal = 0;
  private cancelled = false;
  private stopped = false;
  /** Reads the answer of the pending submission. */
  private pending: (() => SubmissionAnswer) | undefined;

  constructor(private readonly it: PlayDeps) {}

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
      const hint =
        'Script the input that ends the loop, bound it in the journey, or set until to observe the run earlier.';
      this.trouble(`The run did not become idle: ${error.message}.`, undefined, hint);
    }
    if (this.it.simulation.crash !== undefined) throw this.it.simulation.crash;
    this.reportLeftovers();
    return this.observe();
  }

  private async play(): Promise<void> {
    await this.it.clock.settled();
    const endless = new EndlessLoopDetector(this.it.simulation, () => this.unchanging());
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

  /** Records an action on a run that waits at its steps. */
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

  /** Whether no timed input is left and services repeat their replies. */
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

  /** Delivers one input that is due; false if there is none. */
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

  private submit(input: StepInput): void {
    const { step, payload, headers, query, certificate } = input;
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const { http, looksAtRequests } = this.it.simulation.definition;
    const { stepId } = partsOfAddress(step);
    const binding = Object.hasOwn(http.steps, stepId) ? http.steps[stepId] : undefined;
    const inbound = {
      headers: lower,
      query: new URLSearchParams(query),
      ...(certificate !== undefined && { certificate }),
    };
    const request = {
      headers: lower,
      query,
      ...(looksAtRequests && { kept: this.it.requests.keep(inbound, binding) }),
    };
    const { simulation } = this.it;
    const delivery = this.it.deliveries.get(input);
    const answer = delivery
      ? simulation.deliver(step, payload, request, delivery)
      : simulation.submit(step, payload, request);
    this.pending = () => {
      const { refused, without, phase, status, projection } = answer();
      const { currentState } = status;
      if (refused) {
        const { status, code, detail } = refused;
        return { status, code, ...(detail !== undefined && { detail }), body: { code } };
      }
      const { activeSteps } = this.it.simulation;
      if (without)
        return { status: without === 'kept' ? 202 : 200, phase, currentState, activeSteps, body: { [without]: true } };
      return { status: 200, phase, currentState, activeSteps, body: { ...projection, phase, currentState } };
    };
  }

  /** Whether the trigger is due; otherwise the clock will stop at its instant. */
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
    this.problems.push(...this.it.backend.problems);
  }

  private trouble(message: string, at?: { pointer: string }, hint?: string): void {
    this.problems.push({ message, ...(at && { pointer: at.pointer }), ...(hint !== undefined && { hint }) });
  }

  private observe(): Observation {
    const { answers, problems } = this;
    const { simulation, backend } = this.it;
    const { outcome, visits, activeSteps, status } = simulation;
    const due = status.activeStates.flatMap(({ dueAt }) => (dueAt === undefined ? [] : Date.parse(dueAt)));
    return {
      phase: outcome?.phase ?? 'RUNNING',
      ...(outcome && { outcome, compensation: observedCompensation(outcome, simulation.compensation) }),
      context: plainJson(simulation.currentContext ?? emptyObject()),
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
      problems,
      schedules: this.it.bindings.all.map(observedBinding),
      underWay: this.it.bindings.all.map(({ active }) => active),
    };
  }
}

/** Visits of one state that count as an endless loop. An hourly poll takes a year to reach it. */
const mostVisits = 10_000;
/** Visits with the same context that count as a loop. */
const sameRounds = 3;
/** Contexts beyond this are not compared: the other bound finds their loops. */
const longestContext = 20_000;

/** Functions that can return another value for the same context. */
const changing = /\b(now|today|tomorrow|yesterday|random|randomInt|uuid|millis|shuffle)\s*\(/;

/** Detects runs that never end, by the states that they visited. */
class EndlessLoopDetector {
  private seen = 0;
  private readonly visits = new Map<string, number>();
  private readonly rounds = new Map<string, number>();
  private repeating: boolean | undefined;

  constructor(
    private readonly simulation: Simulation,
    /** Whether no new input can arrive. */
    private readonly unchanging: () => boolean,
  ) {}

  /** Whether the same context always leads to the same path. */
  private get repeats(): boolean {
    const { definition } = this.simulation;
    this.repeating ??= definition.execution === undefined && !changing.test(JSON.stringify(definition));
    return this.repeating;
  }

  /** Evidence that the run never ends, once there is some. */
  found(): string | undefined {
    const { visits } = this.simulation;
    for (; this.seen < visits.length; this.seen++) {
      const { frame, state } = visits[this.seen]!;
      const count = (this.visits.get(state) ?? 0) + 1;
      this.visits.set(state, count);
      if (count > mostVisits) return `it entered ${state} more than ${mostVisits} times`;
      if (frame === '' && this.seen === visits.length - 1 && this.isSameAgain(state))
        return `it returns to ${state} with the same context repeatedly`;
    }
    return undefined;
  }

  /** The run waits where it has waited before, with the same context, and nothing can change its path. */
  private isSameAgain(state: string): boolean {
    const { simulation } = this;
    if (simulation.ended || !this.unchanging() || simulation.status.activeStates.length !== 1 || !this.repeats)
      return false;
    const context = canonical(simulation.currentContext);
    if (context.length > longestContext) return false;
    const key = `${state} ${context}`;
    const count = (this.rounds.get(key) ?? 0) + 1;
    this.rounds.set(key, count);
    return count > sameRounds;
  }
}
