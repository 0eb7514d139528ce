import { PassThrough } from 'node:stream';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { processMetrics } from '../../../src/app/telemetry/metrics.js';
import type { Json, JsonObject } from '../../../src/base/json/value.js';
import { refuse } from '../../../src/base/problems/problem.js';
import type { ApiKeyConfig, Config, GatewayConfig, JwtConfig } from '../../../src/config/config-types.js';
import type { Definition } from '../../../src/engine/definition/definition.js';
import { defaultMetadataLimits, type MetadataLimits } from '../../../src/engine/definition/metadata-limits.js';
import type { GuardedRun } from '../../../src/engine/evaluate-read-guard.js';
import { defaultLimits } from '../../../src/expressions/expression-engine-interface.js';
import { createGateway, type GatewayOptions } from '../../../src/gateway/create-gateway.js';
import { type Listening, listen } from '../../../src/gateway/http-server.js';
import { gatewayDocument } from '../../../src/library/read-gateway-openapi.js';
import { type Access, canAccess, fullAccess } from '../../../src/service/access.js';
import type { ApiAnswer, ApiRequest } from '../../../src/service/apis-interface.js';
import { type Library, type LibraryEntry, libraryOf } from '../../../src/service/library-interface.js';
import type { Pipelines } from '../../../src/service/pipelines-interface.js';
import type { ReadTrail, RunTrail, TrailEntry, VisitContext } from '../../../src/service/run-trail.js';
import type {
  Admit,
  BlockedRun,
  Delivery,
  ListRuns,
  RerunRequest,
  RunCounts,
  RunFilter,
  Runs,
  RunView,
  StartRun,
  SubmitStep,
} from '../../../src/service/runs-interface.js';
import { automation, type Rig } from '../../support/automation.js';
import { journey } from '../../support/journey.js';
import { FakePipelines } from './fake-pipelines.js';
import { FakeSchedules } from './fake-schedules.js';

export { journey };

export function api(name: string, rest: Partial<Definition> = {}): Definition {
  return journey(name, { kind: 'Api', ...rest });
}

/** A run that waits in `approval`, for tests to modify. */
export function runView(id: string, rest: Partial<RunView> = {}): RunView {
  return {
    journeyId: id,
    journeyName: 'order',
    journeyVersion: '1.0.0',
    phase: 'RUNNING',
    links: true,
    cancellable: true,
    status: {
      currentState: 'approval',
      activeStates: [{ state: 'approval', type: 'wait' }],
      updatedAt: '2030-01-31T09:00:00Z',
      tags: ['vip'],
      attributes: { subjectId: 'u-1' },
    },
    steps: ['approval'],
    ...rest,
  };
}

/** The same run, succeeded with `output`. */
export function endedView(id: string, output: Json, rest: Partial<RunView> = {}): RunView {
  return runView(id, {
    phase: 'SUCCEEDED',
    steps: [],
    startedAt: '2030-01-31T08:59:58Z',
    endedAt: '2030-01-31T09:00:00Z',
    outcome: {
      phase: 'SUCCEEDED',
      terminationKind: 'Success',
      output,
      error: null,
      status: 'SUCCEEDED',
      terminatedAtState: 'done',
      tags: ['vip'],
      attributes: { subjectId: 'u-1' },
    },
    ...rest,
  });
}

/** Runs in memory: records calls and returns the values that a test has set. */
export class FakeRuns implements Runs {
  readonly started: StartRun[] = [];
  readonly submitted: SubmitStep[] = [];
  readonly cancelled: string[] = [];
  readonly listed: ListRuns[] = [];
  readonly known = new Map<string, RunView>();
  projection: JsonObject = {};
  nextPageToken: string | undefined;
  onStart: (request: StartRun) => Promise<RunView> | RunView = (request) => {
    const view = endedView(`run-${this.started.length}`, request.body, { journeyName: request.definition.name });
    this.known.set(view.journeyId, view);
    return view;
  };

  /** The callers that started runs; a run without one is accessible to everybody. */
  readonly owners = new Map<string, string>();
  /** The valid callback tokens, by run and step. */
  readonly tokens = new Map<string, string>();
  private access = fullAccess('test');

