import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import { createHttpClient } from '../../activities/http-call/http-client.js';
import { httpEffect } from '../../activities/http-call/http-effect.js';
import { loadConfig } from '../../src/config/load-config.js';
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
    const http = createHttpClient({ http: config, log: quiet, loopbackAllowed: true });
    const rigged = await rig({ activities: asActivities({ http: httpEffect(http) }) });
    onTestFinished(async () => {
      await rigged.stop();
      await http.close();
      await service.close();
    });
    return rigged;
  }

  /** Counts the local and ordinary activities of a run. */
  async function callsOf({ client }: Rig, id: string): Promise<{ local: number; ordinary: number }> {
    const { events } = await client.workflow.getHandle(id).fetchHistory();
    const all = events ?? [];
    return {
      local: all.filter((it) => it.markerRecordedEventAttributes?.markerName === 'core_local_activity').length,
      ordinary: all.filter((it) => it.activityTaskScheduledEventAttributes).length,
    };
  }

  it('FLT-1 stays local to its end, and the next call of its origin is an ordinary activity', async ({
    onTestFinished,
  }) => {
    const service: Backend = await backend(() => 2_500);
    const rigged = await worker(service, onTestFinished);
    const journey = slowGet(service.url, 'timeoutMs: 10000');
    const first = await rigged.start(journey);
    expect(first.outcome).toMatchObject({ phase: 'SUCCEEDED', output: { ok: true, status: 200 } });
    expect(service.seen).toHaveLength(1);
    expect(await callsOf(rigged, first.journeyId)).toEqual({ local: 1, ordinary: 0 });
    const second = await rigged.start(journey);
    expect(second.outcome).toMatchObject({ phase: 'SUCCEEDED', output: { ok: true } });
    expect(service.seen).toHaveLength(2);
    expect(await callsOf(rigged, second.journeyId)).toEqual({ local: 1, ordinary: 1 });
  });

  it('FLT-1 with a timeout over ten seconds is an ordinary activity, even if the task requests a local one', async ({
    onTestFinished,
  }) => {
    const service: Backend = await backend(() => 0);
    const rigged = await worker(service, onTestFinished);
    const { journeyId, outcome } = await rigged.start(slowGet(service.url, 'timeoutMs: 10001, run: local'));
    expect(outcome).toMatchObject({ phase: 'SUCCEEDED', output: { ok: true } });
    expect(await callsOf(rigged, journeyId)).toEqual({ local: 0, ordinary: 1 });
  });

  it('FLT-1 that is never answered is sent maxAttempts times, each with its full timeout', async ({
    onTestFinished,
  }) => {
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
    const { journeyId, outcome } = await rigged.start(slowGet(url, 'timeoutMs: 2500', policy));
    expect(outcome?.output).toMatchObject({
      ok: false,
      error: { type: 'TIMEOUT', message: 'no complete answer within 2500 ms' },
    });
    expect(count).toBe(3);
    expect(await callsOf(rigged, journeyId)).toEqual({ local: 1, ordinary: 1 });
  });
});
