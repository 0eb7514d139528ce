import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Client } from '@temporalio/client';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { processMetrics } from '../../../src/app/metrics.js';
import { watchServer } from '../../../src/app/server-watch.js';
import { openHealth } from '../../../src/app/worker-health.js';

it('FLT-22 a probe learns whether the worker runs, and whether its server answers', async () => {
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

it('FLT-4 metrics are for whoever is on this machine and asks for it by its name, unless an operator opens them', async () => {
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
    withDeadline: (_: unknown, call: () => Promise<unknown>) => call(),
    workflowService: {
      getSystemInfo: async () => {
        asked += 1;
        if (away) throw new Error('14 UNAVAILABLE: connect ECONNREFUSED');
      },
    },
  } as unknown as Client;
  const watch = watchServer(client, log, 1);
  onTestFinished(() => watch.stop());
  await expect.poll(() => asked).toBeGreaterThan(3);
  expect(watch.answers()).toBe(false);
  away = false;
  await expect.poll(() => watch.answers()).toBe(true);
  expect(lines.map(({ msg, reason }) => [msg, reason])).toEqual([
    ['The Temporal server does not answer; work goes on when it does', '14 UNAVAILABLE: connect ECONNREFUSED'],
    ['The Temporal server answers again', undefined],
  ]);
});
