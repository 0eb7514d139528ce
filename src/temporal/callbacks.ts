import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Config } from '../config/config.js';
import { isLoopback } from '../config/rules.js';
import { secretReader } from '../config/secret.js';
import type { Definition } from '../definition/definition.js';
import { canonical, emptyObject, type JsonObject } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { callbackParameter } from '../service/runs.js';
import { callbackSteps } from '../states/callback-steps.js';
import { namespaceSecret } from './namespace-secret.js';

/** Where an operator may put the secret of callback URLs; all gateways and workers of a namespace must have the same. */
const configured = 'secret://journeyman/callbacks';

type Settings = Pick<Config, 'gateway' | 'secrets'>;

/**
 * The URL of each step that a new run may hand out, with a token that admits whoever has it to this step of this run until it expires. They
 * are made where the run is started: a workflow has no secrets, and its history must have none.
 */
export async function callbackUrls(
  client: Client,
  { gateway, secrets }: Settings,
  id: string,
  definition: Definition,
): Promise<JsonObject | undefined> {
  const steps = callbackSteps(definition);
  if (steps.length === 0) return undefined;
  const base = baseUrl(gateway);
  const key = await keyOf(client, secrets);
  const days = gateway.callbackDays * 86_400;
  const seconds = Math.min(days, definition.execution?.maxDurationSec ?? days);
  const expires = Math.ceil(Date.now() / 1000) + seconds;
  const urls = emptyObject();
  for (const step of steps) {
    const path = `${base}/api/v1/journeys/${encodeURIComponent(id)}/steps/${encodeURIComponent(step)}`;
    urls[step] = `${path}?${callbackParameter}=${tokenOf(key, id, step, expires)}`;
  }
  return urls;
}

/** Whether a token is one of ours for this run and step, and has not expired. */
export async function isCallbackToken(
  client: Client,
  { secrets }: Pick<Settings, 'secrets'>,
  { id, stepId, token }: { id: string; stepId: string; token: string },
): Promise<boolean> {
  const expires = /^([0-9a-z]{1,9})\.[\w-]{43}$/.exec(token)?.[1];
  if (expires === undefined) return false;
  const until = Number.parseInt(expires, 36);
  const expected = Buffer.from(tokenOf(await keyOf(client, secrets), id, stepId, until));
  const given = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected) && Date.now() < until * 1000;
}

/** `<Unix seconds in base 36>.<HMAC>`: run and step stand in the URL. */
function tokenOf(key: string, id: string, step: string, expires: number): string {
  const hmac = createHmac('sha256', key).update(canonical(['callback', id, step, expires]));
  return `${expires.toString(36)}.${hmac.digest('base64url')}`;
}

async function keyOf(client: Client, secrets: Config['secrets']): Promise<string> {
  if (Object.hasOwn(secrets, configured)) return secretReader(secrets)(configured).reveal();
  return (await namespaceSecret(client)).value;
}

function baseUrl({ publicUrl, host, port, tls }: Config['gateway']): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  if (isLoopback(host) && port > 0)
    return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]` : host}:${port}`;
  return refuse(
    'CONFIG_MISSING',
    'The journey hands out callback URLs, and nothing says how others reach the gateway.',
    {
      hint: 'Set gateway.publicUrl in the configuration.',
    },
  );
}
