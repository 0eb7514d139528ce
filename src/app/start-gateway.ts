import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { asRequestActivities } from '../../activities/effects-as-activities.js';
import { clientCookies, jarOpener } from '../../activities/http-call/cookies/cookie-jar.js';
import type { HttpClient } from '../../activities/http-call/http-client.js';
import { createEffects } from '../../activities/index.js';
import type { Config } from '../config/config-types.js';
import { encryptionKeys } from '../config/encryption-keys.js';
import { authEffects } from '../gateway/auth/auth-task-effects.js';
import { createGateway } from '../gateway/create-gateway.js';
import { type Listening, listen } from '../gateway/http-server.js';
import type { Codec } from '../gateway/routes/codec-server.js';
import type { Effects } from '../language/tasks/effect-interface.js';
import { gatewayDocument } from '../library/read-gateway-openapi.js';
import { InProcessApis, InProcessGuards } from '../service/in-process/apis-and-guards.js';
import { type KeptRequests, RequestVault } from '../service/kept-request-store.js';
import type { Library } from '../service/library-interface.js';
import type { Tracer } from '../service/tracer-interface.js';
import { connectWorker } from '../temporal/connection.js';
import { jsonCodec } from '../temporal/encryption/payload-codec.js';
import { TemporalPipelines } from '../temporal/pipelines/temporal-pipelines.js';
import { serverState } from '../temporal/queue-pollers.js';
import { TemporalSchedules } from '../temporal/schedules/bindings/temporal-bindings.js';
import { createGatewayWorker } from '../temporal/worker/create-worker.js';
import { pluginTaskEffect } from './configured-plugins-effect.js';
import { watchContentDrift } from './content-drift.js';
import { connectChannels } from './create-channels-and-job-functions.js';
import { cacheWarning } from './in-memory-cache-warning.js';
import { automationFor, temporalJobPorts } from './job-automation-on-temporal.js';
import { cookieSealing } from './namespace-cookie-cipher.js';
import { claimPort, outboundHttp } from './outbound-http.js';
import { type ProcessPart, settlesWithin } from './run-until-stopped.js';
import { taskConnections } from './task-connections.js';
import { installRuntime } from './telemetry/log.js';
import { processMetrics } from './telemetry/metrics.js';
import { createTracer } from './telemetry/tracing.js';
import { watchAlerts } from './watch-and-send-alerts.js';
import { connectWatched } from './worker/temporal-server-watch.js';

/** The dependencies of a gateway. */
export interface GatewayDeps {
  readonly config: Config;
  readonly library: Library;
  readonly log: Logger;
  readonly client: Client;
  readonly http: HttpClient;
  /** The embedded server's address, if it was just started. */
  readonly address?: string | undefined;
  readonly tracer?: Tracer | undefined;
  /** Rejects with the reason while requests cannot be served. */
  ready?(): Promise<void>;
}

/** Opens a gateway to journeys on Temporal and to Apis in this process. */
export async function openGateway(ground: GatewayDeps): Promise<Listening> {
  const { config, library, log, client, http, address, tracer, ready = async () => {} } = ground;
  const auth = authEffects({ plugins: config.plugins, onTrouble: (text) => log.warn(text) });
  const doubt = cacheWarning(config, library);
  if (doubt !== undefined) log.warn(`${doubt}. Set cache.redis to share one.`);
  const connections = taskConnections(config, log);
  const plugin = await pluginTaskEffect(config, log);
  const sealing = cookieSealing(client);
  const effects = createEffects({ http, auth, jars: jarOpener(sealing), connections, plugin });
  const requests = openRequestWorker({ config, log, effects, address });
  // Callback URLs contain the port, and a free one is known only after listening.
  const gateway: Config['gateway'] & { port: number } = { ...config.gateway };
  const ports = temporalJobPorts(client, { ...config, gateway }, requests);
  const setCookies = clientCookies(sealing);
  const apis = new InProcessApis(config, effects, { onTrouble: (text) => log.error(text), setCookies, tracer });
  const automation = automationFor(config, library, log, ports);
  const stopping = new AbortController();
  const app = createGateway({
    config,
    stopping: stopping.signal,
    journeys: library,
    runs: ports.runs,
    automation,
    channels: connectChannels(config, http, automation),
    schedules: new TemporalSchedules(client, config),
    pipelines: new TemporalPipelines(client, config),
    apis,
    guards: new InProcessGuards(config, effects, (text) => log.warn(text)),
    setCookies,
    log,
    metrics: processMetrics(),
    ...codecOf(config),
    ...temporalUiOf(config),
    ...(tracer && { tracer }),
    ready,
    openApi: gatewayDocument,
  });
  const listening = await listen(app, config.gateway);
  gateway.port = listening.port;
  claimPort(listening.port);
  return {
    ...listening,
    close: async (graceMs) => {
      stopping.abort();
      await listening.close(graceMs);
      // Apis and runs may still need the connections.
      await settlesWithin(graceMs ?? compensationGraceMs, Promise.all([apis.settled(), requests.close()]));
      await connections.close();
    },
  };
}