  as(access: Access): FakeRuns {
    return Object.assign(Object.create(this) as FakeRuns, { access });
  }
  async isCallback(id: string, stepId: string, token: string): Promise<boolean> {
    return this.tokens.get(`${id}/${stepId}`) === token;
  }
  /** No requests are signed here. */
  checkSignature(): void {
    refuse('SIGNATURE_INVALID');
  }
  async deliver(request: Delivery) {
    return await this.submit(request);
  }
  async start(request: StartRun): Promise<RunView> {
    this.started.push(request);
    return await this.onStart(request);
  }
  /** Every run has a guard. */
  guarded = false;

  async status(id: string, admit?: Admit): Promise<RunView> {
    const view = this.known.get(id);
    const startedBy = this.owners.get(id) ?? this.access.caller;
    if (!view || !canAccess(this.access, { ...view, startedBy })) return refuse('RUN_UNKNOWN');
    if (this.guarded) await admit?.({} as GuardedRun);
    return view;
  }
  async result(id: string, admit?: Admit) {
    const view = await this.status(id, admit);
    if (view.outcome === undefined) return refuse('RESULT_NOT_READY');
    return { ...view, outcome: view.outcome };
  }
  async submit(request: SubmitStep) {
    const view = await this.status(request.id);
    if (!view.steps.includes(request.stepId)) return refuse('STEP_NOT_ACTIVE');
    this.submitted.push(request);
    const readable =
      !this.guarded ||
      !request.admit ||
      (await request.admit({} as GuardedRun).then(
        () => true,
        () => false,
      ));
    return { ...view, projection: this.projection, ...(!readable && { unreadable: true as const }) };
  }
  async cancel(id: string, admit?: Admit) {
    const view = await this.status(id, admit);
    this.cancelled.push(id);
    return { ...view, changed: view.phase === 'RUNNING' };
  }
  readonly trails: ReadTrail[] = [];
  entries: TrailEntry[] = [];
  async trail(id: string, request: ReadTrail, admit?: Admit): Promise<RunTrail> {
    const { journeyId, journeyName, journeyVersion, phase } = await this.status(id, admit);
    this.trails.push(request);
    return { journeyId, journeyName, journeyVersion, phase, complete: true, entries: this.entries, cursor: '7' };
  }
  async visitContext(id: string, n: number, admit?: Admit): Promise<VisitContext> {
    await this.status(id, admit);
    return { n, id: 'ask#1', state: 'ask', before: {}, after: { a: 1 } };
  }
  readonly goneAgain: RerunRequest[] = [];
  async rerun(request: RerunRequest) {
    const view = await this.status(request.id);
    const repeated = this.goneAgain.some(({ id }) => id === request.id);
    this.goneAgain.push(request);
    return { run: { ...view, id: `${view.journeyId}-again` }, state: request.to?.state ?? 'failed', repeated };
  }
  async migrate(id: string, { definition: { version } }: LibraryEntry) {
    const view = await this.status(id);
    const run = { ...view, journeyVersion: version };
    this.known.set(id, run);
    return { run, from: view.journeyVersion, changed: view.journeyVersion !== version };
  }
  /** The filters of `count` calls. */
  readonly counted: RunFilter[] = [];
  counts: RunCounts = {
    total: 0,
    phases: { RUNNING: 0, SUCCEEDED: 0, FAILED: 0 },
    openSteps: 0,
    failures: [],
    otherFailures: 0,
    of: null,
  };
  async count(query: RunFilter) {
    this.counted.push(query);
    return this.counts;
  }
  async waiting(query: ListRuns) {
    this.listed.push(query);
    const all = [...this.known.values()].filter(({ steps }) => steps.length > 0);
    return { items: all.map((run) => ({ run, hash: `Journey/${run.journeyName}` })), unanswered: 0 };
  }
  blockedRuns: BlockedRun[] = [];
  async blocked() {
    return this.blockedRuns;
  }
  /** The definitions of runs of versions that are not served. */
  readonly definitions = new Map<string, LibraryEntry>();
  async definition(id: string) {
    await this.status(id);
    return this.definitions.get(id) ?? { definition: journey('order'), hash: 'Journey/order' };
  }
  async list(query: ListRuns) {
    this.listed.push(query);
    const { nextPageToken } = this;
    return { items: [...this.known.values()], ...(nextPageToken === undefined ? {} : { nextPageToken }) };
  }
}

