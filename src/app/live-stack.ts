import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { createHttpActivity, type HttpActivity } from '../../activities/http-call/http.js';
import type { Config } from '../config/config.js';
import { secretReader } from '../config/secret.js';
import { definitionHash } from '../library/journeys.js';
import type { ScenarioGateway, Stack, StackScenario } from '../scenarios/live/stack.js';
import { libraryOf } from '../service/library.js';
import { connect } from '../temporal/connection.js';
import { ensureNamespace } from '../temporal/namespace.js';
import { namespaceSecret } from '../temporal/namespace-secret.js';
import { startServer } from '../temporal/server/start.js';
import { openGateway } from './gateway.js';
import { startWorker } from './worker.js';

/** The product as scenarios use it: a server with a worker, and a gateway for each scenario. Scenarios run one after another. */
export class LiveStack implements Stack {
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
    const at = server?.address ?? address!;
    const connected = await connect(config, { address: at });
    closing.unshift(() => connected.close());
    await ensureNamespace(connected.connection, config.temporal.namespace);
    await namespaceSecret(connected.client);
    const stack = new LiveStack(config, log, connected.client, at, closing);
    const worker = await startWorker(config, log, {
      address: at,
      http: stack.calls(),
      maintenance: false,
      together: true,
    });
    closing.unshift(() => worker.stop());
    return stack;
  }

  /** Calls that go out as the current scenario wants. */
  private calls(): HttpActivity {
    const call = (...given: Parameters<HttpActivity>) => this.http!(...given);
    return Object.assign(call, { close: async () => undefined });
  }

  async serve(scenario: StackScenario): Promise<ScenarioGateway> {
    const { definition, config: values, environment, plugins, rewrite } = scenario;
    const clientCertificate = { header: scenario.certificateHeader, proxies: ['127.0.0.1'] };
    const config: Config = {
      ...this.config,
      plugins: { ...this.config.plugins, ...plugins },
      gateway: { ...this.config.gateway, clientCertificate },
      platform: { ...this.config.platform, environment, config: { [definition.name]: values } },
      http: {
        ...this.config.http,
        rewrite: { ...this.config.http.rewrite, ...rewrite },
        egress: { allow: [], allowPrivate: [] },
      },
    };
    const { log, client } = this;
    const http = createHttpActivity({
      http: config.http,
      log,
      loopbackAllowed: true,
      secret: secretReader(config.secrets),
    });
    this.http = http;
    const library = libraryOf([{ definition, hash: definitionHash(definition) }]);
    const listening = await openGateway({ config, library, log, client, http, address: this.address });
    return {
      url: listening.url,
      close: async () => {
        // Long enough for the compensation of an answered Api, whose calls belong to the scenario.
        await listening.close(10_000);
        await http.close();
      },
    };
  }

  async stop(): Promise<void> {
    for (const close of this.closing) await close();
  }
}
