import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cacheEffect, MemoryCache } from '../../activities/cache/redis-or-memory-cache.js';
import { asActivities } from '../../activities/effects-as-activities.js';
import { cookieCipher } from '../../activities/http-call/cookies/cookie-cipher.js';
import { jarOpener } from '../../activities/http-call/cookies/cookie-jar.js';
import { createHttpClient } from '../../activities/http-call/http-client.js';
import { httpEffect } from '../../activities/http-call/http-effect.js';
import { pluginEffect } from '../../activities/plugin/plugin-effect.js';
import { loadConfig } from '../../src/config/load-config.js';
import { Secret } from '../../src/config/read-secret.js';
import { load } from '../../src/language/load-journey.js';
import type { Plugin } from '../../src/language/tasks/plugin/plugin-interface.js';
import { vocabularyWith } from '../../src/library/load-plugins.js';
import { prepared } from '../support/prepared.js';
import { historyTexts } from './support/encryption.js';
import { type HttpGateway, httpGateway } from './support/gateway.js';
import { type Rig, rig } from './support/rig.js';
import { testSecret } from './support/secret.js';

const [cookie, key] = ['c00kie-value-1', 'signing-key-1'];
const quiet = { warn: () => undefined, debug: () => undefined, error: () => undefined };
const seen: { url: string; cookie?: string; signature?: string }[] = [];
const shout: Plugin = {
  kind: 'shout:v1',
  description: 'Says something loudly.',
  fields: { words: { type: 'template', required: true, description: 'What.' } },
  run: ({ words }) => String(words).toUpperCase(),
};

const service = createServer((request, response) => {
  const { cookie: sent, 'x-signature': signature } = request.headers;
  seen.push({ url: request.url!, ...(sent && { cookie: sent }), ...(signature && { signature: String(signature) }) });
  if (request.url === '/login') response.setHeader('set-cookie', [`session=${cookie}; Path=/`, 'other=2; Path=/']);
  if (request.url === '/logout') response.setHeader('set-cookie', 'other=; Path=/; Max-Age=0');
  response.end();
});
let rigged: Rig;
let gateway: HttpGateway;
let url: string;
const http = createHttpClient({
  http: loadConfig({ env: {} }).http,
  log: quiet,
  loopbackAllowed: true,
  secret: () => new Secret(key),
});

const journey = (mode: string) => `
apiVersion: v1
kind: Journey
metadata: { name: session, version: 1.0.0 }
spec:
  cookies:
    jar: { domains: [{ pattern: 127.0.0.1 }] }
    returnToClient: ${mode}
  start: login
  states:
    login: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${url}/login", resultVar: login }, next: both }
    both:
      type: parallel
      parallel:
        branches:
          - name: a
            start: out
            states:
              out: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${url}/logout", resultVar: out }, next: end }
              end: { type: succeed }
          - name: b
            start: pay
            states:
              pay:
                type: task
                task:
                  kind: "httpCall:v1"
                  method: POST
                  url: "${url}/pay"
                  body: signed
                  sign: { algorithm: hmac-sha256, secretRef: "secret://partner", header: X-Signature }
                  resultVar: paid
                next: end
              end: { type: succeed }
        join: { strategy: allOf }
      next: profile
    profile: { type: task, task: { kind: "httpCall:v1", method: GET, url: "${url}/profile", resultVar: profile }, next: done }
    done: { type: succeed, outputVar: login }
`;

beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const activities = asActivities({
    http: httpEffect(http, jarOpener(cookieCipher(async () => testSecret))),
    cache: cacheEffect(new MemoryCache(10, 10_000), 60, quiet),
    plugin: pluginEffect([shout], async () => '', quiet),
  });
  rigged = await rig({ activities });
  gateway = await httpGateway(rigged, [journey('{ mode: filtered, include: { names: [session] } }')]);
});

afterAll(async () => {
  await gateway.stop();
  await rigged.stop();
  await http.close();
  service.close();
});

it('cookies pass between calls and to the client; neither cookies nor signing keys are in the history', async () => {
  const { status, body, headers } = await gateway.post('/journeys/session/start');
  expect({ status, phase: body.phase }).toEqual({ status: 200, phase: 'SUCCEEDED' });
  expect(headers.getSetCookie()).toEqual([`session=${cookie}; Path=/`]);
  expect(body.output).toMatchObject({ headers: { 'set-cookie': 'session=[sealed]; Path=/\nother=[sealed]; Path=/' } });
  const by = (path: string) => seen.find((it) => it.url === path);
  expect(by('/pay')?.cookie).toBe(`session=${cookie}; other=2`);
  expect(by('/pay')?.signature).toMatch(/^[0-9a-f]{64}$/);
  expect(by('/profile')?.cookie).toBe(`session=${cookie}`);
  const id = String(body.journeyId);
  const result = await gateway.get(`/journeys/${id}/result`);
  expect(result.headers.getSetCookie()).toEqual([`session=${cookie}; Path=/`]);
  const text = (await historyTexts(rigged.client, id)).join();
  const found = ['session=[sealed]', cookie, key, by('/pay')!.signature!].map((it) => text.includes(it));
  expect(found).toEqual([true, false, false, false]);
  expect(JSON.stringify([body, result.body])).not.toContain('c1.');
});

it('a plugin and the cache work on a real server whose worker loads the plugin by name', async () => {
  const text = `
apiVersion: v1
kind: Journey
metadata: { name: loud, version: 1.0.0 }
spec:
  start: say
  states:
    say: { type: task, task: { kind: "shout:v1", words: "hello \${context.name}", resultVar: said }, next: keep }
    keep: { type: task, task: { kind: "cache:v1", operation: put, key: { mapper: { lang: dataweave, expr: context.name } }, value: { mapper: { lang: dataweave, expr: context.said } } }, next: look }
    look: { type: task, task: { kind: "cache:v1", operation: get, key: { mapper: { lang: dataweave, expr: context.name } }, resultVar: found }, next: done }
    done: { type: succeed, outputVar: found }
`;
  const { definition } = load({ text }, { words: vocabularyWith([shout]) });
  const view = await rigged.runs.start({ ...prepared(definition!, { name: 'Ada' }), mode: 'sync', caller: 'test' });
  expect(view.outcome).toMatchObject({ phase: 'SUCCEEDED', output: 'HELLO ADA' });
});
