import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { HttpActivity } from '../../activities/http-call/http.js';
import { createEffects } from '../../activities/index.js';
import type { Config } from '../config/config.js';
import { encryptionKeys } from '../config/encryption.js';
import { jarKeeper } from '../cookies/jar.js';
import { clientCookies } from '../cookies/to-client.js';
import { authEffects } from '../credentials/effects.js';
import type { Codec } from '../gateway/codec-routes.js';
import { createGateway } from '../gateway/gateway.js';
import { type Listening, listen } from '../gateway/listen.js';
import { InProcessApis } from '../in-process/apis.js';
import { InProcessGuards } from '../in-process/guards.js';
import { gatewayDocument } from '../library/gateway-document.js';
import type { Library } from '../service/library.js';
import type { Tracer } from '../service/tracing.js';
import { connect } from '../temporal/connection.js';
import { wireCodec } from '../temporal/encryption/wire.js';
import { TemporalPipelines } from '../temporal/pipelines/pipelines.js';
import { TemporalSchedules } from '../temporal/schedules/manage.js';
import { automationOf, portsOn } from './automation.js';
import { cacheDoubt } from './cache-doubt.js';
import { connectChannels } from './channels.js';
import { connectionsOf } from './connections.js';
import { sealingOf } from './cookies.js';
import { httpOf } from './http.js';
import { processMetrics } from './metrics.js';
import { type Part, within } from './parts.js';
import { pluginsOf } from './plugins.js';
import { openRequests } from './requests.js';
import { createTracer } from './tracing.js';

/** What a gateway is built on. */
export interface GatewayGround {
  readonly config: Config;
  readonly library: Library;
  readonly log: Logger;
  readonly client: Client;
  readonly http: HttpActivity;
  /** The embedded server's address, if it was just started. */
  readonly address?: string | undefined;
  readonly tracer?: Tracer | undefined;
}

/** Opens a gateway to journeys on Temporal and to Apis in this process. */
export async function openGateway(ground: GatewayGround): Promise<Listening> {
  const { config, library, log, client, http, address, tracer } = ground;
  const auth = authEffects({ plugins: config.plugins, onTrouble: (text) => log.warn(text) });
  const doubt = cacheDoubt(config, library);
  if (doubt !== undefined) log.warn(`${doubt}. Set cache.redis to share one.`);
  const connections = connectionsOf(config, log);
  const plugin = await pluginsOf(config, log);
  const sealing = sealingOf(client);
  const effects = createEffects({ http, auth, jars: jarKeeper(sealing), connections, plugin });
  const requests = openRequests({ config, log, effects, address });
  // Callback URLs name the port, and a free one is known only once somebody listens.
  const gateway: Config['gateway'] & { port: number } = { ...config.gateway };
  const ports = portsOn(client, { ...config, gateway }, requests);
  const setCookies = clientCookies(sealing);
  const apis = new InProcessApis(config, effects, { onTrouble: (text) => log.error(text), setCookies, tracer });
  const automation = automationOf(config, library, log, ports);
  const app = createGateway({
    config,
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
    ...(tracer && { tracer }),
    ready: async () => {
      await client.workflowService.getSystemInfo({});
    },
    openApi: gatewayDocument,
  });
  const listening = await listen(app, config.gateway);
  gateway.port = Number(new URL(listening.url).port);
  return {
    ...listening,
    close: async (graceMs) => {
      await listening.close(graceMs);
      // Apis and runs may still need the connections.
      await within(graceMs ?? compensationGraceMs, Promise.all([apis.settled(), requests.close()]));
      await connections.close();
    },
  };
}

/** For the Web UI and the CLI; the embedded server's own Web UI may ask without being named. */
function codecOf(config: Config): { codec?: Codec } {
  const { encryption, server, temporal } = config;
  if (encryption.keys.length === 0) return {};
  const own = temporal.address === undefined ? ['127.0.0.1', 'localhost'] : [];
  const origins = [...encryption.origins, ...own.map((host) => `http://${host}:${server.uiPort}`)];
  return { codec: { ...wireCodec(encryptionKeys(config)), origins } };
}

/** How long a stopping gateway waits for compensations of answered Apis. */
const compensationGraceMs = 30_000;

/** Starts a gateway; resolves once it accepts requests. `together`: with server and worker in one process. */
export async function startGateway(
  config: Config,
  library: Library,
  log: Logger,
  address?: string,
  together = false,
): Promise<Part & { url: string }> {
  const { client, close } = await connect(config, address === undefined ? {} : { address });
  const tracer = createTracer((fields, text) => log.warn(fields, text));
  const http = httpOf(config, log, together, tracer);
  const listening = await openGateway({ config, library, log, client, http, address, tracer });
  return {
    name: 'gateway',
    url: config.gateway.publicUrl ?? listening.url,
    running: new Promise(() => undefined),
    stop: async (graceMs) => {
      await listening.close(graceMs);
      await http.close();
      await tracer?.close();
      await close();
    },
  };
}
