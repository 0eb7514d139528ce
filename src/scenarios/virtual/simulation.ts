import { maxPayloadBytes } from '../../base/json/size.js';
import { copy, type Json, type JsonObject } from '../../base/json/value.js';
import { type Problem, problem } from '../../base/problems/problem.js';
import { defaultCalls } from '../../engine/budgets.js';
import { compensate, compensated, dueCompensation } from '../../engine/compensation.js';
import type { Definition } from '../../engine/definition/definition.js';
import { responseFields, statusFields } from '../../engine/definition/response-fields-and-projection.js';
import type { RequestRef } from '../../engine/frame.js';
import type { Host } from '../../engine/host.js';
import { type LocalEnvironment, LocalScope } from '../../engine/local-cancellation-scope.js';
import type { Outcome } from '../../engine/outcome.js';
import { type Position, Run, type RunInfo, startPosition } from '../../engine/run.js';
import { type RunStatus, statusOfRun } from '../../engine/run-status.js';
import type { Metadata } from '../../engine/run-tags-and-attributes.js';
import type { Vocabulary } from '../../engine/runner-interfaces.js';
import { type KeptSubmission, OpenSteps, Submissions } from '../../engine/step-submissions.js';
import { partsOfAddress, stepPath } from '../../engine/steps/step-address.js';
import { defaultLimits, type Limits } from '../../expressions/expression-engine-interface.js';
import { vocabulary } from '../../language/state-types-and-task-kinds.js';
import { stepUses } from '../../language/states/graph-traversal.js';
import { callbackSteps } from '../../language/states/steps-with-callback-urls.js';
import { type Headers, stepRequest } from '../../service/inbound-request.js';
import { callbackParameter } from '../../service/runs-interface.js';
import { SeededRandom } from './seeded-random.js';
import type { VirtualClock } from './virtual-clock.js';

/** The id of every run in virtual time. */
export const virtualId = 'virtualRun000000000001';

/** The token of every callback URL in virtual time. */
export const virtualToken = 'virtual';

/** The callback URL of a step in virtual time, in the form of a real one; `step` is its path. */
export function virtualCallback(step: string): string {
  return `http://127.0.0.1:8080/api/v1/journeys/${virtualId}/steps/${step}?${callbackParameter}=${virtualToken}`;
}

function virtualCallbacks(definition: Definition): Pick<RunInfo, 'callbacks'> {
  const steps = callbackSteps(definition);
  const urls = steps.map((step) => [step, virtualCallback(stepPath(step))]);
  return steps.length === 0 ? {} : { callbacks: Object.fromEntries(urls) as JsonObject };
}

export interface SimulationOptions extends VirtualHostOptions {
  clock: VirtualClock;
  effects: Pick<LocalEnvironment, 'perform'>;
  /** Runs the states and tasks; by default the language's own types and kinds. */
  vocabulary?: Vocabulary;
  info?: Partial<RunInfo>;
  metadata?: Metadata;
  /** The state at which it starts, if it is not the journey's own. */
  startState?: string;
  /** Called when the outcome is known. */
  ended?: (outcome: Outcome, context: JsonObject) => void;
  /** The start request, if the journey uses requests. */
  request?: RequestRef;
  /** Asked between states; true continues the run as new from its position. */
  wantsContinue?: (run: Run) => boolean;
  /** Called when the run yields; by default it never does. */
  yield?: () => Promise<void>;
}

/** Request data of a submission besides the payload; header names in lower case. */
export interface VirtualSubmission {
  headers: Headers;
  query: Record<string, string>;
  /** The reference of the stored request, if the journey uses requests. */
  kept?: RequestRef;
}

/** A submission at a fixed URL: the id of its delivery, if it has one, or why it does not reach the run. */
export interface VirtualDelivery {
  deliveryId?: string;
  refused?: Problem;
  /** It starts another run. */
  startsAnother?: true;
}

/** The answer to a submission, once the run waits or has ended. */
export interface StepResult {
  refused?: Problem;
  /** Kept until its step is active, or dropped because the delivery was accepted before. */
  without?: 'kept' | 'repeated';
  phase: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  status: RunStatus;
  projection: JsonObject;
}

/** A state that was entered. Frames of branches and subjourneys have ids; the journey's own is empty. */
export interface Visit {
  frame: string;
  state: string;
}

/** One run of a journey in virtual time, with its inputs. */
export class Simulation {
  readonly visits: Visit[] = [];
  readonly notes: string[] = [];
  readonly startedAt: number;
  /** The number of times the run continued as new. */
  continued = 0;
  outcome: Outcome | undefined;
  context: JsonObject | undefined;
  endedAt: number | undefined;
  /** The outcome of the compensation, if there was one. */
  compensation: Outcome | undefined;
  /** True while a compensation runs, even if the outcome is already known. */
  compensating = false;
  /** An internal error, not one of the journey. */
  crash: unknown;
  private run!: Run;
  private host!: VirtualHost;
  private readonly submissions: Submissions;
  /** The accepted deliveries: a step and an id, because each step has a URL of its own. */
  private readonly deliveries = new Set<string>();
  private answering = false;
  private info: RunInfo;

