import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { JsonObject } from '../../base/json/value.js';
import { addDuration, type Duration } from '../../base/time/duration.js';
import type { TimeScale } from '../../base/time/time-scale.js';
import type { Definition } from '../../engine/definition/definition.js';
import type { Outcome } from '../../engine/outcome.js';
import { stepPath } from '../../engine/steps/step-address.js';
import { hookPath } from '../../service/keys/incoming-hook-deliveries.js';
import type { Scenario, StepInput, Trigger } from '../scenario.js';
import {
  type DeliveredInput,
  type Observation,
  observedCompensation,
  type ScenarioProblem,
  type SubmissionAnswer,
} from '../scenario-observation.js';
import { virtualId } from '../virtual/simulation.js';
import { type GatewayClient, problemFrom, readStatus, type SeenStatus } from './gateway-client.js';
import { signedHeaders } from './sign-request.js';

const pollMs = 20;
/** Timeout for a run to reach the state that its scenario waits for. */
const patienceMs = 60_000;

/** One scenario played over HTTP against a real run. */
export class LivePlay {
  private readonly answers: (SubmissionAnswer | undefined)[] = [];
  private readonly problems: ScenarioProblem[] = [];
  private readonly order: DeliveredInput[] = [];
  private readonly dueAt = new Map<Trigger, number>();
  private readonly seen = new Set<string>();
  private nextStep = 0;
  private nextSignal = 0;
  private cancelled = false;
  private id = '';
  /** The id with the part that tells the runs of one key apart, where it was seen. */
  private unique: string | undefined;
  private begun = 0;
  /** The pending submission; it does not block other events. */
  private submitting: Promise<unknown> | undefined;

  constructor(
    private readonly temporal: Client,
    private readonly gateway: GatewayClient,
    private readonly definition: Definition,
    private readonly scenario: Scenario,
    private readonly scale: TimeScale,
    /** The number of calls that the run has made. */
    private readonly calls: () => number,
  ) {}

  async toObservation(): Promise<Observation> {
    this.begun = Date.now();
    const start = await this.gateway.post(
      `/api/v1/journeys/${this.definition.name}/start`,
      this.scenario.input,
      this.scenario,
    );
    if (start.status >= 400) return { refused: problemFrom(start.body), calls: [], answers: [], problems: [] };
    this.id = String(start.body.journeyId);
    const status = await this.play();
    this.reportLeftovers(status);
    return await this.observe(status);
  }

  /** Terminates everything that is still running. */
  async end(): Promise<void> {
    if (this.id === '') return;
    await this.temporal.workflow
      .getHandle(this.id)
      .terminate('the scenario is over')
      .catch(() => undefined);
  }

  private async play(): Promise<SeenStatus> {
    for (;;) {
      const status = readStatus((await this.gateway.get(this.path)).body);
      for (const state of [...status.activeStates, status.currentState]) this.seen.add(state);
      if (await this.deliver(status)) continue;
      if (this.isDone(status)) return status;
      if (Date.now() - this.begun > patienceMs) {
        this.problems.push({ message: `The run did not reach the expected state within ${patienceMs / 1000} s.` });
        return status;
      }
      await delay(pollMs);
    }
  }

  private isDone({ phase }: SeenStatus): boolean {
    if (this.submitting) return false;
    const { until, expect, steps, signals, cancel } = this.scenario;
    if (until && Date.now() >= this.begun + this.real(until)) return true;
    const rest = [steps[this.nextStep], signals[this.nextSignal], this.cancelled ? undefined : cancel];
    if (phase !== 'RUNNING') return rest.every((trigger) => trigger?.at === undefined);
    return expect.phase === 'RUNNING' && !until && rest.every((trigger) => trigger === undefined);
  }

  private async deliver(status: SeenStatus): Promise<boolean> {
    const { steps, signals, cancel } = this.scenario;
    if (cancel && !this.cancelled && this.isDue(cancel, true)) {
      this.cancelled = true;
      this.delivered(cancel);
      await this.gateway.post(`${this.path}/steps/cancel`, {});
      return true;
    }
    const signal = signals[this.nextSignal];
    if (signal && this.isDue(signal, true)) {
      this.nextSignal += 1;
      this.delivered(signal);
      await this.temporal.workflow.getHandle(this.id).signal(signal.step, signal.payload);
      return true;
    }
    const step = this.submitting ? undefined : steps[this.nextStep];
    if (!step || !this.isDue(step, status.activeSteps.includes(step.step))) return false;
    this.nextStep += 1;
    this.delivered(step);
    this.submitting = this.submit(step)
      .then((answer) => this.answers.push(answer))
      .finally(() => {
        this.submitting = undefined;
      });
    return true;
  }

  private delivered(trigger: Trigger): void {
    const lateMs = Date.now() - this.dueAt.get(trigger)!;
    this.order.push({ pointer: trigger.pointer, callsBefore: this.calls(), lateMs });
  }

