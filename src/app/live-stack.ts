import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { createHttpActivity, type HttpActivity } from '../../activities/http-call/http.js';
import { createActivities, createEffects } from '../../activities/index.js';
import type { Config } from '../config/config.js';
import type { Definition } from '../definition/definition.js';
import { createGateway } from '../gateway/gateway.js';
import { listen } from '../gateway/listen.js';
import { InProcessApis } from '../in-process/apis.js';
import type { JsonObject } from '../json/value.js';
import { unsupportedFeatures } from '../language/not-yet.js';
import { definitionHash } from '../library/journeys.js';
import { connect, connectWorker } from '../temporal/connection.js';
import { ensureNamespace } from '../temporal/namespace.js';
import { TemporalRuns } from '../temporal/runs.js';
import { TemporalSchedules } from '../temporal/schedules/manage.js';
import { startServer } from '../temporal/server/start.js';
import { createWorker } from '../temporal/worker.js';

/** What one scenario needs of the stack. */
export interface StackScenario {
  definition: Definition;
  config: JsonObject;
  environment: string;
  /** Origin → origin, for its calls. */
  rewrite: Record<string, string>;
}

/** A gateway that serves one journey. */
export interface ScenarioGateway {
  url: string;
  close(): Promise<void>;
}

/** A Temporal server with a worker, and a gateway for each scenario. */
export class LiveStack {
  private http: HttpActivity | undefined;

  private constructor(
    private readonly config: Config,
    private readonly log: Logger,
    readonly client: Client,
    readonly address: string,
    private readonly closing: (() => Promise<unknown>)[],
  ) {}

  /** Starts a server of its own that keeps nothing, unless a Temporal service is configured. */
  static async start(configured: Config, log: Logger, address = configured.temporal.address): Promise<LiveStack> {
    const config: Config = {
      ...configured,
      server: { ...configured.server, inMemory: true, port: 0, uiPort: 0 },
      temporal: { ...configured.temporal, taskQueue: `scenarios-${randomUUID()}` },
      gateway: { ...configured.gateway, host: '127.0.0.1', port: 0, auth: { apiKeys: [] } },
    };
    const closing: (() => Promise<unknown>)[] = [];
    const server = address === undefined ? await startServer(config) : undefined;
    if (server) closing.unshift(() => server.stop());
    const at = { address: server?.address ?? address! };
    const connected = await connect(config, at);
    closing.unshift(() => connected.close());
    await ensureNamespace(connected.connection, config.temporal.namespace);
    const stack = new LiveStack(config, log, connected.client, at.address, closing);
    await stack.startWorker(at);
    return stack;
  }

  /** Calls go out as the scenario of the moment wants; scenarios run one after the other. */
  private async startWorker(at: { address: string }): Promise<void> {
    const connection = await connectWorker(this.config, at);
    const http = Object.assign<
      (...call: Parameters<HttpActivity>) => ReturnType<HttpActivity>,
      Pick<HttpActivity, 'close'>
    >((...call) => this.http!(...call), { close: async () => undefined });
    const worker = await createWorker({
      config: this.config,
      connection,
      activities: createActivities({ http, client: this.client }),
    });
    const running = worker.run();
    this.closing.unshift(async () => {
      worker.shutdown();
      await running;
      await connection.close();
    });
  }

  async serve({ definition, config, environment, rewrite }: StackScenario): Promise<ScenarioGateway> {
    const settings: Config = {
      ...this.config,
      platform: { ...this.config.platform, environment, config: { [definition.name]: config } },
      http: {
        ...this.config.http,
        rewrite: { ...this.config.http.rewrite, ...rewrite },
        egress: { allow: [], allowPrivate: [] },
      },
    };
    const { log } = this;
    const http = createHttpActivity({ http: settings.http, log, loopbackAllowed: true });
    this.http = http;
    const entry = { definition, hash: definitionHash(definition) };
    const isApi = definition.kind === 'Api';
    const app = createGateway({
      config: settings,
      journeys: {
        find: (name) => (!isApi && name === definition.name ? entry : undefined),
        names: () => (isApi ? [] : [definition.name]),
        apis: () => (isApi ? [entry] : []),
      },
      runs: new TemporalRuns(this.client, settings),
      schedules: new TemporalSchedules(this.client, settings),
      apis: new InProcessApis(settings, createEffects({ http })),
      log,
      ready: async () => undefined,
      unsupported: unsupportedFeatures,
    });
    const listening = await listen(app, settings.gateway);
    return {
      url: listening.url,
      close: async () => {
        await listening.close(0);
        await http.close();
      },
    };
  }

  async stop(): Promise<void> {
    for (const close of this.closing) await close();
  }
}