  constructor(
    readonly definition: Definition,
    context: JsonObject,
    private readonly options: SimulationOptions,
  ) {
    this.startedAt = options.clock.now();
    this.submissions = new Submissions(() => stepUses(definition));
    this.info = {
      id: virtualId,
      startedAt: this.startedAt,
      environment: 'test',
      config: {},
      ...virtualCallbacks(definition),
      ...options.info,
    };
    const { metadata, startState, request } = options;
    this.launch(startPosition(definition, copy(context), this.startedAt, metadata, startState, request));
  }

  private launch(position: Position): void {
    this.host = this.newHost();
    this.host.keptSubmission = (stepId, schema) => this.submissions.takeKept(stepId, schema);
    this.run = new Run(this.definition, this.info, position, this.host, this.options.vocabulary ?? vocabulary);
    const { run } = this;
    if (this.options.wantsContinue)
      this.host.wantsContinue = () => !this.isAnswering && this.options.wantsContinue!(run);
    run.trail.onEntry = ({ frame, state }) => this.visits.push({ frame, state });
    run
      .execute()
      .then((result) => ('continueAt' in result ? this.continueAt(result.continueAt) : this.end(run, result)))
      .catch((error) => {
        this.crash = error;
      });
  }

  /** The outcome is known immediately, or after a synchronous compensation. */
  private async end(run: Run, { outcome, context }: { outcome: Outcome; context: JsonObject }): Promise<void> {
    const due = await dueCompensation(run, outcome, context, this.definition.kind === 'Api' ? null : this.info.id);
    if (due?.mode !== 'sync')
      this.settle(due ? { ...outcome, compensation: announced(this.info.id) } : outcome, context);
    if (!due) return;
    this.compensating = true;
    const ended = await compensate(due, run, this.newHost());
    this.compensation = ended;
    this.compensating = false;
    if (due.mode === 'sync') this.settle({ ...outcome, compensation: compensated(ended) }, context);
  }

  private settle(outcome: Outcome, context: JsonObject): void {
    this.outcome = outcome;
    this.context = context;
    this.endedAt = this.options.clock.now();
    this.options.ended?.(outcome, context);
  }

  /** A host that has not been interrupted. */
  private newHost(): VirtualHost {
    const { clock, effects } = this.options;
    const host = new VirtualHost(clock, effects, { ...this.options, seed: (this.options.seed ?? 1) + this.continued });
    host.note = (text) => this.notes.push(text);
    if (this.options.yield) host.yield = this.options.yield;
    return host;
  }

  private continueAt(position: Position): void {
    const carried = JSON.parse(JSON.stringify(position)) as Position;
    this.host.scope.interrupt('superseded');
    this.continued += 1;
    this.info = this.run.info;
    this.launch(carried);
  }

  /** Whether a submission is pending, which a run answers before it continues as new. */
  private get isAnswering(): boolean {
    if (this.run.parking.quiescent) this.answering = false;
    return this.answering;
  }

  /** Whether the run waits for a timer or for input. */
  get resting(): boolean {
    return this.outcome !== undefined || this.crash !== undefined || this.run.parking.quiescent;
  }

  get ended(): boolean {
    return this.outcome !== undefined || this.crash !== undefined;
  }

  get status(): RunStatus {
    const status = statusOfRun(this.run);
    return this.outcome ? { ...status, activeStates: [], currentState: this.outcome.terminatedAtState } : status;
  }

  get activeSteps(): string[] {
    return this.ended ? [] : this.run.steps.all().map(({ id }) => id);
  }

  /** Milliseconds since the epoch. */
  get now(): number {
    return this.options.clock.now();
  }

  /** The waiting steps, with their schemas and deadlines. */
  get waiting(): { id: string; schema: Json; dueAt: number | undefined }[] {
    return this.openSteps()
      .all()
      .map(({ id, state: { schema }, dueAt }) => ({ id, schema, dueAt }));
  }

  /** The current context of the journey itself. */
  get currentContext(): JsonObject {
    return this.context ?? this.run.position.root.context;
  }

