import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Problem, ProblemError } from '../../../../src/base/problems/problem.js';
import { writeText } from '../../../../src/gateway/channels/slack/slack-channel.js';
import { bot } from '../../../support/slack.js';
import { openSlack, post } from './harness.js';

async function refusal(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => expect.fail('was not refused'),
    (it: unknown) => it,
  );
  expect(error).toBeInstanceOf(ProblemError);
  return (error as ProblemError).problem;
}

describe('posting to Slack', () => {
  it('R3-48 channel_post posts in the channel, with the execution id in the metadata', async () => {
    const { slack, adapter } = await openSlack();
    const { messageId } = await adapter.post(post());
    expect(slack.said).toEqual([
      {
        channel: 'C100',
        ts: messageId,
        text: 'hello world',
        ...bot,
        metadata: { event_type: 'journeyman_message', event_payload: { execution_id: 'exec-1' } },
      },
    ]);
    expect(slack.calls.map((it) => it.method)).toEqual(['chat.postMessage']);
  });

  it('R3-48 R3-49 thread_reply posts in the thread and requires one', async () => {
    const { slack, adapter } = await openSlack();
    const { event } = slack.say('who is there?', { channel: 'C200' });
    await adapter.post(post({ channelId: 'C200', threadTs: event.ts }));
    expect(slack.said).toMatchObject([{ channel: 'C200', thread_ts: event.ts, text: 'hello world' }]);
    const noThread = { ...post().targetRef, postingMode: 'thread_reply' };
    expect(await refusal(adapter.post(post({ targetRef: noThread })))).toMatchObject({
      code: 'CHANNEL_REFUSED',
      reason: 'target_incomplete',
    });
    expect(slack.said).toHaveLength(1);
  });

  it.each(['channel', 'thread'])(
    'R3-47 a retry finds the message in a %s although the response was lost',
    async (place) => {
      const { slack, adapter } = await openSlack();
      slack.pageSize = 2;
      const { event } = slack.say('who is there?');
      const it = post(place === 'thread' ? { threadTs: event.ts } : {});
      slack.fail('chat.postMessage', { lost: true });
      expect(await refusal(adapter.post(it))).toMatchObject({ code: 'CHANNEL_UNREACHABLE', status: 503 });
      // Other people post in the meantime, one of them about the same execution: only our own messages count.
      const foreign = { event_type: 'journeyman_message', event_payload: { execution_id: 'exec-2' } };
      for (const text of ['a', 'b', 'c']) slack.say(text, place === 'thread' ? { thread: event.ts } : {});
      const there = place === 'thread' ? { thread_ts: event.ts } : {};
      slack.keep({ channel: 'C100', text: 'mine', user: 'U9', bot_id: 'B9', metadata: foreign, ...there });
      const askedAt = new Date().toISOString();
      const again = await adapter.post({ ...it, firstAttempt: false, askedAt });
      expect(again.messageId).toBe(slack.said[0]?.ts);
      expect(slack.said).toHaveLength(1);
      await adapter.post({ ...it, executionId: 'exec-2', firstAttempt: false, askedAt });
      expect(slack.said.map((message) => message.metadata?.event_payload.execution_id)).toEqual(['exec-1', 'exec-2']);
    },
  );

  it('R3-47 a retry finds the earlier message', async () => {
    const { slack, adapter } = await openSlack();
    const { firstAttempt: _, ...it } = post();
    for (let i = 0; i < 3; i++) await adapter.post(it);
    expect(slack.said).toHaveLength(1);
  });

  it('R3-47 searches only since the first attempt', async () => {
    const { slack, adapter } = await openSlack();
    await adapter.post(post({ firstAttempt: false, askedAt: '2030-01-31T09:00:00Z' }));
    expect(slack.callsOf('conversations.history')).toMatchObject([
      { args: { oldest: String(Date.parse('2030-01-31T08:58:00Z') / 1000), include_all_metadata: 'true' } },
    ]);
  });

  it.each([
    ['channel_not_found', 'CHANNEL_REFUSED', 422],
    ['not_in_channel', 'CHANNEL_REFUSED', 422],
    ['invalid_auth', 'CHANNEL_REFUSED', 422],
    ['internal_error', 'CHANNEL_UNREACHABLE', 503],
    ['service_unavailable', 'CHANNEL_UNREACHABLE', 503],
  ])('R3-50 %s is %s', async (reason, code, status) => {
    const { slack, adapter } = await openSlack();
    slack.fail('chat.postMessage', { error: reason });
    expect(await refusal(adapter.post(post()))).toMatchObject({ code, status, reason });
    expect(slack.calls).toHaveLength(1);
  });

  it('R3-50 an unknown channel is detected when posting', async () => {
    const { adapter } = await openSlack();
    expect(await refusal(adapter.post(post({ channelId: 'C404' })))).toMatchObject({
      code: 'CHANNEL_REFUSED',
      reason: 'channel_not_found',
      hint: expect.stringContaining('channel id'),
    });
  });

  it('a rate limit returns the time to wait, without retrying', async () => {
    const { slack, adapter } = await openSlack();
    slack.fail('chat.postMessage', { status: 429, retryAfter: 30 });
    expect(await refusal(adapter.post(post()))).toMatchObject({ code: 'CHANNEL_UNREACHABLE', retryAfterSec: 30 });
    expect(slack.calls).toHaveLength(1);
  });

  it.each([
    ['a server error', { status: 503 }],
    ['a response that is not Slack’s', { error: '<html>xoxb-stand-in-token</html>' }],
    ['a broken connection', { lost: true as const }],
  ])('%s can be retried', async (_, fault) => {
    const { slack, adapter } = await openSlack();
    slack.fail('chat.postMessage', fault);
    expect(await refusal(adapter.post(post()))).toMatchObject({ code: 'CHANNEL_UNREACHABLE', status: 503 });
  });

  it('applies the egress policy', async () => {
    const { slack, adapter } = await openSlack({ loopbackAllowed: false });
    expect(await refusal(adapter.post(post()))).toMatchObject({
      code: 'CHANNEL_UNREACHABLE',
      detail: expect.stringContaining('egress policy'),
    });
    expect(slack.calls).toEqual([]);
  });

  it('the token is sent to Slack, never to errors or logs', async () => {
    const { slack, adapter, env, logged } = await openSlack();
    const seen: unknown[] = [];
    for (const fault of [
      { error: 'invalid_auth' },
      { status: 500 },
      { status: 429, retryAfter: 1 },
      { lost: true as const },
    ]) {
      slack.fail('chat.postMessage', fault);
      await adapter.post(post()).catch((error) => seen.push(error));
    }
    await slack.stop();
    await adapter.post(post()).catch((error) => seen.push(error));
    expect(seen).toHaveLength(5);
    expect(slack.calls.map((it) => it.token)).toEqual(Array(4).fill(slack.token));
    expect(inspect([seen, logged], { depth: 20, showHidden: true })).not.toContain(slack.token);
    expect(JSON.stringify(slack.calls.map((it) => it.args))).not.toContain(slack.token);
    delete env.SLACK_TOKEN;
    expect(await refusal(adapter.post(post()))).toMatchObject({ code: 'SECRET_UNAVAILABLE' });
  });

  it('a rotated token is used at once', async () => {
    const { slack, adapter, env } = await openSlack();
    await adapter.post(post());
    env.SLACK_TOKEN = 'xoxb-another';
    expect(await refusal(adapter.post(post()))).toMatchObject({ reason: 'invalid_auth' });
    expect(slack.calls.at(-1)?.token).toBe('xoxb-another');
  });

  it.each([
    ['a < b & c > d', 'a &lt; b &amp; c &gt; d'],
    [
      'thanks <@U42>, see <#C100> & <https://example.com/a?b=1>',
      'thanks <@U42>, see <#C100> &amp; <https://example.com/a?b=1>',
    ],
    ['<!channel> look <script>', '&lt;!channel&gt; look &lt;script&gt;'],
  ])('%s is escaped so that Slack shows it literally', (text, written) => {
    expect(writeText(text)).toBe(written);
  });
});
