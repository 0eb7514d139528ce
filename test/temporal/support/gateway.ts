import pino from 'pino';
import { startGateway } from '../../../src/app/gateway.js';
import { loadConfig } from '../../../src/config/load.js';
import type { JsonObject } from '../../../src/json/value.js';
import { libraryOf } from '../../../src/service/library.js';
import { journeyOf, type Rig } from './rig.js';

/** The real gateway on a port of its own, serving the given documents on a rig's task queue. */
export interface HttpGateway {
  url: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: JsonObject): Promise<Answer>;
  /** Posts a body as it is written. */
  send(path: string, text: string): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Answer {
  status: number;
  body: JsonObject;
  headers: Headers;
}

/** Starts a gateway; `stop` it before the rig. */
export async function httpGateway(
  { config }: Rig,
  documents: readonly string[],
  env: Record<string, string> = {},
): Promise<HttpGateway> {
  const entries = documents.map(journeyOf).map((definition) => ({ definition, hash: definition.name, file: 'test' }));
  const library = { ...libraryOf(entries), findings: [] };
  const { taskQueue, address } = config.temporal;
  const own = loadConfig({
    env: {
      JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue,
      JOURNEYMAN_GATEWAY_PORT: '0',
      JOURNEYMAN_HTTP_EGRESS_ALLOW_LOOPBACK: 'true',
      ...env,
    },
  });
  const { url, stop } = await startGateway(own, library, pino({ level: 'silent' }), address);
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}/api/v1${path}`, init);
    return { status: response.status, body: (await response.json()) as JsonObject, headers: response.headers };
  };
  const send = (path: string, body: string) =>
    ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return {
    url,
    get: (path) => ask(path, {}),
    post: (path, body = {}) => send(path, JSON.stringify(body)),
    send,
    stop,
  };
}
