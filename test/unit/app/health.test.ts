import { once } from 'node:events';
import { promises } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Client } from '@temporalio/client';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { processMetrics } from '../../../src/app/telemetry/metrics.js';
import { openHealth } from '../../../src/app/worker/health-endpoint.js';
import { watchServer } from '../../../src/app/worker/temporal-server-watch.js';

it('FLT-22 a probe reports whether the worker runs, and whether its server responds', async () => {
  const health = { running: true, ready: true };
  const { port, close } = await openHealth('127.0.0.1', 0, {
    isRunning: () => health.running,
    isReady: () => health.ready,
    metrics: processMetrics(),
  });
  onTestFinished(close);
  const asked = async () => {
    const answers = await Promise.all(['healthz', 'readyz'].map((path) => fetch(`http://127.0.0.1:${port}/${path}`)));
    return answers.map(({ status }) => status);
  };
  expect(await asked()).toEqual([200, 200]);
  health.ready = false;
  expect(await asked()).toEqual([200, 503]);
  health.running = false;
  expect(await asked()).toEqual([503, 503]);
  await expect(
    openHealth('127.0.0.1', port, { isRunning: () => true, isReady: () => true, metrics: processMetrics() }),
  ).rejects.toMatchObject({
    problem: { code: 'PORT_IN_USE', pointer: '/worker/healthPort' },
  });
});

it('FLT-4 metrics are served only to this machine under its own name, unless an operator allows more', async () => {
  const health = { isRunning: () => true, isReady: () => true, metrics: processMetrics() };
  const status = async (host: string, open: boolean) => {
    const { port, close } = await openHealth('127.0.0.1', 0, health, open);
    try {
      const [answer] = await once(get({ port, path: '/metrics', headers: { host } }), 'response');
      const read = await text(answer as IncomingMessage);
      return [(answer as IncomingMessage).statusCode, read.includes('process_cpu_seconds_total')];
    } finally {
      await close();
    }
  };
  expect(await status('localhost:9', false)).toEqual([200, true]);
  expect(await status('rebound.example', false)).toEqual([403, false]);
  expect(await status('worker-1:9', true)).toEqual([200, true]);
});

it('FLT-22 a lost server is logged once with its cause, and once when it is back', async () => {
  const lines: { msg: string; reason?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  let away = true;
  let asked = 0;
  const client = {
    options: { namespace: 'default' },
    withDeadline: (_: unknown, call: () => Promise<unknown>) => call(),
    workflowService: {
      describeNamespace: async () => {
        asked += 1;
        if (away) throw new Error('14 UNAVAILABLE: connect ECONNREFUSED');
      },
    },
  } as unknown as Client;
  const watch = watchServer(client, log, { intervalMs: 1 });
  onTestFinished(() => watch.stop());
  await expect.poll(() => asked).toBeGreaterThan(3);
  expect(watch.fault()).toContain('ECONNREFUSED');
  away = false;
  await expect.poll(() => watch.fault()).toBeUndefined();
  expect(lines.map(({ msg, reason }) => [msg, reason])).toEqual([
    ['The Temporal server does not respond; work resumes when it does', '14 UNAVAILABLE: connect ECONNREFUSED'],
    ['The Temporal server responds again', undefined],
  ]);
});

describe('GAP-27 readiness', () => {
  const silent = pino({ level: 'silent' });
  const call = { operation: 'StartWorkflowExecution', details: 'database or disk is full', ms: 1 };
  const clientOf = (describeNamespace: () => Promise<unknown>) =>
    ({
      options: { namespace: 'orders' },
      withDeadline: (_: unknown, call: () => Promise<unknown>) => call(),
      workflowService: { describeNamespace, getSystemInfo: async () => ({}) },
    }) as unknown as Client;

  it('depends on a call that reads the database: a server without one still returns its system info', async () => {
    let database = true;
    const client = clientOf(async () => {
      if (!database) throw new Error('14 UNAVAILABLE: no usable database connection found');
    });
    const watch = watchServer(client, silent, { intervalMs: 1 });
    onTestFinished(() => watch.stop());
    expect(watch.fault()).toBeUndefined();
    database = false;
    await expect.poll(() => watch.fault()).toContain('database');
    database = true;
    await expect.poll(() => watch.fault()).toBeUndefined();
  });

  it('is lost with a failed write, and returns with a successful one or after ten seconds', () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const watch = watchServer(
      clientOf(async () => ({})),
      silent,
    );
    onTestFinished(() => watch.stop());
    watch.recordCall({ ...call, status: 'UNAVAILABLE' });
    expect(watch.fault()).toBe('StartWorkflowExecution failed: database or disk is full');
    watch.recordCall({ ...call, status: 'OK' });
    expect(watch.fault()).toBeUndefined();
    watch.recordCall({ ...call, status: 'UNAVAILABLE' });
    vi.setSystemTime(Date.now() + 10_000);
    expect(watch.fault()).toBeUndefined();
  });

  it('is not lost with rejected writes or failed reads', () => {
    const watch = watchServer(
      clientOf(async () => ({})),
      silent,
    );
    onTestFinished(() => watch.stop());
    watch.recordCall({ ...call, status: 'ALREADY_EXISTS' });
    watch.recordCall({ ...call, operation: 'QueryWorkflow', status: 'UNAVAILABLE' });
    expect(watch.fault()).toBeUndefined();
  });

  it('GAP-26 is lost when the disk of the embedded server is full', async () => {
    const statfs = vi.spyOn(promises, 'statfs').mockResolvedValue({ bavail: 3, bsize: 4096 } as never);
    onTestFinished(() => statfs.mockRestore());
    const watch = watchServer(
      clientOf(async () => ({})),
      silent,
      { intervalMs: 1, folder: '/data' },
    );
    onTestFinished(() => watch.stop());
    await expect.poll(() => watch.fault()).toBe('The disk of /data is full');
    statfs.mockResolvedValue({ bavail: 1_000_000, bsize: 4096 } as never);
    await expect.poll(() => watch.fault()).toBeUndefined();
  });
});
