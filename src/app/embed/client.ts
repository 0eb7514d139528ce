import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { JsonObject } from '../../base/json/value.js';
import { nearestName } from '../../base/problems/nearest-name.js';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import { projectConfig } from '../../config/load-config.js';
import { keyedRunId } from '../../engine/definition/keyed-run-id.js';
import { readLibrary } from '../../library/read-library.js';
import { type AuditEvent, mainOrchestrator } from '../../service/audit/audit-interface.js';
import { findVersion, type Library, type LibraryEntry, refuseBroken } from '../../service/library-interface.js';
import { orchestratorsOf } from '../../service/orchestrators.js';
import { Starts } from '../../service/prepare-start-with-ajv.js';
import type { RunView } from '../../service/runs-interface.js';
import { connect } from '../../temporal/connection.js';
import { TemporalRuns } from '../../temporal/runs/temporal-runs.js';
import { FileAudit } from '../telemetry/audit-file.js';
import type { ProjectOptions } from './project.js';

export type { ProjectOptions };

/** Types of one journey, as `journeyman types` writes them. */
export interface JourneyShape {
  input: unknown;
  output: unknown;
  /** Payloads by step. */
  steps: object;
}

/** Types of the journeys of a project, by name. */
export type JourneyShapes<T> = { [N in keyof T]: JourneyShape };

/** Journeys without generated types. */
export type UntypedJourneys = Record<string, { input: object; output: unknown; steps: Record<string, unknown> }>;

/** Options of `connectJourneys`. */
export interface ConnectJourneysOptions extends ProjectOptions {
  /** The name under which runs and the audit log show the application. Default: `application`. */
  readonly caller?: string;
}

/** Options of a start. */
export interface StartJourneyOptions {
  /** Repeating the key returns the same run. */
  readonly idempotencyKey?: string;
  /** A version of the journey in the project. Default: the highest. */
  readonly version?: string;
}

/** Options of a submission. */
export interface SubmitStepOptions {
  /** Repeating the key returns the same submission. */
  readonly idempotencyKey?: string;
  /** The item of a map that the step is in: its index or key. */
  readonly item?: string | number;
}

/** Filters of runs; all must match. */
export interface ListJourneyRuns<N extends string = string> {
  readonly journey?: N;
  readonly phase?: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  /** The current or last state. */
  readonly state?: string;
  readonly errorCode?: string;
  readonly subjectId?: string;
  readonly startedBy?: string;
  readonly tags?: readonly string[];
  /** Default: 50; at most 200. */
  readonly pageSize?: number;
  /** `nextPageToken` of the previous page. */
  readonly pageToken?: string;
}

/** A run as Temporal and its worker report it. */
export interface JourneyRunState {
  readonly id: string;
  readonly journey: string;
  readonly version: string;
  readonly phase: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  /** The current or last state. */
  readonly state: string;
  /** Addresses of the steps that wait for a submission; empty in lists. */
  readonly steps: readonly string[];
  readonly startedAt?: string;
  /** Null while it runs. */
  readonly endedAt?: string | null;
}

/** The outcome of an ended run. */
export type JourneyResult<O = unknown> = {
  /** The business status: `output.status`, else the phase or the error's code. */
  readonly status: string;
  readonly outcomeId?: string;
  /** The top-level state in which the run ended. */
  readonly endedIn: string;
} & (
  | { readonly phase: 'SUCCEEDED'; readonly output: O; readonly error: null }
  | {
      readonly phase: 'FAILED';
      readonly output: null;
      readonly error: { readonly code: string; readonly reason: string };
    }
);

/** One run of a journey. */
export interface JourneyRun<J extends JourneyShape = UntypedJourneys[string]> {
  readonly id: string;
  status(): Promise<JourneyRunState>;
  /** Submits a step; resolves once the run has ended or waits again. */
  submit<S extends keyof J['steps'] & string>(
    step: S,
    payload: J['steps'][S],
    options?: SubmitStepOptions,
  ): Promise<JourneyRunState>;
  /** Cancels the run; an ended run stays as it is. */
  cancel(): Promise<JourneyRunState>;
  /** Waits for the end of the run; rejects with RESULT_NOT_READY after `timeoutMs`. A failed run is a result, not a rejection. */
  result(options?: { readonly timeoutMs?: number }): Promise<JourneyResult<J['output']>>;
}

/** Journeys on Temporal. It needs no gateway; runs need a worker. */
export interface JourneyClient<T extends JourneyShapes<T> = UntypedJourneys> {
  /** Starts a journey of the project; resolves as soon as the server has accepted it. */
  start<N extends keyof T & string>(
    journey: N,
    input: T[N]['input'],
    options?: StartJourneyOptions,
  ): Promise<JourneyRun<T[N]>>;
  /** A run by its id. Nothing is asked before one of its methods is called. */
  run<N extends keyof T & string>(journey: N, id: string): JourneyRun<T[N]>;
  /** The run with a business key. */
  runByKey<N extends keyof T & string>(journey: N, key: string): JourneyRun<T[N]>;
  /** Lists runs, newest first. */
  list(
    filter?: ListJourneyRuns<keyof T & string>,
  ): Promise<{ readonly runs: readonly JourneyRunState[]; readonly nextPageToken?: string }>;
  close(): Promise<void>;
}

