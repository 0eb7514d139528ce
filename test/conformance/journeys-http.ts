import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { JsonObject } from '../../src/base/json/value.js';
import { differences } from '../../src/scenarios/json-differences.js';
import { nodeProcess } from '../bench/processes.js';
import { hasKafka, startKafka } from '../support/services.js';
import { noteEnd } from './journeys-ends.js';
import { expectedRefusals } from './journeys-load-expected.js';
import { type Section, shared, type Tally } from './section.js';

const path = (relative: string, base = pathToFileURL(`${process.cwd()}/`)) => fileURLToPath(new URL(relative, base));

/** Sends a request to the product. */
type Ask = (method: 'GET' | 'POST', path: string, body?: JsonObject) => Promise<{ status: number; body: JsonObject }>;

/** Tests over HTTP what scenarios cannot play on a real server: dependence on the hour, schedules, brokers, rejections. */
async function overHttp(ask: Ask, withKafka: boolean): Promise<Tally> {
  const tally: Tally = { passed: 0, failures: [] };
  const expect = (id: string, answer: { status: number; body: JsonObject }, status: number, body: JsonObject) => {
    const seen = Object.fromEntries(Object.keys(body).map((key) => [key, answer.body[key] ?? null]));
    const wrong = differences({ status, body }, { status: answer.status, body: seen });
    if (wrong.length === 0) {
      tally.passed++;
      noteEnd(id, status === 503 ? 'REFUSED' : String(body.phase === 'FAILED' ? body.status : answer.body.phase));
    } else tally.failures.push({ id, line: JSON.stringify(answer) });
  };
  const start = (name: string, body: JsonObject) => ask('POST', `/api/v1/journeys/${name}/start`, body);

  for (const name of expectedRefusals.keys()) expect(name, await start(name, {}), 503, { code: 'JOURNEY_BROKEN' });

  const payment = { paymentId: 'P-5', customerId: 'C-1', amount: 99.5, currency: 'EUR' };
  const before = new Date().getUTCHours();
  const authorized = await start('business-hours-payment-authorization', payment);
  const isOpen = before >= 9 && new Date().getUTCHours() < 17;
  if (isOpen) expect('business-hours-payment-authorization', authorized, 200, { phase: 'SUCCEEDED' });
  else
    expect('business-hours-payment-authorization', authorized, 200, {
      phase: 'RUNNING',
      currentState: 'waitUntilBusinessOpen',
    });

  const plan = { paymentMethodRef: 'card-1', amount: 12.5, currency: 'EUR', interval: 'P1M', maxRuns: 12 };
  const recurring = { userId: 'u-1', ...plan };
  const scheduled = await start('recurring-payment', recurring);
  expect('recurring-payment', scheduled, 200, { phase: 'SUCCEEDED', status: 'SCHEDULED' });
  expect('recurring-payment / its first run', await firstRun(ask), 200, { runsExecuted: 1 });

  // The compensation is a separate run, and ends with an event.
  const failed = await start('http-compensation', { orderId: 'o-1', amount: 10, items: [] });
  expect('http-compensation', failed, 200, { phase: 'FAILED', status: 'ORDER_FAILED' });

  if (withKafka) {
    const { statusUrl = '' } = (failed.body.compensation ?? {}) as JsonObject;
    expect('http-compensation / what it undid', await ended(ask, String(statusUrl)), 200, { phase: 'SUCCEEDED' });
    const event = {
      orderId: 'o-1',
      amount: 12.5,
      status: 'PAID',
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    };
    expect('event-publish-kafka', await start('event-publish-kafka', event), 200, {
      phase: 'SUCCEEDED',
      output: event,
    });
  } else tally.remarks = ['event-publish-kafka was skipped: no broker is available (npm run services)'];
  return tally;
}

/** The run at this path when it has ended; waits up to a minute. */
async function ended(ask: Ask, path: string): Promise<{ status: number; body: JsonObject }> {
  for (let tries = 0; ; tries++) {
    const answer = await ask('GET', path);
    if (answer.body.phase !== 'RUNNING' || tries === 120) return answer;
    await sleep(500);
  }
}

/** The schedule of the recurring payment when its first run has ended; waits up to a minute. */
async function firstRun(ask: Ask): Promise<{ status: number; body: JsonObject }> {
  for (let tries = 0; ; tries++) {
    const { status, body } = await ask('GET', '/api/v1/schedules?subjectId=u-1');
    const [schedule = {}] = (body.items ?? []) as JsonObject[];
    if (schedule.runsExecuted === 1 || tries === 120) return { status, body: schedule };
    await sleep(500);
  }
}

/** The service that these journeys call. */
const origins = ['payments.example.com', 'billing.overlay.example', 'inventory.overlay.example'].map(
  (host) => `https://${host}`,
);

async function run(): Promise<Tally> {
  const folder = await mkdtemp(join(tmpdir(), 'journeyman-corpus-'));
  const service = createServer(({ method, url }, response) => {
    // Nothing can be reserved, so that an order fails and is compensated.
    response.statusCode = method === 'POST' && url === '/reservations' ? 409 : 200;
    response.setHeader('content-type', 'application/json').end('{"authorizationId":"A-1"}');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const backend = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const kafka = hasKafka ? await startKafka() : undefined;
  const product = await nodeProcess(['dist/src/cli/main.js', 'up'], 'Try:', {
    JOURNEYMAN_SPECS: path('corpus/journeys', shared),
    JOURNEYMAN_CATALOGUE_ROOT: path('corpus/', shared),
    JOURNEYMAN_CATALOGUE_OVERLAYS: path('test/fixtures/overlay'),
    JOURNEYMAN_HTTP_REWRITE: JSON.stringify(Object.fromEntries(origins.map((origin) => [origin, backend]))),
    ...(kafka && { JOURNEYMAN_KAFKA_BROKERS: kafka.address }),
    JOURNEYMAN_SERVER_DATA_DIR: folder,
    JOURNEYMAN_SERVER_IN_MEMORY: 'true',
    JOURNEYMAN_SERVER_PORT: '0',
    JOURNEYMAN_SERVER_UI_PORT: '0',
    JOURNEYMAN_GATEWAY_PORT: '0',
    JOURNEYMAN_LOG_LEVEL: 'fatal',
  });
  try {
    const url = /^Gateway +(\S+)/m.exec(product.printed())?.[1];
    if (url === undefined) throw new Error(`no gateway in ${product.printed()}`);
    return await overHttp(async (method, route, body) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}${route}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      return { status: answer.status, body: (await answer.json()) as JsonObject };
    }, kafka !== undefined);
  } finally {
    await product.stop();
    await kafka?.stop();
    service.close();
    await rm(folder, { recursive: true, force: true });
  }
}

export const journeyHttpSections: Section[] = [
  {
    name: 'journeys: features that scenarios cannot play, over HTTP',
    run: async () =>
      existsSync(new URL('corpus/journeys/', shared))
        ? run()
        : { skipped: 'the shared corpus is not here (../shared/corpus/journeys)' },
  },
];
