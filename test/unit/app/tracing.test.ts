import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTracer, type ProcessTracer } from '../../../src/app/telemetry/tracing.js';
import { collector } from '../../support/collector.js';

const warned: { fields: object; message: string }[] = [];
const opened: { close(): void }[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  warned.length = 0;
  for (const it of opened.splice(0)) it.close();
});

async function collecting(...args: Parameters<typeof collector>) {
  const it = await collector(...args);
  opened.push(it);
  return it;
}

async function tracerWith(env: Record<string, string>): Promise<ProcessTracer | undefined> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return await createTracer((fields, message) => warned.push({ fields, message }));
}

const at = (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
const request = { name: 'GET', attributes: {}, status: 200 };
const caller = '4bf92f3577b34da6a3ce929d0e0e4736';
const ended = { run: 'r-1', frame: '', name: 'j', version: '1', kind: 'Journey', phase: 'SUCCEEDED' } as const;
const pem = (name: string) => fileURLToPath(new URL(`../../fixtures/certs/${name}.pem`, import.meta.url));

describe('HOME-5 the OpenTelemetry variables', () => {
  it('turn tracing on only with an endpoint', async () => {
    expect(await tracerWith({})).toBeUndefined();
    expect(await tracerWith({ ...at('http://collector:4318'), OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    vi.unstubAllEnvs();
    expect(await tracerWith({ ...at('http://collector:4318'), OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
  });

  it('are rejected if they name gRPC or an invalid address', async () => {
    await expect(tracerWith({ ...at('http://c:4318'), OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).rejects.toThrow(/grpc/);
    vi.unstubAllEnvs();
    await expect(tracerWith(at('nowhere'))).rejects.toThrow(/nowhere/);
  });

  it('set headers, service name, compression and certificate', async () => {
    const server = readFileSync(pem('server'), 'utf8');
    const secure = await collecting([], { key: server, cert: server });
    const tracer = await tracerWith({
      ...at(`${secure.url}/`),
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=x%20y',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_CERTIFICATE: pem('ca'),
      OTEL_SERVICE_NAME: 'w',
    });
    tracer!.arrived(undefined).end(request);
    await tracer!.close();
    expect(warned).toEqual([]);
    expect(secure.requests).toMatchObject([{ a: '1', b: 'x y', 'content-encoding': 'gzip' }]);
    expect([...secure.services]).toEqual(['w']);
    expect(secure.spans).toMatchObject([{ name: 'GET', kind: 2 }]);
  });

  it('set the sampler, which decides the same for a run and its calls in any process', async () => {
    const { url, spans } = await collecting();
    const env = { ...at(url), OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' };
    const [worker, other] = [await tracerWith(env), await tracerWith(env)];
    for (let i = 0; i < 40; i++) {
      const run = `run-${i}`;
      const call = other!.calls({ run, frame: '/a' });
      call.end({ name: 'POST', attributes: {} });
      worker!.ended({ ...ended, run, frame: '/a', parent: '', from: 1, to: 2 });
      worker!.ended({ ...ended, run, from: 1, to: 2 });
    }
    await worker!.close();
    await other!.close();
    const traces = new Map<string, string[]>();
    for (const { traceId, kind } of spans) traces.set(traceId, [...(traces.get(traceId) ?? []), String(kind)]);
    expect([...traces.values()].map((kinds) => kinds.sort())).toEqual(
      Array.from({ length: traces.size }, () => ['1', '1', '3']),
    );
    expect(traces.size).toBeGreaterThan(0);
    expect(traces.size).toBeLessThan(40);
  });

  it('set the size of batches', async () => {
    const { url, requests, spans } = await collecting();
    const tracer = await tracerWith({ ...at(url), OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10' });
    for (let i = 0; i < 20; i++) tracer!.arrived(undefined).end(request);
    await tracer!.close();
    expect([requests.length, spans.length]).toEqual([2, 20]);
  });
});

describe('HOME-5 span ids and parents', () => {
  it('derive from the run, so a call names its parent in another process, and a repeated end is the same span', async () => {
    const { url, spans } = await collecting();
    const [worker, other] = [await tracerWith(at(url)), await tracerWith(at(url))];
    const trace = { parent: `00-${caller}-00f067aa0ba902b7-01`, state: 'vendor=1' };
    other!.calls({ run: 'r-1', frame: '/sub', ...trace }).end({ name: 'POST', attributes: {}, status: 404 });
    const { kind: _, ...sub } = { ...ended, frame: '/sub', parent: '', name: 'sub' };
    for (let twice = 0; twice < 2; twice++) worker!.ended({ ...sub, trace, from: 1, to: 2 });
    worker!.ended({ ...ended, trace, from: 1, to: 2, phase: 'FAILED', code: 'OUT_OF_STOCK' });
    await worker!.close();
    await other!.close();
    const run = spans.find(({ name }) => name === 'journey j');
    const subs = spans.filter(({ name }) => name === 'sub');
    const call = spans.find(({ name }) => name === 'POST');
    expect(run).toMatchObject({ traceId: caller, parentSpanId: '00f067aa0ba902b7', status: { code: 2 } });
    expect(subs).toHaveLength(2);
    expect(new Set(subs.map(({ spanId, parentSpanId }) => `${spanId} in ${parentSpanId}`))).toEqual(
      new Set([`${call?.parentSpanId} in ${run?.spanId}`]),
    );
    expect(call).toMatchObject({ traceId: caller, status: { code: 2 } });
  });

  it('of an unsampled trace are forwarded, and nothing is exported', async () => {
    const { url, requests } = await collecting();
    const tracer = await tracerWith(at(url));
    const span = tracer!.arrived({ parent: `00-${caller}-00f067aa0ba902b7-00`, state: 'vendor=1' });
    expect(span.context.parent).toMatch(new RegExp(`^00-${caller}-[0-9a-f]{16}-00$`));
    expect(span.context.state).toBe('vendor=1');
    span.end(request);
    await tracer!.close();
    expect(requests).toEqual([]);
  });
});

describe('HOME-5 spans sent to a collector', () => {
  it('are sent again after a 429', async () => {
    const { url, spans, requests } = await collecting([429]);
    const tracer = await tracerWith(at(url));
    tracer!.arrived(undefined).end(request);
    await tracer!.close();
    expect([requests.length, spans.length, warned]).toEqual([2, 1, []]);
  });

  it('are counted in the log if the collector rejects the batch', async () => {
    const { url } = await collecting([400]);
    const tracer = await tracerWith(at(url));
    tracer!.arrived(undefined).end(request);
    await tracer!.close();
    expect(warned).toMatchObject([{ fields: { reason: 'Bad Request', spans: 1 } }]);
  });

  it('do not delay the shutdown of a process if the collector never responds', async () => {
    const { url } = await collecting(Array.from({ length: 9 }, () => 'hang' as const));
    const tracer = await tracerWith({ ...at(url), OTEL_EXPORTER_OTLP_TIMEOUT: '600000' });
    for (let i = 0; i < 2_000; i++) tracer!.arrived(undefined).end(request);
    await tracer!.close();
    expect(warned.map(({ message }) => message)).toEqual(['The last spans could not be sent in time and may be lost']);
  });
});

it('HOME-5 a process without tracing does not load the OpenTelemetry SDK', () => {
  const script = `
    import { createRequire } from 'node:module';
    for (const part of ['start-gateway', 'worker/start-worker', 'telemetry/tracing']) await import(process.argv[1] + part + '.js');
    const { createTracer } = await import(process.argv[1] + 'telemetry/tracing.js');
    const loaded = () => Object.keys(createRequire(import.meta.url).cache).filter((it) => it.includes('@opentelemetry/sdk-trace')).length > 0;
    await createTracer(() => {});
    const before = loaded();
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:9';
    await (await createTracer(() => {})).close();
    console.log(JSON.stringify([before, loaded()]));
  `;
  const dist = new URL('../../../dist/src/app/', import.meta.url).href;
  const env = { ...process.env, NODE_OPTIONS: '' };
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script, dist], {
    env,
    encoding: 'utf8',
  });
  expect(JSON.parse(printed)).toEqual([false, true]);
});
