import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createHttpClient, type HttpClient } from '../../activities/http-call/http-client.js';
import { loadConfig } from '../../src/config/load-config.js';
import { createChannels } from '../../src/gateway/channels/create-channels.js';
import type { Envelope } from '../../src/schedules/jobs/dispatch-envelope.js';
import type { Channels } from '../../src/service/channel-interface.js';
import { eventually } from '../support/eventually.js';
import { FakeSlack } from '../support/slack.js';
import { historyTexts } from './support/encryption.js';
import { endedRuns, type JobRig, job, jobRig, soon } from './support/jobs.js';
import { journeyOf } from './support/rig.js';

const dying = fileURLToPath(new URL('./support/dying-poster.mjs', import.meta.url));
const postMessage = readFileSync(new URL('../../specs/post-message.journey.yaml', import.meta.url), 'utf8');

let slack: FakeSlack;
let http: HttpClient;
let rigged: JobRig;
beforeAll(async () => {
  slack = await FakeSlack.start();
  const { http: config } = loadConfig({ cwd: '/nowhere', env: {} });
  http = createHttpClient({ http: config, log: { warn() {}, debug() {} }, loopbackAllowed: true });
  const profile = { channel: 'slack' as const, slack: { token: { env: 'TOKEN' }, apiUrl: slack.url } };
  const channels: Channels = createChannels({ slack_main: profile }, http, { env: { TOKEN: slack.token } });
  rigged = await jobRig({ channels });
  rigged.functions.set('test.hello', async () => ({ text: 'hello world', draft: { kind: 'question', state: {} } }));
  const definition = journeyOf(postMessage);
  rigged.journeys.set(definition.name, definition);
});
afterAll(async () => {
  await rigged.stop();
  await http.close();
  await slack.stop();
});

const inTeam = { channel: 'slack', channelProfileId: 'slack_main', channelId: 'C100', postingMode: 'channel_post' };

/** A request in #ops, to be answered there. */
function asking(): { envelope: Envelope; thread: string } {
  const thread = slack.say('who is there?', { channel: 'C200' }).event.ts;
  const envelope: Envelope = {
    executionId: `channel-${randomUUID()}`,
    jobId: null,
    triggeredAt: new Date().toISOString(),
    orchestratorId: 'main',
    origin: 'channel',
    requestedBy: { caller: 'slack_main' },
    targetAction: { type: 'command_invoke', functionId: 'test.hello' },
    targetRef: { ...inTeam, channelId: 'C200', postingMode: 'thread_reply', threadTs: thread },
  };
  return { envelope, thread };
}

async function ended({ executionId }: Envelope) {
  return await eventually(
    () => rigged.dispatcher.show('main', executionId),
    (run) => run.result !== null,
  );
}

describe('posting the output of a run to Slack', () => {
  it('R3-36 R3-39 R3-48 posts the output of the journey once, to the channel of the job', async () => {
    const targetAction = {
      type: 'workflow_start' as const,
      workflowId: 'post-message',
      inputs: { text: 'good morning' },
    };
    const made = await rigged.jobs.create(job({ schedule: soon(), targetAction, targetRef: inTeam }), 'a');
    const [run] = await endedRuns(rigged, made.jobId);
    expect(run?.result).toMatchObject({ outcome: 'succeeded' });
    expect(slack.said.filter(({ text }) => text === 'good morning')).toMatchObject([
      { channel: 'C100', metadata: { event_payload: { execution_id: run!.executionId } } },
    ]);
  });

  it('R3-47 R3-49 posts once to the thread if the worker dies between sending and recording', async () => {
    const { envelope, thread } = asking();
    await rigged.stopDispatching();
    const queue = rigged.rigged.config.temporal.taskQueue;
    const child = spawn(process.execPath, [dying, inject('temporalAddress'), queue, slack.url, slack.token], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const death = once(child, 'exit');
    await rigged.dispatcher.dispatch(envelope);
    expect(await death).toEqual([null, 'SIGKILL']);
    expect(slack.said.filter((it) => it.thread_ts === thread)).toHaveLength(1);
    await rigged.startDispatching();
    expect((await ended(envelope)).result).toMatchObject({ outcome: 'succeeded' });
    expect(slack.said.filter((it) => it.thread_ts === thread)).toMatchObject([
      { channel: 'C200', text: 'hello world' },
    ]);
    expect(slack.callsOf('conversations.replies')).toHaveLength(1);
  });

  it('R3-47 posts once, with the draft attached, if Slack’s response is lost', async () => {
    const { envelope, thread } = asking();
    slack.fail('chat.postMessage', { lost: true });
    await rigged.dispatcher.dispatch(envelope);
    expect((await ended(envelope)).result).toMatchObject({ outcome: 'succeeded' });
    expect(slack.said.filter((it) => it.thread_ts === thread)).toMatchObject([
      { metadata: { event_payload: { execution_id: envelope.executionId, note: '{"kind":"question","state":{}}' } } },
    ]);
  });

  it('waits as long as the rate limit requires', async () => {
    const { envelope, thread } = asking();
    slack.fail('chat.postMessage', { status: 429, retryAfter: 1 });
    await rigged.dispatcher.dispatch(envelope);
    expect((await ended(envelope)).result).toMatchObject({ outcome: 'succeeded' });
    expect(slack.said.filter((it) => it.thread_ts === thread)).toHaveLength(1);
  });

  it('posts the reason when a request cannot be carried out', async () => {
    const { envelope, thread } = asking();
    const targetAction = { type: 'command_invoke' as const, functionId: 'test.unknown' };
    await rigged.dispatcher.dispatch({ ...envelope, targetAction });
    expect((await ended(envelope)).result).toMatchObject({ outcome: 'failed', reason: { code: 'FUNCTION_UNKNOWN' } });
    expect(slack.said.filter((it) => it.thread_ts === thread)).toMatchObject([
      { text: expect.stringContaining('That cannot be done.') },
    ]);
  });

  it('R3-50 fails with the channel’s error, without the token in any history', async () => {
    const { envelope } = asking();
    const targetRef = { ...envelope.targetRef!, channelId: 'C404' };
    await rigged.dispatcher.dispatch({ ...envelope, targetRef });
    const { result } = await ended(envelope);
    expect(result).toMatchObject({
      outcome: 'failed',
      reason: { code: 'CHANNEL_REFUSED', message: 'Slack returned channel_not_found.' },
    });
    const history = (await historyTexts(rigged.rigged.client, envelope.executionId)).join();
    expect(history).toContain('channel_not_found');
    expect(history).not.toContain(slack.token);
  });
});
