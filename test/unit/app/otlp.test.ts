import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { exportOptions } from '../../../src/app/otlp.js';
import { createTracer } from '../../../src/app/tracing.js';

it('TEL-1 nothing is traced unless OpenTelemetry’s variables say where to', () => {
  const at = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };
  expect(createTracer(() => undefined, {})).toBeUndefined();
  expect(exportOptions({ ...at, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
  expect(exportOptions({ ...at, OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
  expect(exportOptions({ ...at, OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=x%20y', OTEL_SERVICE_NAME: 'w' })).toEqual({
    url: 'http://collector:4318/v1/traces',
    headers: { a: '1', b: 'x y' },
    timeoutMs: 10_000,
    resource: { 'service.name': 'w' },
  });
  expect(() => exportOptions({ ...at, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow(/grpc/);
});

it('TEL-1 a collector that is away holds nothing up and is named once for each batch', async () => {
  const warned: object[] = [];
  const tracer = createTracer((fields) => warned.push(fields), { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })!;
  tracer.arrived(undefined).end({ name: 'GET', attributes: {}, status: 200 });
  // Who began the trace does not want it recorded.
  tracer
    .arrived({ parent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00' })
    .end({ name: 'GET', attributes: {} });
  await tracer.close();
  expect(warned).toEqual([{ reason: expect.any(String), spans: 1 }]);
});

it('TEL-1 a collector that never answers does not keep a process from stopping, however much waits', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const warned: object[] = [];
  const tracer = createTracer((fields) => warned.push(fields), {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
  })!;
  for (let i = 0; i < 2_000; i++) tracer.arrived(undefined).end({ name: 'GET', attributes: {}, status: 200 });
  await tracer.close();
  expect(warned.at(-1)).toMatchObject({ spans: 2_000 });
  silent.closeAllConnections();
  silent.close();
});
