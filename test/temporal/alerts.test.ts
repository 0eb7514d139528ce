import { createHmac, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { prepareNamespace } from '../../src/app/prepare-namespace.js';
import type { JsonObject } from '../../src/base/json/value.js';
import { findFaults } from '../../src/service/operation/faults-and-attention.js';
import { orchestratorsOf } from '../../src/service/orchestrators.js';
import { TemporalPipelines } from '../../src/temporal/pipelines/temporal-pipelines.js';
import { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import { describeSchedule } from '../../src/temporal/schedules/describe-schedule.js';
import { TemporalJobs } from '../../src/temporal/schedules/jobs/temporal-jobs.js';
import { msToTs } from '../../src/temporal/sdk-internals.js';
import { FakeSlack } from '../support/slack.js';
import { handling, lineOf, PipelineRig } from './support/pipelines.js';
import { type Rig, rig, startBroken } from './support/rig.js';
import { gatewayProcess, type WorkerProcess, workerProcess } from './support/worker-process.js';

let rigged: Rig;
beforeAll(async () => {
  rigged = await rig();
});
afterAll(async () => {
  await rigged.stop();
});

const patience = { timeout: 30_000, interval: 200 };

const faults = async () => {
  const { client, config, runs } = rigged;
  return await findFaults({
    runs,
    pipelines: new TemporalPipelines(client, config),
    schedules: new TemporalSchedules(client, config),
    jobs: new TemporalJobs(client, config),
    orchestrators: orchestratorsOf(config),
  });
};

const compensated = (mode: string, refund: string, alsoFor = '') => `
apiVersion: v1
kind: Journey
metadata: { name: compensated-${mode}, version: 1.0.0, tags: [orders] }
spec:
  lifecycle: { startMode: async }
  start: sold
  states:
    sold: ${alsoFor === '' ? '{ type: fail, errorCode: SOLD_OUT, reason: Sold out }' : '{ type: succeed }'}
  compensation:
    mode: ${mode}
    ${alsoFor}
    start: refund
    states:
      refund: ${refund}
`;

describe('HOME-6 failed compensations', () => {
  const fails = '{ type: fail, errorCode: NO_REFUND, reason: The bank is closed }';

  it('are found inside their run, even a successful one, and as separate runs', async () => {
    const inside = await rigged.start(compensated('sync', fails));
    const afterSuccess = await rigged.start(
      compensated('sync', fails, 'alsoFor: [{ when: { predicate: { lang: dataweave, expr: "true" } } }]'),
    );
    const apart = await rigged.start(compensated('async', fails));
    const fine = await rigged.start(compensated('sync', '{ type: succeed }'));
    const found = async () => (await faults()).failedCompensations.map(({ journeyId }) => journeyId);
    const wanted = [inside.journeyId, afterSuccess.journeyId, `${apart.journeyId}-compensation`];
    await expect.poll(found, patience).toEqual(expect.arrayContaining(wanted));
    expect(await rigged.client.workflow.getHandle(fine.journeyId).result().catch(String)).toMatch(/SOLD_OUT|Failed/i);
    for (const other of [fine.journeyId, apart.journeyId]) expect(await found()).not.toContain(other);
    // The attribute they are found by is not one of the run's.
    expect((await rigged.runs.status(inside.journeyId)).status.tags).toEqual(['orders']);
  });
});

/** A receiver of alerts: `statuses` are its first answers, then it accepts. */
async function receiver(secret: string, statuses: number[]) {
  const attempts: { key: string; status: number; signed: boolean; text: string; profile: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const { text, targetRef } = JSON.parse(body) as { text: string; targetRef: { channelProfileId: string } };
    const stamp = String(request.headers['x-journeyman-timestamp']);
    const wanted = `v1=${createHmac('sha256', secret).update(`v1:${stamp}:${body}`).digest('hex')}`;
    const signed =
      request.headers['x-journeyman-signature'] === wanted && Math.abs(Date.now() / 1_000 - Number(stamp)) < 300;
    const status = statuses.shift() ?? 200;
    const key = String(request.headers['idempotency-key']);
    attempts.push({ key, status, signed, text, profile: targetRef.channelProfileId });
    response.writeHead(status, { 'retry-after': '1' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`,
    attempts,
    /** The delivered messages that contain a text. */
    about: (part: string) => attempts.filter(({ status, text }) => status === 200 && text.includes(part)),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const doomed = `
apiVersion: v1
kind: Journey
metadata: { name: doomed, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: sold
  states: { sold: { type: fail, errorCode: SOLD_OUT, reason: Sold out } }
  compensation:
    mode: sync
    start: refund
    states: { refund: { type: fail, errorCode: NO_REFUND, reason: The bank is closed } }
`;

describe('HOME-6 alerts of several gateways', () => {
  const namespace = `alerts-${randomUUID()}`;
  const secret = `secret-${randomUUID()}`;
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
  const logged: string[] = [];
  let at: Awaited<ReturnType<typeof receiver>>;
  let slack: FakeSlack;
  let own: Rig;
  let pipelines: PipelineRig;
  let worker: WorkerProcess;
  const gateways: Awaited<ReturnType<typeof gatewayProcess>>[] = [];

  const environment = () => ({
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_NAMESPACE: namespace,
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: own.config.temporal.taskQueue,
    JOURNEYMAN_CONFIG: join(folder, 'journeyman.config.yaml'),
    JOURNEYMAN_GATEWAY_PORT: '0',
    ALERT_SECRET: secret,
    SLACK_TOKEN: slack.token,
  });
  const gateway = async () => {
    const it = await gatewayProcess({ ...environment(), JOURNEYMAN_LOG_LEVEL: 'info' }, (line) => logged.push(line));
    gateways.push(it);
    return it;
  };

  beforeAll(async () => {
    // The first message is retried.
    at = await receiver(secret, [503]);
    slack = await FakeSlack.start();
    const { workflowService } = rigged.client;
    await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs(86_400_000) });
    const config = { ...rigged.config, temporal: { ...rigged.config.temporal, namespace } };
    // A new namespace takes a moment to reach all parts of the server.
    const prepared = () =>
      prepareNamespace(config).then(
        () => true,
        () => false,
      );
    await vi.waitUntil(prepared, patience);
    own = await rig({ worker: false, env: { TEMPORAL_NAMESPACE: namespace } });
    pipelines = new PipelineRig(own);
    writeFileSync(join(folder, 'doomed.journey.yaml'), doomed);
    writeFileSync(
      join(folder, 'journeyman.config.yaml'),
      `
specs: .
channelProfiles:
  ops: { channel: webhook, orchestratorId: main, webhook: { url: "${at.url}", secret: { env: ALERT_SECRET } } }
  chat:
    channel: slack
    orchestratorId: main
    channels: { '#ops': C100 }
    slack: { token: { env: SLACK_TOKEN }, apiUrl: "${slack.url}" }
alerts:
  to: [{ channelProfileId: ops }, { channelProfileId: chat, channelId: '#ops' }]
  journeys: [doom*]
  everySec: 1
  windowSec: 3
`,
    );
    worker = await workerProcess(environment());
    await Promise.all([gateway(), gateway()]);
  });
  afterAll(async () => {
    for (const it of gateways) await it.stop();
    await worker?.stop();
    await own?.stop();
    at?.close();
    await slack?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('one gateway sends each signed alert once, retries it under the same key, and does not repeat it after a restart', async () => {
    await pipelines.deploy(lineOf('vans'), [handling('handle')]);
    await pipelines.pipelines.pause('vans', 'The van is broken');
    await expect.poll(() => at.about('vans').length, patience).toBe(1);
    expect(at.attempts.map(({ status }) => status)).toEqual([503, 200]);
    const [message] = at.about('vans');
    expect(new Set(at.attempts.map(({ key }) => key))).toEqual(new Set([message!.key]));
    expect(at.attempts.every(({ signed, profile }) => signed && profile === 'ops')).toBe(true);
    expect(message!.text).toMatch(
      /^Journeyman \(alerts-.*\): 1 thing needs a person\.\nPipelines:\n• vans: Paused since .*The van is broken.* http:\/\/127\.0\.0\.1:\d+\/console\/pipelines\/vans$/,
    );
    const posted = () => slack.said.filter(({ text }) => text.includes('vans'));
    await expect.poll(posted, patience).toMatchObject([{ channel: 'C100', text: message!.text }]);
    await Promise.all(gateways.splice(0).map((it) => it.kill9()));
    await Promise.all([gateway(), gateway()]);
    // Several searches by both gateways.
    await sleep(4_000);
    expect(at.attempts).toHaveLength(2);
    expect(posted()).toHaveLength(1);
  });

  it('failed runs of selected journeys and failed compensations share a message with links', async () => {
    const [first] = gateways;
    for (let i = 0; i < 3; i++) await fetch(`${first!.url}/api/v1/journeys/doomed/start`, { method: 'POST' });
    const reported = () => at.about('Failed runs:').flatMap(({ text }) => text.match(/runs\/[\w-]+|\d+ runs/g) ?? []);
    await expect.poll(() => at.about('Failed compensations:').length, patience).toBeGreaterThan(0);
    await expect.poll(reported, patience).not.toEqual([]);
    expect(
      at
        .about('doomed: ')
        .map(({ text }) => text)
        .join('\n'),
    ).toMatch(/failed with SOLD_OUT\. See why.*http:/);
  });

  it('agree with the console’s home page, and report when a problem is over', async () => {
    const [first] = gateways;
    const blocked = await startBroken(own);
    const attention = async () => (await (await fetch(`${first!.url}/api/v1/attention`)).json()) as JsonObject;
    await expect.poll(attention, patience).toMatchObject({
      pipelines: [{ name: 'vans' }],
      blockedRuns: [{ journeyId: blocked.workflowId }],
      failedCompensations: [{ journeyName: 'doomed' }, { journeyName: 'doomed' }, { journeyName: 'doomed' }],
    });
    await expect.poll(() => at.about(`/console/runs/${blocked.workflowId}`).length, patience).toBe(1);
    const series = async () => {
      const metrics = await (await fetch(`${first!.url}/metrics`)).text();
      return Object.fromEntries(
        [...metrics.matchAll(/^journeyman_alerts\{kind="(\w+)"\} (\d+)$/gm)].map(([, kind, n]) => [kind, Number(n)]),
      );
    };
    const wanted = { pipeline: 1, blockedRun: 1, compensation: 3, failedRun: 3, job: 0, schedule: 0 };
    await expect.poll(series, patience).toEqual(wanted);

    await pipelines.pipelines.resume('vans');
    await blocked.terminate();
    await expect
      .poll(
        () =>
          at
            .about('No longer a problem')
            .map(({ text }) => text)
            .join('\n'),
        patience,
      )
      .toMatch(/pipelines: vans/);
    await expect.poll(() => at.about('blocked runs: journey').length, patience).toBe(1);
    expect(at.about('• vans: ')).toHaveLength(1);
  });

  it('are logged once; their secret is neither in the log nor on the server', async () => {
    const record = await describeSchedule(own.client, `journeyman-alerts-${own.config.temporal.taskQueue}`);
    const kept = JSON.stringify(record?.memo);
    expect(kept).toContain('quietUntil');
    expect(`${kept}${logged.join('\n')}`).not.toContain(secret);
    expect(`${kept}${logged.join('\n')}`).not.toContain(slack.token);
    const entries = logged.map((line) => JSON.parse(line) as JsonObject);
    expect(entries.filter(({ code, id }) => code === 'ALERT' && id === 'pipeline vans')).toHaveLength(1);
    expect(entries.filter(({ code, kind }) => code === 'ALERT_RECOVERED' && kind === 'pipeline')).toHaveLength(1);
  });
});