/** Connects to the Temporal service of a project. Rejects with TEMPORAL_UNREACHABLE if it does not respond. */
export async function connectJourneys<T extends JourneyShapes<T> = UntypedJourneys>(
  options: ConnectJourneysOptions = {},
): Promise<JourneyClient<T>> {
  const { caller = 'application', ...project } = options;
  const config = projectConfig(project);
  const { client, close } = await connect(config);
  const runs = new TemporalRuns(client, config);
  const starts = new Starts(config.platform, config.limits.metadata);
  const error = (fields: object, said?: string) => console.error(said, fields);
  const audit = new FileAudit(orchestratorsOf(config), { info: () => undefined, error });
  const record: RunDeps['record'] = async (event, { journeyId, journeyName }, detail = {}) =>
    await audit.record({
      event,
      orchestratorId: mainOrchestrator,
      executionId: journeyId,
      by: { caller },
      detail: { journeyName, ...detail },
    });
  const deps: RunDeps = { client, runs, caller, record };
  let library: Promise<Library> | undefined;
  return {
    start: async (journey, input, { idempotencyKey, version } = {}) => {
      library ??= readLibrary(config);
      const body = JSON.parse(JSON.stringify(input)) as JsonObject;
      const prepared = starts.prepare(entryOf(await library, journey, version), {
        body,
        headers: {},
        query: new URLSearchParams(),
      });
      const started = await runs.start({
        ...prepared,
        mode: 'async',
        caller,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
      await record('run.started', started);
      return new RunOnTemporal(deps, started.journeyId);
    },
    run: (_, id) => new RunOnTemporal(deps, id),
    runByKey: (journey, key) => new RunOnTemporal(deps, keyedRunId(journey, key)),
    list: async ({ journey, phase, state, pageSize = 50, tags = [], ...filter } = {}) => {
      const { items, nextPageToken } = await runs.list({
        ...filter,
        ...(journey !== undefined && { journeyName: journey }),
        ...(phase !== undefined && { phase }),
        ...(state !== undefined && { currentState: state }),
        tags: [...tags],
        attributes: {},
        pageSize: Math.min(pageSize, 200),
      });
      return { runs: items.map(stateOf), ...(nextPageToken !== undefined && { nextPageToken }) };
    },
    close,
  };
}

interface RunDeps {
  readonly client: Client;
  readonly runs: TemporalRuns;
  readonly caller: string;
  record(event: AuditEvent, run: RunView, detail?: JsonObject): Promise<void>;
}

/** Pause before another wait for a result, after the server ended one early. */
const retryMs = 200;

class RunOnTemporal<J extends JourneyShape> implements JourneyRun<J> {
  constructor(
    private readonly deps: RunDeps,
    readonly id: string,
  ) {}

  async status(): Promise<JourneyRunState> {
    return stateOf(await this.deps.runs.status(this.id));
  }

  async submit(step: string, payload: unknown, { idempotencyKey, item }: SubmitStepOptions = {}) {
    const { runs, caller, record } = this.deps;
    const stepId = item === undefined ? step : `${step}/${item}`;
    const text = JSON.stringify(payload ?? null);
    const run = await runs.submit({
      id: this.id,
      caller,
      stepId,
      payload: JSON.parse(text),
      headers: {},
      body: Buffer.from(text),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    await record('run.submitted', run, { stepId });
    return stateOf(run);
  }

  async cancel(): Promise<JourneyRunState> {
    const { changed, ...run } = await this.deps.runs.cancel(this.id);
    if (changed) await this.deps.record('run.cancelled', run);
    return stateOf(run);
  }

  async result({ timeoutMs }: { readonly timeoutMs?: number } = {}): Promise<JourneyResult<J['output']>> {
    const { client, runs } = this.deps;
    const stopping = new AbortController();
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => stopping.abort(), timeoutMs);
    try {
      for (;;) {
        // The outcome and errors are those of `runs.result`.
        const ended = () => client.workflow.getHandle(this.id).result();
        await client.withAbortSignal(stopping.signal, ended).catch(() => undefined);
        const result = await runs.result(this.id).catch((error) => {
          if (stopping.signal.aborted || errorCodeOf(error) !== 'RESULT_NOT_READY') throw error;
        });
        if (result) return resultOf(result);
        await sleep(retryMs);
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

function entryOf(library: Library, name: string, version: string | undefined): LibraryEntry {
  if (version !== undefined) return findVersion(library, name, version);
  const entry = library.find(name);
  if (entry) return entry;
  refuseBroken(library, name);
  const near = nearestName(name, library.names());
  return refuse('JOURNEY_UNKNOWN', `The project has no journey ${JSON.stringify(name)}.`, {
    ...(near !== undefined && { hint: `Did you mean ${near}?` }),
  });
}

function stateOf({ journeyId, journeyName, journeyVersion, phase, status, steps, ...times }: RunView): JourneyRunState {
  const { startedAt, endedAt } = times;
  return {
    id: journeyId,
    journey: journeyName,
    version: journeyVersion,
    phase,
    state: status.currentState,
    steps,
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
  };
}

function resultOf<O>({ outcome }: Awaited<ReturnType<TemporalRuns['result']>>): JourneyResult<O> {
  const { phase, status, outcomeId, terminatedAtState, output, error } = outcome;
  const facts = { status, endedIn: terminatedAtState, ...(outcomeId !== undefined && { outcomeId }) };
  return phase === 'SUCCEEDED'
    ? { ...facts, phase, output: output as O, error: null }
    : { ...facts, phase, output: null, error: error! };
}

/** The code of an error of the product, as docs/errors.md lists it; undefined for any other error. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof ProblemError ? error.problem.code : undefined;
}
