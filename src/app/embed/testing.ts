import { resolve } from 'node:path';
import { copy, type Json, type JsonObject } from '../../base/json/value.js';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import { addDuration, parseDuration } from '../../base/time/duration.js';
import { TextPrinter } from '../../cli/author/test/result-printers.js';
import { runSession } from '../../cli/author/test/run-test-session.js';
import { projectConfig } from '../../config/load-config.js';
import { authEffects } from '../../gateway/auth/auth-task-effects.js';
import { readJourneys } from '../../library/read-journeys.js';
import { configuredChecks, readReferences } from '../../library/read-library.js';
import { ScriptedBackend } from '../../scenarios/scripted-backend.js';
import { Simulation } from '../../scenarios/virtual/simulation.js';
import { VirtualClock } from '../../scenarios/virtual/virtual-clock.js';
import { VirtualEffects, VirtualRequests } from '../../scenarios/virtual/virtual-effects.js';
import { Starts } from '../../service/prepare-start-with-ajv.js';
import type { Output } from '../safe-terminal-text.js';
import type { ProjectOptions } from './project.js';

export type { ProjectOptions };

/** Options of `expectScenarios`. */
export interface ExpectScenariosOptions extends ProjectOptions {
  /** Only scenarios whose name or file contains this text. */
  readonly filter?: string;
}

/**
 * Plays scenarios in virtual time, as `journeyman test` does, and rejects with its output if one fails, a file has errors, or there are none.
 * Paths are files and folders, relative to the project. Resolves with the number of scenarios.
 */
export async function expectScenarios(
  paths: string | readonly string[],
  { filter, ...project }: ExpectScenariosOptions = {},
): Promise<number> {
  const config = projectConfig(project);
  const files = [paths].flat().map((path) => resolve(project.folder ?? '.', path));
  let text = '';
  const out: Output = {
    write: (piece) => {
      text += piece;
    },
  };
  const printer = new TextPrinter({ out, error: out });
  const { totals } = await runSession(files, config, { overlay: [], ...(filter !== undefined && { filter }) }, printer);
  if (totals.failed > 0 || totals.errors > 0 || totals.passed === 0) throw new Error(`Scenarios failed.\n${text}`);
  return totals.passed;
}

/** A call that a simulated run makes to a service. */
export interface SimulatedCall {
  readonly method: string;
  readonly url: string;
  /** The operation of its OpenAPI document, if the journey names one. */
  readonly operation?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed if it is JSON. */
  readonly body: unknown;
  /** Milliseconds since the start. */
  readonly atMs: number;
}

/** The reply to a call. */
export interface SimulatedReply {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Time until it arrives, on the virtual clock. */
  readonly delayMs?: number;
}

/** Settings of `simulateJourney`. */
export interface SimulationSettings extends ProjectOptions {
  readonly input?: object;
  /** Headers of the start request, in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The instant of the start, as RFC 3339. Default: 2026-01-01T00:00:00Z. */
  readonly now?: string;
  /** Seed of random numbers and UUIDs. */
  readonly seed?: number;
  /** Answers calls to services; one that it does not answer gets 404. */
  readonly services?: (call: SimulatedCall) => SimulatedReply | undefined | Promise<SimulatedReply | undefined>;
}

/** A run in virtual time. The clock is frozen except in `advance` and `finish`. */
export interface SimulatedRun {
  readonly phase: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  /** The current or last state. */
  readonly state: string;
  /** Addresses of the steps that wait for a submission. */
  readonly steps: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
  /** The output of a successful run, else null. */
  readonly output: unknown;
  /** The error of a failed run, else null. */
  readonly error: { readonly code: string; readonly reason: string } | null;
  readonly calls: readonly SimulatedCall[];
  /** The current instant of the clock. */
  readonly now: Date;
  /** Submits a step. Rejects if the step does not wait or the payload violates its schema. */
  submit(step: string, payload: unknown): Promise<void>;
  cancel(): Promise<void>;
  /** Lets this much time pass, as an ISO 8601 duration such as `PT2H`. */
  advance(duration: string): Promise<void>;
  /** Lets time pass until the run has ended, or waits for a submission without a deadline. */
  finish(): Promise<void>;
}