  private async submit(input: StepInput): Promise<SubmissionAnswer> {
    const { step, payload, hook, headers } = input;
    const path = hook ? hookPath(this.definition.name, step) : `${this.path}/steps/${stepPath(step)}`;
    const signed = { ...input, headers: signedHeaders(this.definition, step, headers, payload) };
    const { status, body } = await this.gateway.post(path, payload, signed);
    if (status >= 400) {
      const { code, detail } = problemFrom(body);
      return { status, code, ...(detail !== undefined && { detail }), body };
    }
    const { phase, currentState, activeSteps } = readStatus(body);
    return { status, phase, currentState, activeSteps, body };
  }

  private isDue(trigger: Trigger, canHappen: boolean): boolean {
    const known = this.dueAt.get(trigger);
    if (known !== undefined) return known <= Date.now();
    const { at, afterState, delay: later } = trigger;
    const happens = afterState === undefined ? canHappen : this.seen.has(afterState);
    if (!at && !happens) return false;
    const from = at ? this.begun + this.real(at) : Date.now();
    this.dueAt.set(trigger, from + (later ? this.real(later) : 0));
    return this.isDue(trigger, canHappen);
  }

  private real(duration: Duration): number {
    const { virtualStart, factor } = this.scale;
    return (addDuration(virtualStart, duration) - virtualStart) / factor;
  }

  private reportLeftovers({ phase, currentState }: SeenStatus): void {
    const { steps, signals, cancel } = this.scenario;
    const where = phase === 'RUNNING' ? `the run is in ${currentState}` : 'the run ended';
    for (const { step, pointer } of steps.slice(this.nextStep)) {
      this.problems.push({ message: `The step ${step} was not submitted: ${where}.`, pointer });
    }
    for (const { step, pointer } of signals.slice(this.nextSignal)) {
      this.problems.push({ message: `The signal ${step} was not sent: ${where}.`, pointer });
    }
    if (cancel && !this.cancelled) this.problems.push({ message: `The run was not cancelled: ${where}.` });
  }

  private async observe({ phase, currentState, activeSteps }: SeenStatus): Promise<Observation> {
    const context = await this.temporal.workflow.getHandle(this.id).query<JsonObject>('context');
    const outcome = phase === 'RUNNING' ? undefined : await this.outcome(currentState);
    const compensation = outcome && observedCompensation(outcome, await this.compensation(outcome));
    return {
      phase,
      ...(outcome && { outcome, compensation: compensation! }),
      context,
      currentState,
      activeSteps: phase === 'RUNNING' ? activeSteps : [],
      calls: [],
      order: this.order,
      answers: this.answers,
      problems: this.problems,
    };
  }

  private async outcome(terminatedAtState: string): Promise<Outcome> {
    const { body } = await this.gateway.get(`${this.path}/result`);
    const terminationKind = await this.terminationKind();
    const outcome = { output: null, error: null, ...body, terminatedAtState, terminationKind };
    return this.withVirtualId(outcome as unknown as Outcome);
  }

  /** The outcome of a compensation that is a separate run; its calls belong to the scenario too. */
  private async compensation({ compensation: told }: Outcome): Promise<Outcome | undefined> {
    if (told?.mode !== 'async') return undefined;
    const id = told.journeyId.replace(virtualId, this.unique ?? this.id);
    const path = `/api/v1/journeys/${encodeURIComponent(id)}/result`;
    for (;;) {
      const { body } = await this.gateway.get(path);
      const late = Date.now() - this.begun > patienceMs;
      if (late) this.problems.push({ message: `The compensation did not end within ${patienceMs / 1000} s.` });
      if (late || body.phase === 'SUCCEEDED' || body.phase === 'FAILED') return body as unknown as Outcome;
      await delay(pollMs);
    }
  }

  /** How the run ended, read from the workflow because HTTP does not return it. */
  private async terminationKind(): Promise<Outcome['terminationKind']> {
    const handle = this.temporal.workflow.getHandle(this.id);
    try {
      return ((await handle.result()) as Outcome).terminationKind;
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      const [outcome] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
      return outcome === undefined ? 'Cancel' : (outcome as Outcome).terminationKind;
    }
  }

  /** Replaces the run's id by the id that runs have in virtual time. */
  withVirtualId<T>(value: T): T {
    if (this.id === '') return value;
    const json = JSON.stringify(value);
    // The runs of one key are told apart by what follows it.
    if (this.definition.key) this.unique ??= new RegExp(`${escaped(this.id)}/[\\w-]{22}`).exec(json)?.[0];
    const plain = this.unique === undefined ? json : json.replaceAll(this.unique, virtualId);
    return JSON.parse(plain.replaceAll(this.id, virtualId)) as T;
  }

  private get path(): string {
    return `/api/v1/journeys/${encodeURIComponent(this.id)}`;
  }
}

function escaped(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
