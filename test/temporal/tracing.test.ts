import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import pino from 'pino';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startGateway } from '../../src/app/start-gateway.js';
import { libraryOf } from '../../src/service/library-interface.js';
import { collector } from '../support/collector.js';
import { journeyOf, type Rig, rig } from './support/rig.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

/** A stand-in for the called service. */
async function listening(heard: (headers: IncomingHttpHeaders) => void) {
  const server = createServer(async (request, response) => {
    heard(request.headers);
    await buffer(request);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

const marker = 'lavender-marker';
const journey = (url: string) => `
apiVersion: v1
kind: Journey
metadata: { name: traced, version: 1.2.0 }
spec:
  start: visit
  states:
    visit: { type: subjourney, subjourney: { ref: tell-them, input: { mapper: { lang: dataweave, expr: context } }, resultVar: told }, next: nap }
    nap: { type: timer, timer: { duration: PT0.1S }, next: end }
    end: { type: task, task: { kind: "httpCall:v1", method: GET, url: "${url}/${marker}", resultVar: got }, next: done }
    done: { type: succeed }
  subjourneys:
    tell-them:
      start: pause
      states:
        pause: { type: timer, timer: { duration: PT0.1S }, next: tell }
        tell: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${url}/tell", headers: { X-Secret: ${marker} }, body: { mapper: { lang: dataweave, expr: context } }, resultVar: r }, next: told }
        told: { type: succeed, outputVar: r }
`;

const called: IncomingHttpHeaders[] = [];
let collecting: Awaited<ReturnType<typeof collector>>;
let service: Awaited<ReturnType<typeof listening>>;
let rigged: Rig;
let worker: WorkerProcess;
beforeAll(async () => {
  collecting = await collector([429]);
  service = await listening((headers) => called.push(headers));
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collecting.url;
  process.env.OTEL_EXPORTER_OTLP_COMPRESSION = 'gzip';
  rigged = await rig({ worker: false });
  worker = await workerProcess({
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
    // Every task replays its run from the start.
    JOURNEYMAN_WORKER_MAX_CACHED_WORKFLOWS: '0',
  });
});
afterAll(async () => {
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  delete process.env.OTEL_EXPORTER_OTLP_COMPRESSION;
  await worker?.stop();
  await rigged?.stop();
  collecting?.close();
  service?.close();
});

it('HOME-5 TEL-1 one trace covers request, run, subjourney and calls, each span once and without values', async () => {
  const config = { ...rigged.config, gateway: { ...rigged.config.gateway, port: 0 } };
  const library = libraryOf([{ definition: journeyOf(journey(service.url)), hash: 'test' }]);
  const gateway = await startGateway(config, library, pino({ level: 'silent' }), inject('temporalAddress'));
  const [traceId, caller] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const answer = await fetch(`${gateway.url}/api/v1/journeys/traced/start`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      traceparent: `00-${traceId}-${caller}-01`,
      tracestate: 'vendor=1',
    },
    body: JSON.stringify({ who: marker }),
  });
  // It responds as soon as the run is idle.
  const { journeyId } = (await answer.json()) as { journeyId: string };
  expect(await rigged.client.workflow.getHandle(journeyId).result()).toMatchObject({ phase: 'SUCCEEDED' });
  await gateway.stop();
  await worker.stop();

  const { spans, requests } = collecting;
  const named = (name: string) => spans.filter((span) => span.name === name);
  const [request] = named('POST /api/v1/journeys/:name/start');
  const [run] = named('journey traced');
  const [visit] = named('tell-them');
  const [post] = named('POST');
  const [get] = named('GET');
  expect(spans.map(({ name }) => name).sort()).toEqual(
    ['GET', 'POST', 'POST /api/v1/journeys/:name/start', 'journey traced', 'tell-them'].sort(),
  );
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(request?.parentSpanId).toBe(caller);
  expect(run?.parentSpanId).toBe(request?.spanId);
  expect(visit?.parentSpanId).toBe(run?.spanId);
  expect(post?.parentSpanId).toBe(visit?.spanId);
  expect(get?.parentSpanId).toBe(run?.spanId);
  expect(called.map(({ traceparent, tracestate }) => [traceparent, tracestate])).toEqual([
    [`00-${traceId}-${post?.spanId}-01`, 'vendor=1'],
    [`00-${traceId}-${get?.spanId}-01`, 'vendor=1'],
  ]);
  expect(JSON.stringify(spans)).not.toContain(marker);
  expect(new Set(requests.map((headers) => headers['content-encoding']))).toEqual(new Set(['gzip']));
});

it.each(['hangs', 'refuses'])('HOME-5 runs end and the worker stops while its collector %s', async (how) => {
  const bad = await collector(Array.from({ length: 1_000 }, () => (how === 'hangs' ? 'hang' : 503)));
  const name = `traced-${how}`;
  const other = await rig({ worker: false });
  const traced = await workerProcess({
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: other.config.temporal.taskQueue,
    OTEL_EXPORTER_OTLP_ENDPOINT: bad.url,
    OTEL_EXPORTER_OTLP_TIMEOUT: '3600000',
    OTEL_BSP_SCHEDULE_DELAY: '1',
  });
  for (let i = 0; i < 3; i++) {
    const run = await other.start(journey(service.url).replace('name: traced', `name: ${name}`));
    const handle = other.client.workflow.getHandle(run.journeyId);
    expect(await handle.result()).toMatchObject({ phase: 'SUCCEEDED' });
  }
  await expect.poll(() => bad.requests.length).toBeGreaterThan(0);
  expect(await traced.stop()).toBe(0);
  await other.stop();
  bad.close();
});
