import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { HttpActivity } from '../../activities/http-call/http.js';
import { createEffects } from '../../activities/index.js';
import type { Config } from '../config/config.js';
import { jarKeeper } from '../cookies/jar.js';
import { clientCookies } from '../cookies/to-client.js';
import { createGateway } from '../gateway/gateway.js';
import { type Listening, listen } from '../gateway/listen.js';
import { InProcessApis } from '../in-process/apis.js';
import { unsupportedFeatures } from '../language/not-yet.js';
import type { Library } from '../service/library.js';
import { connect } from '../temporal/connection.js';
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

/** What a gateway is built on. */
export interface GatewayGround {
  readonly config: Config;
  readonly library: Library;
  readonly log: Logger;
  readonly client: Client;
  readonly http: HttpActivity;
}

/** Opens a gateway to journeys on Temporal and to Apis in this process. */
export async function openGateway({ config, library, log, client, http }: GatewayGround): Promise<Listening> {
  // Callback URLs name the port, and a free one is known only once somebody listens.
  const gateway: Config['gateway'] & { port: number } = { ...config.gateway };
  const ports = portsOn(client, { ...config, gateway });
  const doubt = cacheDoubt(config, library);
  if (doubt !== undefined) log.warn(`${doubt}. Set cache.redis to share one.`);
  const connections = connectionsOf(config, log);
  const plugin = await pluginsOf(config, log);
  const sealing = sealingOf(client);
  const setCookies = clientCookies(sealing);
  const apis = new InProcessApis(config, createEffects({ http, jars: jarKeeper(sealing), connections, plugin }), {
    onTrouble: (text) => log.error(text),
    setCookies,
  });
  const automation = automationOf(config, library, log, ports);
  const app = createGateway({
    config,
    journeys: library,
    runs: ports.runs,
    automation,
    channels: connectChannels(config, http, automation),
    schedules: new TemporalSchedules(client, config),
    apis,
    setCookies,
    log,
    metrics: processMetrics(),
    ready: async () => {
      await client.workflowService.getSystemInfo({});
    },
    unsupported: unsupportedFeatures,
  });
  const listening = await listen(app, config.gateway);
  gateway.port = Number(new URL(listening.url).port);
  return {
    ...listening,
    close: async (graceMs) => {
      await listening.close(graceMs);
      await within(graceMs ?? compensationGraceMs, apis.settled());
      await connections.close();
    },
  };
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
  const http = httpOf(config, log, together);
  const listening = await openGateway({ config, library, log, client, http });
  return {
    name: 'gateway',
    url: config.gateway.publicUrl ?? listening.url,
    running: new Promise(() => undefined),
    stop: async (graceMs) => {
      await listening.close(graceMs);
      await http.close();
      await close();
    },
  };
}
