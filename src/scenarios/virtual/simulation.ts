import type { Definition } from '../../definition/definition.js';
import { statusFields } from '../../definition/reserved.js';
import { compensate, compensated, dueCompensation } from '../../engine/compensation.js';
import type { RequestRef } from '../../engine/frame.js';
import type { Metadata } from '../../engine/instance-metadata.js';
import type { World } from '../../engine/local-scope.js';
import type { Outcome } from '../../engine/outcome.js';
import { type Position, Run, type RunInfo, startPosition } from '../../engine/run.js';
import { projection, type RunStatus, statusOfRun } from '../../engine/status.js';
import { OpenSteps } from '../../engine/steps.js';
import { Submissions } from '../../engine/submissions.js';
import type { Vocabulary } from '../../engine/vocabulary.js';
import { copy, type Json, type JsonObject } from '../../json/value.js';
import { vocabulary } from '../../language/vocabulary.js';
import type { Problem } from '../../problems/problem.js';
import { type Headers, stepRequest } from '../../service/inbound.js';
import { callbackParameter } from '../../service/runs.js';
import { callbackSteps } from '../../states/callback-steps.js';
import { stepIds } from '../../states/graphs.js';
import type { VirtualClock } from './clock.js';
import { VirtualHost, type VirtualHostOptions } from './host.js';

/** The id of every run in virtual time. */
export const virtualId = 'virtualRun000000000001';

/** The token of every callback URL in virtual time. */
export const virtualToken = 'virtual';

/** The callback URL of a step in virtual time, as it stands in a URL: it looks like a real one, and nobody answers there. */
export function virtualCallback(step: string): string {
  return `http://127.0.0.1:8080/api/v1/journeys/${virtualId}/steps/${step}?${callbackParameter}=${virtualToken}`;
}

function virtualCallbacks(definition: Definition): Pick<RunInfo, 'callbacks'> {
  const steps = callbackSteps(definition);
  const urls = steps.map((step) => [step, virtualCallback(encodeURIComponent(step))]);
  return steps.length === 0 ? {} : { callbacks: Object.fromEntries(urls) as JsonObject };
}

export interface SimulationOptions extends VirtualHostOptions {
  clock: VirtualClock;
  effects: Pick<World, 'perform'>;
  /** What runs the states and tasks; the language's own words when left out. */
  vocabulary?: Vocabulary;
  info?: Partial<RunInfo>;
  metadata?: Metadata;
  /** The state it starts at, where that is not the journey's own. */
  startState?: string;
  /** Called when the outcome is known. */
  ended?: (outcome: Outcome, context: JsonObject) => void;
  /** The request that starts it, where the journey looks at requests. */
  request?: RequestRef;
  /** Asked between states; true makes the run go on as a fresh execution from its position, as continue-as-new does. */
  wantsContinue?: (run: Run) => boolean;
  /** Called when the run lets others go on; left out, it never does: in virtual time there are none. */
  pause?: (ahead: number, units: number) => Promise<void>;
}

/** The rest of the request that brings a submission; header names in lower case. */
export interface StepRequest {
  headers: Headers;
  query: Record<string, string>;
  /** What it is kept as, where the journey looks at requests. */
  kept?: RequestRef;
}

/** The answer to a submission, once the run rests or has ended. */
export interface StepAnswer {
  refused?: Problem;
  phase: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  status: RunStatus;
  projection: JsonObject;
}

/** A state that was entered. Frames of branches and subjourneys have ids; the journey's own is empty. */
export interface Visit {
  frame: string;
  state: string;
}

/** One run of a journey in virtual time, with what reaches it from outside. */
export class Simulation {
  readonly visits: Visit[] = [];
  readonly notes: string[] = [];
  readonly startedAt: number;
  /** How often the run went on as a fresh execution. */
  continued = 0;
  outcome: Outcome | undefined;
  context: JsonObject | undefined;
  endedAt: number | undefined;
  /** How the compensation ended, if there was one. */
  compensation: Outcome | undefined;
  /** A compensation runs, though the outcome may be known already. */
  compensating = false;
  /** An error of ours, not of the journey. */
  crash: unknown;
  private run!: Run;
  private host!: VirtualHost;
  private readonly submissions: Submissions;
  private info: RunInfo;

