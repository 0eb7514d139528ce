import pino from 'pino';
import { startGateway } from '../../../src/app/start-gateway.js';
import type { JsonObject } from '../../../src/base/json/value.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { type Library, libraryOf } from '../../../src/service/library-interface.js';
import { journeyOf, type Rig } from './rig.js';

/** The real gateway on its own port, serving the given documents on a rig's task queue. */
export interface HttpGateway {
  url: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: JsonObject): Promise<Answer>;
  /** Posts a body as is. */
  send(path: string, text: string): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Answer {
  status: number;
  body: JsonObject;
  headers: Headers;
}

function libraryOfTexts(documents: readonly string[]): Library {
  return libraryOf(documents.map(journeyOf).map((definition) => ({ definition, hash: definition.name })));
}

/** Starts a gateway; `stop` it before the rig. */
export async function httpGateway(
  { config }: Rig,
  documents: readonly string[] | Library,
  env: Record<string, string> = {},
): Promise<HttpGateway> {
  const library = 'names' in documents ? documents : libraryOfTexts(documents);
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