/** A promise that a test resolves. */
export function gate(): { passed: Promise<void>; open: () => void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

export interface Setup {
  pipelines?: Pipelines;
  clientsPublish?: boolean;
  schedules?: FakeSchedules;
  automation?: Rig;
  definitions?: Definition[];
  /** Differences from a library of these definitions. */
  library?: Partial<Library>;
  host?: string;
  bodyLimit?: number;
  publicUrl?: string;
  origins?: string[];
  apiKeys?: ApiKeyConfig[];
  jwt?: JwtConfig;
  platform?: Partial<Config['platform']>;
  ready?: GatewayOptions['ready'];
  answer?: (definition: Definition, request: ApiRequest) => Promise<ApiAnswer> | ApiAnswer;
  channels?: GatewayOptions['channels'];
  guards?: GatewayOptions['guards'];
  clientCertificate?: GatewayConfig['clientCertificate'];
  codec?: GatewayOptions['codec'];
  console?: GatewayConfig['console'];
  metadata?: Partial<MetadataLimits>;
}

/** The options of a gateway over `runs`, with its log lines collected. */
export function options(setup: Setup, runs: Runs): { options: GatewayOptions; log: () => string } {
  const lines: Buffer[] = [];
  const sink = new PassThrough().on('data', (line: Buffer) => lines.push(line));
  const entries = (setup.definitions ?? [journey('order')]).map((definition) => ({
    definition,
    hash: `${definition.kind}/${definition.name}`,
  }));
  return {
    log: () => Buffer.concat(lines).toString(),
    options: {
      config: {
        gateway: {
          host: setup.host ?? '127.0.0.1',
          port: 0,
          bodyLimit: setup.bodyLimit ?? 10_000,
          origins: setup.origins ?? [],
          shutdownDelayMs: 0,
          hooks: { owner: 'hooks' },
          ...(setup.publicUrl === undefined ? {} : { publicUrl: setup.publicUrl }),
          ...(setup.clientCertificate && { clientCertificate: setup.clientCertificate }),
          console: setup.console ?? { enabled: true },
          requests: { keepSec: 300, maxBytes: 1_000_000 },
          auth: { apiKeys: setup.apiKeys ?? [], ...(setup.jwt === undefined ? {} : { jwt: setup.jwt }) },
        },
        platform: { environment: 'test', timezone: 'UTC', config: {}, ...setup.platform },
        limits: { metadata: { ...defaultMetadataLimits, ...setup.metadata }, expression: defaultLimits },
        pipelines: { clientsPublish: setup.clientsPublish ?? false, watchSec: 600 },
      },
      journeys: {
        ...libraryOf(entries),
        ...setup.library,
      },
      runs,
      schedules: setup.schedules ?? new FakeSchedules(),
      pipelines: setup.pipelines ?? new FakePipelines(),
      automation: setup.automation ?? automation(),
      apis: {
        call: async (definition, request) =>
          (setup.answer ?? (() => ({ status: 200, headers: {}, body: null })))(definition, request),
      },
      log: pino({ level: 'debug' }, sink),
      metrics: processMetrics(),
      ready: setup.ready ?? (async () => {}),
      channels: setup.channels ?? {},
      guards: setup.guards ?? { admit: async () => undefined },
      openApi: gatewayDocument,
      ...(setup.codec && { codec: setup.codec }),
    },
  };
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any;
  text: string;
}

export interface Gateway {
  runs: FakeRuns;
  server: Listening;
  log: () => string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Posts JSON; a string is sent unchanged. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  send(path: string, init: RequestInit): Promise<Answer>;
}

/** A gateway on an ephemeral port over fake runs; closed when the test ends. */
export async function gateway(setup: Setup = {}): Promise<Gateway> {
  const runs = new FakeRuns();
  const { options: made, log } = options(setup, runs);
  const server = await listen(createGateway(made), { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close(0));
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${server.url}${path}`, init);
    const text = await response.text();
    const json = (response.headers.get('content-type') ?? '').includes('json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: json && text !== '' ? JSON.parse(text) : text,
    };
  };
  return {
    runs,
    server,
    log,
    send,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
  };
}