const defaultStart = '2026-01-01T00:00:00Z';

/** Starts a journey from a file, relative to the project, on a virtual clock. */
export async function simulateJourney(file: string, settings: SimulationSettings = {}): Promise<SimulatedRun> {
  const { input = {}, headers = {}, now = defaultStart, seed = 1, services, ...project } = settings;
  const config = projectConfig(project);
  const { references } = await readReferences(config);
  const path = resolve(project.folder ?? '.', file);
  const { byName, findings } = await readJourneys([path], { ...references, ...configuredChecks(config) });
  const entry = [...byName.values()][0]?.[0];
  if (!entry) {
    const errors = findings.filter(({ severity }) => severity === 'error');
    return refuse('JOURNEY_BROKEN', `${file} has no valid journey.`, { errors });
  }
  const { definition } = entry;
  const inbound = { headers, query: new URLSearchParams() };
  const body = copy(JSON.parse(JSON.stringify(input)) as JsonObject);
  const start = new Starts(config.platform, config.limits.metadata).prepare(entry, { ...inbound, body });
  const clock = new VirtualClock(Date.parse(now));
  const backend = new ScriptedBackend([], services && (async (call) => asReply(await services(call))));
  const requests = new VirtualRequests();
  const checks = authEffects({ plugins: config.plugins, now: () => new Date(clock.now()) });
  const simulation = new Simulation(definition, start.body, {
    clock,
    effects: new VirtualEffects(clock, backend, undefined, { requests, checks }),
    seed,
    metadata: start,
    info: { environment: config.platform.environment, config: start.config },
    ...(definition.looksAtRequests && { request: requests.keep(inbound, definition.http.start) }),
  });
  const run = new RunOnClock(simulation, clock, backend);
  await run.settled();
  return run;
}

function asReply(reply: SimulatedReply | undefined) {
  if (!reply) return undefined;
  const { status = 200, headers = {}, body, delayMs = 0 } = reply;
  return { status, headers: { ...headers }, afterMs: delayMs, ...(body !== undefined && { body: body as Json }) };
}

class RunOnClock implements SimulatedRun {
  constructor(
    private readonly simulation: Simulation,
    private readonly clock: VirtualClock,
    private readonly backend: ScriptedBackend,
  ) {}

  get phase() {
    return this.simulation.outcome?.phase ?? 'RUNNING';
  }

  get state() {
    return this.simulation.status.currentState;
  }

  get steps() {
    return this.simulation.activeSteps;
  }

  get context() {
    return this.simulation.currentContext;
  }

  get output() {
    return this.simulation.outcome?.output ?? null;
  }

  get error() {
    return this.simulation.outcome?.error ?? null;
  }

  get calls() {
    return this.backend.calls;
  }

  get now() {
    return new Date(this.clock.now());
  }

  async submit(step: string, payload: unknown): Promise<void> {
    const { refused } = this.simulation.submit(step, copy(payload as Json))();
    if (refused) throw new ProblemError(refused);
    await this.settled();
  }

  async cancel(): Promise<void> {
    this.simulation.cancel();
    await this.settled();
  }

  async advance(duration: string): Promise<void> {
    const parsed = parseDuration(duration);
    if (!parsed) throw new TypeError(`${JSON.stringify(duration)} is not an ISO 8601 duration such as PT2H.`);
    await this.simulation.until(addDuration(this.clock.now(), parsed));
    await this.settled();
  }

  async finish(): Promise<void> {
    await this.simulation.toEnd();
  }

  /** Everything that is due now, while the clock stands still. */
  async settled(): Promise<void> {
    await this.clock.settled();
    while (this.clock.next !== undefined && this.clock.next <= this.clock.now()) await this.clock.advance();
    if (this.simulation.crash !== undefined) throw this.simulation.crash;
  }
}
