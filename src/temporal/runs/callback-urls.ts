import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { canonical, emptyObject, type JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import { isLoopback } from '../../config/is-loopback.js';
import { secretReader } from '../../config/read-secret.js';
import type { Definition } from '../../engine/definition/definition.js';
import { uniqueRunId } from '../../engine/definition/keyed-run-id.js';
import type { RunInfo } from '../../engine/run.js';
import { itemsKey, itemToken } from '../../engine/steps/item-callback-urls.js';
import { partsOfAddress, stepPath } from '../../engine/steps/step-address.js';
import { callbackSteps } from '../../language/states/steps-with-callback-urls.js';
import { callbackParameter } from '../../service/runs-interface.js';
import { namespaceSecret } from '../namespace-secret.js';

/** Configurable secret of callback URLs; all gateways and workers of a namespace must have the same. */
const configured = 'secret://journeyman/callbacks';

/** The expiry of a token that is valid as long as its step waits. */
const never = 0;

type Settings = Pick<Config, 'gateway' | 'secrets'>;

/**
 * The callback URL of each step of a new run, with a token that allows its holder to submit the step. They are created where the run is
 * started: a workflow has no secrets, and its history must contain none.
 */
export async function callbackUrls(
  client: Client,
  { gateway, secrets }: Settings,
  run: Pick<RunInfo, 'id' | 'nonce'>,
  definition: Definition,
): Promise<JsonObject | undefined> {
  const steps = callbackSteps(definition);
  if (steps.length === 0) return undefined;
  const base = baseUrl(gateway);
  const key = await keyOf(client, secrets);
  const days = gateway.callbackDays;
  const expires = days === undefined ? never : Math.ceil(Date.now() / 1000) + days * 86_400;
  const urls = emptyObject();
  for (const step of steps) {
    const path = `${base}/api/v1/journeys/${encodeURIComponent(run.id)}/steps/${stepPath(step)}`;
    urls[step] = `${path}?${callbackParameter}=${tokenOf(key, uniqueRunId(run), step, expires)}`;
  }
  return urls;
}

/** Reports whether a token is valid for this step of the run with this unique id and has not expired. */
export async function isCallbackToken(
  client: Client,
  { secrets }: Pick<Settings, 'secrets'>,
  { run, address, token }: { run: string; address: string; token: string },
): Promise<boolean> {
  const expires = /^([0-9a-z]{1,9})\.[\w-]{43,64}$/.exec(token)?.[1];
  if (expires === undefined) return false;
  const until = Number.parseInt(expires, 36);
  const { stepId, item } = partsOfAddress(address);
  const key = await keyOf(client, secrets);
  const expected = Buffer.from(
    item === undefined ? tokenOf(key, run, stepId, until) : itemToken(tokenOf(key, run, itemsKey(stepId), until), item),
  );
  const given = Buffer.from(token);
  return (
    given.length === expected.length &&
    timingSafeEqual(given, expected) &&
    (until === never || Date.now() < until * 1000)
  );
}

/** `<Unix seconds in base 36>.<HMAC>`; run and step are part of the URL. */
function tokenOf(key: string, run: string, step: string, expires: number): string {
  const hmac = createHmac('sha256', key).update(canonical(['callback', run, step, expires]));
  return `${expires.toString(36)}.${hmac.digest('base64url')}`;
}

async function keyOf(client: Client, secrets: Config['secrets']): Promise<string> {
  if (Object.hasOwn(secrets, configured)) return secretReader(secrets)(configured).reveal();
  return await namespaceSecret(client);
}

function baseUrl({ publicUrl, host, port, tls }: Config['gateway']): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  if (isLoopback(host) && port > 0)
    return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]` : host}:${port}`;
  return refuse('CONFIG_MISSING', 'The journey uses callback URLs, and the public URL of the gateway is unknown.', {
    hint: 'Set gateway.publicUrl in the configuration.',
  });
}