/** The codec server for the Web UI and the CLI; the embedded server's own Web UI is always allowed. */
function codecOf(config: Config): { codec?: Codec } {
  const { encryption, server, temporal } = config;
  if (encryption.keys.length === 0) return {};
  const own = temporal.address === undefined ? ['127.0.0.1', 'localhost'] : [];
  const origins = [...encryption.origins, ...own.map((host) => `http://${host}:${server.uiPort}`)];
  return { codec: { ...jsonCodec(encryptionKeys(config)), origins } };
}

/** The namespace's page in the embedded server's Web UI. */
function temporalUiOf({ server, temporal }: Config): { temporalUi?: string } {
  if (temporal.address !== undefined || server.uiPort === 0) return {};
  return { temporalUi: `http://${server.ip}:${server.uiPort}/namespaces/${encodeURIComponent(temporal.namespace)}` };
}

/** The time a stopping gateway waits for compensations of answered Apis. */
const compensationGraceMs = 30_000;

/** The time a stopping gateway waits for a message that is being sent; otherwise another gateway sends it. */
const alertsGraceMs = 10_000;

/** Starts a gateway; resolves once it accepts requests. `together`: with server and worker in one process. */
export async function startGateway(
  config: Config,
  library: Library,
  log: Logger,
  address?: string,
  together = false,
): Promise<ProcessPart & { url: string }> {
  const { server, temporal } = config;
  const folder = temporal.address === undefined && !server.inMemory ? server.dataDir : undefined;
  const { client, close, watch } = await connectWatched(config, log, address, folder);
  const tracer = await createTracer((fields, text) => log.warn(fields, text));
  const http = outboundHttp(config, log, { together, address, tracer });
  const forgetState = processMetrics().showServer(() => serverState(client, config));
  const endDrift = watchContentDrift(config, client, library, log);
  let isStopping = false;
  const ready = async () => {
    const fault = isStopping ? 'The gateway is stopping' : watch.fault();
    if (fault !== undefined) throw new Error(fault);
  };
  const listening = await openGateway({ config, library, log, client, http, address, tracer, ready });
  const url = config.gateway.publicUrl ?? listening.url;
  const endAlerts = watchAlerts({ config, client, http, log, url });
  return {
    name: 'gateway',
    url,
    running: new Promise(() => undefined),
    // There is no load balancer in front of a developer's machine.
    ...(!together && {
      drain: async () => {
        isStopping = true;
        listening.drain();
        log.info({ delayMs: config.gateway.shutdownDelayMs }, 'No longer ready; the port closes after the delay');
        await sleep(config.gateway.shutdownDelayMs);
      },
    }),
    stop: async (graceMs) => {
      isStopping = true;
      watch.stop();
      forgetState();
      endDrift();
      await listening.close(graceMs);
      await settlesWithin(graceMs ?? alertsGraceMs, endAlerts());
      await http.close();
      await tracer?.close();
      await close();
    },
  };
}

interface RequestWorkerDeps {
  readonly config: Config;
  readonly log: Logger;
  /** The effects that runs may apply to a request. */
  readonly effects: Effects;
  /** The embedded server's address, if it was just started. */
  readonly address?: string | undefined;
}

/** The interval at which expired requests are dropped. */
const expiryMs = 10_000;

/** Requests that a gateway keeps for its runs, served on its own task queue. */
interface GatewayRequests extends KeptRequests {
  close(): Promise<void>;
}

/**
 * Keeps requests in this process and runs tasks of journeys on them. The worker starts with the first request that a journey uses: most
 * gateways never need one.
 */
function openRequestWorker({ config, log, effects, address }: RequestWorkerDeps): GatewayRequests {
  const queue = `gateway-${randomUUID()}`;
  const vault = new RequestVault(config.gateway.requests);
  let working: Promise<{ stop(): Promise<void> }> | undefined;

  async function begin() {
    installRuntime(log, await processMetrics().addressForSdk());
    const connection = await connectWorker(config, address === undefined ? {} : { address });
    const activities = asRequestActivities(effects, (id, run) => vault.find(id, run));
    const worker = await createGatewayWorker({ config, connection, activities }, queue).catch(async (error) => {
      await connection.close();
      throw error;
    });
    const expiry = setInterval(() => vault.expire(), expiryMs).unref();
    const running = worker.run().catch((error) => {
      log.error({ err: error }, 'The request worker failed; the next request starts it again');
      working = undefined;
      clearInterval(expiry);
    });
    return {
      stop: async () => {
        clearInterval(expiry);
        if (worker.getState() === 'RUNNING') worker.shutdown();
        await running;
        await connection.close();
      },
    };
  }

  return {
    keep: async (run, caller, kept) => {
      const id = vault.keep(run, caller, kept);
      working ??= begin().catch((error) => {
        working = undefined;
        throw error;
      });
      await working.catch((error) => {
        vault.forget(id);
        throw error;
      });
      return { queue, id, ...(Object.keys(kept.passed).length > 0 && { passes: true }) };
    },
    forget: ({ id }) => vault.forget(id),
    close: async () => {
      await (await working?.catch(() => undefined))?.stop();
    },
  };
}