  /** Submits a step as the gateway does: a rejected submission consumes nothing. Returns a function that reads the answer later. */
  submit(address: string, payload: Json, request: VirtualSubmission = { headers: {}, query: {} }): () => StepResult {
    const refused = this.submissions.refusal(this.openSteps(), address, payload);
    const step = refused ? undefined : this.run.steps.get(address)!;
    if (step) {
      this.answering = true;
      const query = new URLSearchParams(request.query);
      step.take(copy(payload), {
        ...stepRequest(this.definition.http.steps, partsOfAddress(address).stepId, { headers: request.headers, query }),
        ...(request.kept && { request: request.kept }),
      });
    }
    return () => ({
      ...(refused && { refused }),
      phase: this.outcome?.phase ?? 'RUNNING',
      status: this.status,
      projection: step?.state.response
        ? responseFields(step.frame.context, step.state.response.outputVar, statusFields)
        : {},
    });
  }

  /** Submits a step at its fixed URL: it is kept if the step is not active, and dropped if the delivery was accepted before. */
  deliver(
    stepId: string,
    payload: Json,
    request: VirtualSubmission,
    { refused: before, deliveryId, startsAnother }: VirtualDelivery,
  ): () => StepResult {
    const ended = this.ended ? problem('RUN_UNKNOWN') : undefined;
    const refused = before ?? ended ?? this.submissions.earlyRefusal(this.openSteps(), stepId, { payload });
    const answer = (more: Pick<StepResult, 'refused' | 'without'>) => {
      const { status } = this;
      return () => ({ ...more, phase: this.outcome?.phase ?? ('RUNNING' as const), status, projection: {} });
    };
    const delivery = deliveryId === undefined ? undefined : `${stepId}/${deliveryId}`;
    if (!before && delivery !== undefined && this.deliveries.has(delivery)) return answer({ without: 'repeated' });
    if (startsAnother) return answer({ without: 'kept' });
    if (refused) return answer({ refused });
    if (delivery !== undefined) this.deliveries.add(delivery);
    if (this.openSteps().get(stepId)) return this.submit(stepId, payload, request);
    const query = new URLSearchParams(request.query);
    const { headers } = request;
    this.submissions.keep(stepId, {
      payload: copy(payload),
      ...stepRequest(this.definition.http.steps, stepId, { headers, query }),
    });
    return answer({ without: 'kept' });
  }

  /** The waiting steps; none after the end of the run. */
  private openSteps(): OpenSteps {
    return this.ended ? new OpenSteps() : this.run.steps;
  }

  /** Sends a plain signal named after a step; an early one is stored. */
  signal(stepId: string, payload: Json): void {
    this.submissions.signal(this.openSteps(), stepId, payload);
  }

  /** Requests cancellation, as `temporal workflow cancel` does. */
  cancel(): void {
    if (this.definition.lifecycle.cancellable) this.host.scope.interrupt('cancel');
  }

  /** Advances time until the run has ended or waits for input. */
  async toEnd(): Promise<this> {
    await this.options.clock.settled();
    while ((!this.ended || this.compensating) && (await this.options.clock.advance()));
    if (this.crash !== undefined) throw this.crash;
    return this;
  }

  /** Advances time to `instant`. */
  async until(instant: number): Promise<this> {
    let due = false;
    this.options.clock.at(instant, () => {
      due = true;
    });
    await this.options.clock.settled();
    while (!due && (await this.options.clock.advance()));
    if (this.crash !== undefined) throw this.crash;
    return this;
  }
}

function announced(id: string): NonNullable<Outcome['compensation']> {
  return { mode: 'async', journeyId: `${id}-compensation` };
}

interface VirtualHostOptions {
  seed?: number;
  limits?: Limits;
  timezone?: string;
}

/** A host on a virtual clock: a timer of thirty days takes no time, and the same seed gives the same run. */
export class VirtualHost implements Host {
  readonly scope: LocalScope;
  readonly limits: Limits;
  readonly maxPayloadBytes = maxPayloadBytes;
  readonly calls = defaultCalls;
  readonly timezone?: string;
  parked?: () => void;
  note?: (text: string) => void;
  keptSubmission?: (stepId: string, schema: Json) => KeptSubmission | undefined;
  wantsContinue?: () => boolean;
  yield?: () => Promise<void>;
  private readonly chance: SeededRandom;

  constructor(
    private readonly clock: VirtualClock,
    effects: Pick<LocalEnvironment, 'perform'>,
    { seed = 1, limits = defaultLimits, timezone }: VirtualHostOptions = {},
  ) {
    this.chance = new SeededRandom(seed);
    this.limits = limits;
    if (timezone !== undefined) this.timezone = timezone;
    const world: LocalEnvironment = {
      sleepUntil: (instant, _label, stop) => new Promise((resolve) => stop(clock.at(instant, resolve))),
      perform: (effect, stop) => effects.perform(effect, stop),
    };
    this.scope = new LocalScope(world);
  }

  now(): number {
    return this.clock.now();
  }

  uuid(): string {
    return this.chance.uuid();
  }

  random(): number {
    return this.chance.random();
  }
}
