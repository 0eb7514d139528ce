import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ProcessPart } from '../../src/app/run-until-stopped.js';
import { startGateway } from '../../src/app/start-gateway.js';
import { loadConfig } from '../../src/config/load-config.js';
import { readLibrary } from '../../src/library/read-library.js';
import { eventually } from '../support/eventually.js';
import { bot, FakeSlack, slackHeaders } from '../support/slack.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

const specs = fileURLToPath(new URL('../../specs', import.meta.url));
const signingSecret = 'stand-in-signing-secret';

let slack: FakeSlack;
let url: string;
let gateway: ProcessPart | undefined;
let worker: WorkerProcess | undefined;

/** The whole product: a gateway, and a worker in a separate process, with a stand-in for Slack. */
beforeAll(async () => {
  slack = await FakeSlack.start();
  const cwd = mkdtempSync(join(tmpdir(), 'jm-said-'));
  writeFileSync(join(cwd, 'token'), slack.token);
  writeFileSync(join(cwd, 'signing'), signingSecret);
  const slackConfig = { token: { file: 'token' }, signingSecret: { file: 'signing' }, apiUrl: slack.url };
  writeFileSync(
    join(cwd, 'journeyman.config.yaml'),
    JSON.stringify({
      specs,
      temporal: { taskQueue: `request-${randomUUID()}` },
      gateway: { port: 0 },
      http: { egress: { allowLoopback: true } },
      orchestrators: { eng: { journeys: ['post-message'], functions: ['schedule.*'] } },
      channelProfiles: {
        slack_main: {
          channel: 'slack',
          orchestratorId: 'eng',
          timezone: 'America/Los_Angeles',
          channels: { '#team': 'C100' },
          slack: slackConfig,
        },
      },
    }),
  );
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress'), JOURNEYMAN_CONFIG: join(cwd, 'journeyman.config.yaml') };
  worker = await workerProcess(env);
  const config = loadConfig({ cwd, env });
  const started = await startGateway(config, await readLibrary(config), pino({ level: 'error' }));
  gateway = started;
  url = started.url;
});
afterAll(async () => {
  await gateway?.stop();
  await worker?.stop();
  await slack.stop();
});

async function deliver(event: object) {
  const body = JSON.stringify(event);
  const headers = { 'content-type': 'application/json', ...slackHeaders(body, signingSecret) };
  const answer = await fetch(`${url}/api/v1/channels/slack_main/events`, { method: 'POST', headers, body });
  return { status: answer.status, body: (await answer.json()) as { accepted?: boolean; executionId?: string } };
}

/** The app's messages in a thread; waits until it has posted so many. */
async function messagesIn(thread: string, count: number): Promise<string[]> {
  const look = async () => slack.said.filter((it) => it.thread_ts === thread).map((it) => it.text);
  return await eventually(look, (request) => request.length >= count);
}

describe('requests in Slack', () => {
  it('R3-18 to R3-20 R3-26 R3-28 R3-31 R3-48 SCH-D16 a job is proposed, confirmed and fired, and its output is posted once to the right channel', async () => {
    const request = slack.say(`<@${bot.user}> post hello world in #team every Friday at 9AM`, { channel: 'C200' });
    const thread = request.event.ts;
    const first = await deliver(request);
    expect(first).toMatchObject({ status: 200, body: { accepted: true } });
    expect((await deliver(request)).body).toEqual(first.body);
    const [proposal] = await messagesIn(thread, 1);
    expect(proposal).toContain('schedule.create');
    expect(proposal?.match(/ 09:00 \(UTC-0[78]:00/g)).toHaveLength(3);

    const yes = await deliver(slack.say('yes', { channel: 'C200', thread }));
    expect(yes.body.accepted).toBe(true);
    const [, done] = await messagesIn(thread, 2);
    const jobId = /job-eng-\w+/.exec(done ?? '')?.[0];
    expect(done).toContain('The job was created');

    const answer = await fetch(`${url}/api/v1/jobs/${jobId}/run-now?orchestratorId=eng`, { method: 'POST' });
    expect(answer.status).toBe(202);
    const look = async () => slack.messages.filter((it) => it.channel === 'C100');
    const arrived = await eventually(look, (messages) => messages.length > 0);
    expect(arrived).toMatchObject([{ text: 'hello world', ...bot }]);

    const show = await fetch(`${url}/api/v1/jobs/${jobId}?orchestratorId=eng`);
    expect(await show.json()).toMatchObject({
      orchestratorId: 'eng',
      state: 'enabled',
      createdBy: { caller: 'slack_main', channelProfileId: 'slack_main', senderId: 'U42' },
    });
    const history = async () => {
      const runs = await fetch(`${url}/api/v1/jobs/${jobId}/runs?orchestratorId=eng`);
      return ((await runs.json()) as { items: { result: { outcome: string } | null }[] }).items;
    };
    expect(await eventually(history, ([run]) => run?.result !== null && run !== undefined)).toMatchObject([
      { result: { outcome: 'succeeded' } },
    ]);
    expect(await look()).toHaveLength(1);
    expect(await messagesIn(thread, 2)).toHaveLength(2);
  });

  it('R3-21 questions are asked in the thread, which identifies the draft', async () => {
    const request = slack.say('post hello in #team every Friday', { channel: 'D100' });
    const thread = request.event.ts;
    await deliver(request);
    expect(await messagesIn(thread, 1)).toEqual([expect.stringMatching(/time/i)]);
    await deliver(slack.say('9am', { channel: 'D100', thread }));
    expect((await messagesIn(thread, 2))[1]).toContain('(yes/no)');
    await deliver(slack.say('no', { channel: 'D100', thread }));
    expect((await messagesIn(thread, 3))[2]).toBe('OK, nothing was changed.');
  });
});
