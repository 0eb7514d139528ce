import { createHmac } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { httpEffect } from '../../../../activities/http-call/http-effect.js';
import type { Json } from '../../../../src/base/json/value.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import { Secret } from '../../../../src/config/read-secret.js';
import { load } from '../../../../src/language/load-journey.js';
import { InProcessApis } from '../../../../src/service/in-process/apis-and-guards.js';
import { apiRequest } from '../../../support/api-request.js';
import { Bench } from './server.js';

const bench = new Bench();
afterEach(async () => {
  await bench.close();
  bench.seen.length = 0;
});

const key = 'shared-with-the-partner';
const hmac = (algorithm: string, text: string, encoding: 'hex' | 'base64') =>
  createHmac(algorithm, key).update(text).digest(encoding);

/** Runs an Api with one signed call; returns the request and the input of the effect. */
async function signedCall(sign: string, secret = (_: string) => new Secret(key)) {
  const url = await bench.serve((_, __, response) => response.end());
  const { definition, findings } = load({
    text: `
apiVersion: v1
kind: Api
metadata: { name: pay, version: 1.0.0 }
spec:
  start: pay
  states:
    pay:
      type: task
      task:
        kind: httpCall:v1
        method: POST
        url: "${url}/pay?x=1"
        headers: { X-Time: "\${context.at}" }
        body: { mapper: { lang: dataweave, expr: '{ amount: context.amount }' } }
        resultVar: paid
        sign: ${sign}
      next: done
    done: { type: succeed, outputVar: paid }
`,
  });
  expect(findings).toEqual([]);
  const handed: Json[] = [];
  const effect = httpEffect(bench.activity({ secret }));
  const http: typeof effect = (input, how) => {
    handed.push(input);
    return effect(input, how);
  };
  const request = apiRequest({ amount: 5, at: '1700000000' });
  const { body } = await new InProcessApis(loadConfig({ env: {} }), { http }).call(definition!, request);
  return { body, seen: bench.seen[0], handed: JSON.stringify(handed) };
}

it('signs the body with a secret that the run never sees', async () => {
  const { seen, handed } = await signedCall(
    '{ algorithm: hmac-sha256, secretRef: "secret://partner", header: X-Signature, prefix: "sha256=" }',
  );
  expect(seen!.headers['x-signature']).toBe(`sha256=${hmac('sha256', '{"amount":5}', 'hex')}`);
  expect(handed).toContain('secret://partner');
  expect(handed).not.toContain(key);
});

it('signs the parts of the request that the author lists', async () => {
  const { seen } = await signedCall(`
          algorithm: hmac-sha512
          secretRef: "secret://partner"
          header: X-Signature
          encoding: base64
          over: { mapper: { lang: dataweave, expr: 'request.method ++ " " ++ request.path ++ " " ++ request.headers."x-time" ++ "." ++ request.body' } }`);
  expect(seen!.headers['x-signature']).toBe(hmac('sha512', 'POST /pay?x=1 1700000000.{"amount":5}', 'base64'));
});

it('fails the call without sending it if the secret is missing', async () => {
  const { seen, body } = await signedCall('{ algorithm: hmac-sha1, secretRef: "secret://no", header: X-S }', () => {
    throw new Error('no such secret');
  });
  expect(seen).toBeUndefined();
  expect(body).toMatchObject({
    ok: false,
    error: {
      type: 'NETWORK',
      code: 'SECRET_UNAVAILABLE',
      message: 'the secret secret://no cannot be read (SECRET_UNAVAILABLE)',
    },
  });
});
