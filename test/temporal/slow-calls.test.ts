import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { asActivities } from '../../activities/activity.js';
import { httpEffect } from '../../activities/http-call/effect.js';
import { createHttpActivity } from '../../activities/http-call/http.js';
import { loadConfig } from '../../src/config/load.js';
import { type Backend, backend } from './support/backend.js';
import { type Rig, rig } from './support/rig.js';

const slowGet = (url: string, more: string, policies = '') => `
apiVersion: v1
kind: Journey
metadata: { name: slow-get, version: 1.0.0 }
spec:
  ${policies}
  start: get
  states:
    get: { type: task, task: { kind: "httpCall:v1", method: GET, url: "${url}/slow", ${more}, resultVar: r }, next: done }
    done: { type: succeed, outputVar: r }
`;

const policy = `policies: { httpResilience: { default: again, definitions: { again: { maxAttempts: 3, backoff: { kind: fixed, baseDelayMs: 10, maxDelayMs: 10 }, retryOn: [NETWORK_ERROR] } } } }`;

describe.concurrent('a slow GET', () => {
  async function worker(
    service: { close(): Promise<void> },
    onTestFinished: (then: () => Promise<void>) => void,
  ): Promise<Rig> {
    const { http: config } = loadConfig({ env: {} });
    const quiet = { warn: () => undefined, debug: () => undefined };
    const http = createHttpActivity({ http: config, log: quiet, loopbackAllowed: true });
    const rigged = await rig({ activities: asActivities({ http: httpEffect(http) }) });
    onTestFinished(async () => {
      await rigged.stop();
      await http.close();
      await service.close();
    });
    return rigged;
  }

  /** How many calls ran which way. */
  async function ways({ client }: Rig, id: string): Promise<{ local: number; ordinary: number }> {
    const { events } = await client.workflow.getHandle(id).fetchHistory();
    const all = events ?? [];
    return {
      local: all.filter((it) => it.markerRecordedEventAttributes?.markerName === 'core_local_activity').length,
      ordinary: all.filter((it) => it.activityTaskScheduledEventAttributes).length,
    };
  }

  it('FLT-1 is sent once and answered, after 2.5 s of a minute; the next one is an ordinary activity at once', async ({
    onTestFinished,
  }) => {
    const service: Backend = await backend(() => 2_500);
    const rigged = await worker(service, onTestFinished);
    const journey = slowGet(service.url, 'timeoutMs: 60000');
    const first = await rigged.start(journey);
    expect(first.outcome).toMatchObject({ phase: 'SUCCEEDED', output: { ok: true, status: 200 } });
    expect(service.seen).toHaveLength(1);
    expect(await ways(rigged, first.id)).toEqual({ local: 1, ordinary: 1 });
    const second = await rigged.start(journey);
    expect(second.outcome).toMatchObject({ phase: 'SUCCEEDED', output: { ok: true } });
    expect(service.seen).toHaveLength(2);
  });

  it('FLT-1 that never answers is sent maxAttempts times, each with its whole time', async ({ onTestFinished }) => {
    let count = 0;
    const server = createServer(() => {
      count++;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const close = () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      });
    const rigged = await worker({ close }, onTestFinished);
    const { outcome } = await rigged.start(slowGet(url, 'timeoutMs: 2500', policy));
    expect(outcome?.output).toMatchObject({
      ok: false,
      error: { type: 'TIMEOUT', message: 'no complete answer within 2500 ms' },
    });
    expect(count).toBe(3);
  });
});
