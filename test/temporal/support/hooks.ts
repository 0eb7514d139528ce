import { createHmac } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../../src/base/json/value.js';
import type { Answer } from './gateway.js';

const secret = 'whsec-of-the-tests';

/** Environment variables with the secret of every hook of the tests. */
export function hookEnvironment(): Record<string, string> {
  const file = join(mkdtempSync(join(tmpdir(), 'hooks-')), 'secret');
  writeFileSync(file, secret);
  return { JOURNEYMAN_SECRETS: JSON.stringify({ 'secret://shop/webhook': { file } }) };
}

/** A signed request to a hook; `more` replaces or adds headers. */
export async function deliver(
  url: string,
  hook: string,
  payload: Json,
  more: Record<string, string> = {},
): Promise<Answer> {
  const body = JSON.stringify(payload);
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const response = await fetch(`${url}/api/v1/hooks/${hook}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature, ...more },
    body,
  });
  return { status: response.status, body: (await response.json()) as JsonObject, headers: response.headers };
}