  constructor(
    readonly definition: Definition,
    context: JsonObject,
    private readonly options: SimulationOptions,
  ) {
    this.startedAt = options.clock.now();
    this.submissions = new Submissions(() => stepIds(definition));
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
    if (this.options.wantsContinue) this.host.wantsContinue = () => this.options.wantsContinue!(run);
    run.trail.heard = ({ frame, state }) => this.visits.push({ frame, state });
    run
      .execute()
      .then((result) => ('continueAt' in result ? this.continueAt(result.continueAt) : this.end(run, result)))
      .catch((error) => {
        this.crash = error;
      });
  }

  /** The outcome is known at once, or after a compensation that its caller waits for. */
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

  /** A host that nothing has interrupted yet. */
  private newHost(): VirtualHost {
    const { clock, effects } = this.options;
    const host = new VirtualHost(clock, effects, { ...this.options, seed: (this.options.seed ?? 1) + this.continued });
    host.note = (text) => this.notes.push(text);
    if (this.options.pause) host.pause = this.options.pause;
    return host;
  }

  private continueAt(position: Position): void {
    const carried = JSON.parse(JSON.stringify(position)) as Position;
    this.host.scope.interrupt('superseded');
    this.continued += 1;
    this.info = this.run.info;
    this.launch(carried);
  }

  /** Whether nothing happens until a timer fires or something comes from outside. */
  get resting(): boolean {
    return this.outcome !== undefined || this.crash !== undefined || this.run.movement.quiescent;
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

  /** The steps that wait, with what they take and until when. */
  get waiting(): { id: string; schema: Json; dueAt: number | undefined }[] {
    return this.openSteps()
      .all()
      .map(({ id, state: { schema }, dueAt }) => ({ id, schema, dueAt }));
  }

  /** The context of the journey itself, as it is now. */
  get currentContext(): JsonObject {
    return this.context ?? this.run.position.root.context;
  }

  /** Submits a step as the gateway does: a refused one consumes nothing. Returns a function that reads the answer later. */
  submit(stepId: string, payload: Json, request: StepRequest = { headers: {}, query: {} }): () => StepAnswer {
    const refused = this.submissions.refusal(this.openSteps(), stepId, payload);
    const step = refused ? undefined : this.run.steps.get(stepId)!;
    if (step) {
      const query = new URLSearchParams(request.query);
      step.take(copy(payload), {
        ...stepRequest(this.definition.http.steps, stepId, { headers: request.headers, query }),
        ...(request.kept && { request: request.kept }),
      });
    }
    return () => ({
      ...(refused && { refused }),
      phase: this.outcome?.phase ?? 'RUNNING',
      status: this.status,
      projection: step?.state.response
        ? projection(step.frame.context, step.state.response.outputVar, statusFields)
        : {},
    });
  }

  /** The steps that wait; none once the run has ended. */
  private openSteps(): OpenSteps {
    return this.ended ? new OpenSteps() : this.run.steps;
  }

  /** Sends a plain signal named after a step; one that comes early is kept. */
  signal(stepId: string, payload: Json): void {
    this.submissions.signal(this.openSteps(), stepId, payload);
  }

  /** Asks the run to end, as `temporal workflow cancel` does. */
  cancel(): void {
    if (this.definition.lifecycle.cancellable) this.host.scope.interrupt('cancel');
  }

  /** Lets time pass until the run has ended or only something from outside could move it. */
  async toEnd(): Promise<this> {
    await this.options.clock.settled();
    while ((!this.ended || this.compensating) && (await this.options.clock.advance()));
    if (this.crash !== undefined) throw this.crash;
    return this;
  }

  /** Lets time pass up to `instant`. */
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
