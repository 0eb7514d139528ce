import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { createHttpClient, type HttpClient } from '../../activities/http-call/http-client.js';
import { refusingRuns } from '../../activities/http-call/http-effect.js';
import type { Connections } from '../../activities/index.js';
import type { Config } from '../config/config-types.js';
import { secretReader } from '../config/read-secret.js';
import { workflowOperation } from '../language/tasks/external/virtual-workflow.js';
import { definitionHash } from '../library/read-journeys.js';
import type { ScenarioGateway, Stack, StackScenario } from '../scenarios/live/stack-interface.js';
import { libraryOf } from '../service/library-interface.js';
import { connect } from '../temporal/connection.js';
import { ensureNamespace } from '../temporal/inspect-and-set-up-namespace.js';
import { namespaceSecret } from '../temporal/namespace-secret.js';
import { FrozenClockPipeline } from '../temporal/pipelines/frozen-clock-pipeline.js';
import { queryLiteral } from '../temporal/query-literal.js';
import { describeSchedule } from '../temporal/schedules/describe-schedule.js';
import { startAt, timesOf } from '../temporal/schedules/fire-schedule-for-scenario.js';
import { deleteSchedule } from '../temporal/schedules/write-schedule.js';
import { startServer } from '../temporal/server/start-server.js';
import { startScriptedActivities } from '../temporal/worker/create-worker.js';
import { openGateway } from './start-gateway.js';
import { taskConnections } from './task-connections.js';
import { startWorker } from './worker/start-worker.js';

/** The id of a scheduled run: the schedule's id and the nominal time. */
const scheduledId = /-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The product as scenarios use it: a server with a worker, and a gateway for each scenario. Scenarios run one after another. */
export class LiveStack implements Stack {
  private http: HttpClient | undefined;
  /** The queue of the scripted activities of the current scenario. */
  private activityQueue = '';
  private scheduledRuns = true;

  private constructor(
    private readonly config: Config,
    private readonly log: Logger,
    readonly client: Client,
    readonly address: string,
    private readonly connections: Connections,
    private readonly closing: (() => Promise<unknown>)[],
  ) {}

  /** Starts a temporary in-memory server, unless a Temporal service is configured. */
  static async start(configured: Config, log: Logger, address = configured.temporal.address): Promise<LiveStack> {
    const config: Config = {
      ...configured,
      // Each stack has its own in-memory cache: parallel scenarios must not share one.
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
    const connections = taskConnections(config, log);
    closing.unshift(() => connections.close());
    const stack = new LiveStack(config, log, connected.client, at, connections, closing);
    const worker = await startWorker(config, log, {
      address: at,
      http: stack.calls(),
      maintenance: false,
      together: true,
      taskRoute: (task) => ({
        taskQueue: stack.activityQueue,
        ...(!('activity' in task) && { activity: workflowOperation(task) }),
      }),
    });
    closing.unshift(() => worker.stop());
    return stack;
  }

  /** Outgoing calls, as the current scenario defines them. */
  private calls(): HttpClient {
    const call = (...given: Parameters<HttpClient>) => this.http!(...given);
    const http = Object.assign(call, { close: async () => undefined });
    return refusingRuns(http, (workflowId) => !this.scheduledRuns && scheduledId.test(workflowId));
  }

  async serve(scenario: StackScenario): Promise<ScenarioGateway> {
    const { journeys, environment, plugins, rewrite } = scenario;
    const clientCertificate = { header: scenario.certificateHeader, proxies: ['127.0.0.1'] };
    const config: Config = {
      ...this.config,
      plugins: { ...this.config.plugins, ...plugins },
      secrets: { ...this.config.secrets, ...secretSources(scenario.secrets) },
      gateway: { ...this.config.gateway, clientCertificate },
      platform: { ...this.config.platform, environment, config: scenario.config },
      http: {
        ...this.config.http,
        rewrite: { ...this.config.http.rewrite, ...rewrite },
        egress: { allow: [], allowPrivate: [] },
      },
    };
    const { log, client } = this;
    // As in virtual time, a scenario sees no data of another one.
    this.connections.forget();
    const http = createHttpClient({
      http: config.http,
      log,
      loopbackAllowed: true,
      secret: secretReader(config.secrets),
    });
    this.http = http;
    this.scheduledRuns = scenario.scheduledRuns;
    this.activityQueue = `scenarios-activities-${randomUUID()}`;
    const activities = scenario.activities?.types.length
      ? await startScriptedActivities(config, this.address, this.activityQueue, scenario.activities)
      : undefined;
    const library = libraryOf(journeys.map((definition) => ({ definition, hash: definitionHash(definition) })));
    const listening = await openGateway({ config, library, log, client, http, address: this.address });
    return {
      url: listening.url,
      deploy: (definition, now) =>
        FrozenClockPipeline.start(client, config, { definition, hash: definitionHash(definition) }, now),
      close: async () => {
        // Long enough for the compensation of an answered Api, whose calls belong to the scenario.
        await listening.close(10_000);
        await activities?.stop();
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
    const { recent = [], running = [] } = (await describeSchedule(this.client, scheduleId)) ?? {};
    await deleteSchedule(this.client, scheduleId);
    for (const { id, run } of [...recent, ...running]) await this.end(id, run);
  }

  async endRuns(journeyName: string): Promise<void> {
    const query = `WorkflowType = ${queryLiteral(journeyName)} AND ExecutionStatus = 'Running'`;
    for await (const { workflowId, runId } of this.client.workflow.list({ query })) await this.end(workflowId, runId);
  }

  /** Terminates a run that has not ended by itself. */
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

/** Sources of secrets with these values: they are read from the environment, as real ones are. */
function secretSources(values: Readonly<Record<string, string>> = {}): Config['secrets'] {
  return Object.fromEntries(
    Object.entries(values).map(([ref, value], i) => {
      const env = `JOURNEYMAN_SCENARIO_SECRET_${i}`;
      process.env[env] = value;
      return [ref, { env }];
    }),
  );
}
