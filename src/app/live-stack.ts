import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Connections } from '../../activities/connections.js';
import { createHttpActivity, type HttpActivity } from '../../activities/http-call/http.js';
import { refusing } from '../../activities/http-call/refusing.js';
import type { Config } from '../config/config.js';
import { secretReader } from '../config/secret.js';
import { definitionHash } from '../library/journeys.js';
import type { ScenarioGateway, Stack, StackScenario } from '../scenarios/live/stack.js';
import { libraryOf } from '../service/library.js';
import { connect } from '../temporal/connection.js';
import { ensureNamespace } from '../temporal/namespace.js';
import { namespaceSecret } from '../temporal/namespace-secret.js';
import { HeldPipeline } from '../temporal/pipelines/held.js';
import { removeSchedule } from '../temporal/pipelines/schedules.js';
import { quoted } from '../temporal/quoted.js';
import { startAt, timesOf } from '../temporal/schedules/rehearsal.js';
import { readSchedule } from '../temporal/schedules/snapshot.js';
import { startServer } from '../temporal/server/start.js';
import { connectionsOf } from './connections.js';
import { openGateway } from './gateway.js';
import { startWorker } from './worker.js';

/** The id of a run that a schedule started: the schedule's, and the time it was due. */
const scheduledId = /-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The product as scenarios use it: a server with a worker, and a gateway for each scenario. Scenarios run one after another. */
export class LiveStack implements Stack {
  private http: HttpActivity | undefined;
  private scheduledRuns = true;

  private constructor(
    private readonly config: Config,
    private readonly log: Logger,
    readonly client: Client,
    readonly address: string,
    private readonly connections: Connections,
    private readonly closing: (() => Promise<unknown>)[],
  ) {}

  /** Starts a server of its own that keeps nothing, unless a Temporal service is configured. */
  static async start(configured: Config, log: Logger, address = configured.temporal.address): Promise<LiveStack> {
    const config: Config = {
      ...configured,
      // A cache in memory is one for each stack: what others play must not be found in it.
      cache: { ...configured.cache },
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
    const connections = connectionsOf(config, log);
    closing.unshift(() => connections.close());
    const stack = new LiveStack(config, log, connected.client, at, connections, closing);
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
    const http = Object.assign(call, { close: async () => undefined });
    return refusing(http, (workflowId) => !this.scheduledRuns && scheduledId.test(workflowId));
  }

  async serve(scenario: StackScenario): Promise<ScenarioGateway> {
    const { journeys, environment, plugins, rewrite } = scenario;
    const clientCertificate = { header: scenario.certificateHeader, proxies: ['127.0.0.1'] };
    const config: Config = {
      ...this.config,
      plugins: { ...this.config.plugins, ...plugins },
      gateway: { ...this.config.gateway, clientCertificate },
      platform: { ...this.config.platform, environment, config: scenario.config },
      http: {
        ...this.config.http,
        rewrite: { ...this.config.http.rewrite, ...rewrite },
        egress: { allow: [], allowPrivate: [] },
      },
    };
    const { log, client } = this;
    // As in virtual time, a scenario finds nothing that another one has put there.
    this.connections.forget();
    const http = createHttpActivity({
      http: config.http,
      log,
      loopbackAllowed: true,
      secret: secretReader(config.secrets),
    });
    this.http = http;
    this.scheduledRuns = scenario.scheduledRuns;
    const library = libraryOf(journeys.map((definition) => ({ definition, hash: definitionHash(definition) })));
    const listening = await openGateway({ config, library, log, client, http, address: this.address });
    return {
      url: listening.url,
      deploy: (definition, now) =>
        HeldPipeline.start(client, config, { definition, hash: definitionHash(definition) }, now),
      close: async () => {
        // Long enough for the compensation of an answered Api, whose calls belong to the scenario.
        await listening.close(10_000);
        await http.close();
      },
    };
  }

  async times(scheduleId: string, after: number, until: number): Promise<number[]> {
    return await timesOf(this.client, scheduleId, after, until);
  }

  async startAt(scheduleId: string, time: number): Promise<unknown> {
    return await startAt(this.client, scheduleId, time);
  }

  async removeSchedule(scheduleId: string): Promise<void> {
    const { recent = [], running = [] } = (await readSchedule(this.client, scheduleId)) ?? {};
    await removeSchedule(this.client, scheduleId);
    for (const { id, run } of [...recent, ...running]) await this.end(id, run);
  }

  async endRuns(journeyName: string): Promise<void> {
    const query = `WorkflowType = ${quoted(journeyName)} AND ExecutionStatus = 'Running'`;
    for await (const { workflowId, runId } of this.client.workflow.list({ query })) await this.end(workflowId, runId);
  }

  /** Most have ended by themselves. */
  private async end(id: string, run: string): Promise<void> {
    await this.client.workflow
      .getHandle(id, run)
      .terminate('the scenario is over')
      .catch(() => undefined);
  }

  async stop(): Promise<void> {
    for (const close of this.closing) await close();
  }
}
