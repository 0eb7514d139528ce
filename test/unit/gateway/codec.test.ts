import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { jsonCodec } from '../../../src/temporal/encryption/payload-codec.js';
import { gateway } from './harness.js';

const hash = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`;
const apiKeys = (['operator', 'client'] as const).map((role) => ({
  id: role,
  hash: hash(`jm_${role}`),
  roles: [role],
}));
const [ui, key] = ['https://temporal.example.com', randomBytes(32)];
const codec = { ...jsonCodec(new Map([['k', key]])), origins: [ui] };
const base64 = (text: string) => Buffer.from(text).toString('base64');
const plain = { metadata: { encoding: base64('json/plain') }, data: base64('{"said":"hello"}') };

async function ask(path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST') {
  const { send } = await gateway({ codec, apiKeys });
  return await send(`/codec/${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: 'Bearer jm_operator', ...headers },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  });
}

it('ENC-4 encrypts and decrypts for operators, in the format of Temporal’s tools', async () => {
  const encoded = (await ask('encode', { payloads: [plain] })).body as { payloads: (typeof plain)[] };
  expect(JSON.stringify(encoded)).not.toContain(plain.data);
  expect((await ask('decode', { payloads: [...encoded.payloads, plain] })).body).toEqual({
    payloads: [plain, plain],
  });
  // What the CLI sends for an empty list.
  expect((await ask('decode', {})).body).toEqual({ payloads: [] });
});

it('ENC-4 rejects clients, unauthenticated callers and invalid payloads', async () => {
  expect((await ask('decode', {}, { authorization: 'Bearer jm_client' })).status).toBe(403);
  expect((await ask('decode', {}, { authorization: '' })).status).toBe(401);
  const foreign = await jsonCodec(new Map([['other', key]])).encode([plain]);
  const altered = await jsonCodec(new Map([['k', randomBytes(32)]])).encode([plain]);
  for (const payloads of ['x', [1], [{ data: 7 }], [{ metadata: { encoding: '?' } }], foreign, altered]) {
    expect((await ask('decode', { payloads })).body).toMatchObject({ status: 422, code: 'PAYLOADS_INVALID' });
  }
});

it('ENC-4 allows CORS for the configured Web UIs only', async () => {
  const preflight = await ask('decode', {}, { origin: ui }, 'OPTIONS');
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, ui]);
  const answer = await ask('decode', {}, { origin: ui });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, ui]);
  const other = await ask('decode', {}, { origin: 'https://evil.example.com' }, 'OPTIONS');
  expect(other.headers.get('access-control-allow-origin')).toBeNull();
});
