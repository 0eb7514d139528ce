import { describe, expect, it } from 'vitest';
import type { Reception } from '../../../../src/service/channel-interface.js';
import { bot, slackHeaders } from '../../../support/slack.js';
import { openSlack, post, signingSecret } from './harness.js';

type Opened = Awaited<ReturnType<typeof openSlack>>;

function receive({ adapter }: Opened, event: object, headers?: Record<string, string>): Promise<Reception> {
  const body = JSON.stringify(event);
  const signed = headers ?? slackHeaders(body, signingSecret);
  return adapter.receive('slack_main', { headers: signed, body: Buffer.from(body) });
}

const me = `<@${bot.user}>`;

describe('requests from Slack', () => {
  it('a url_verification gets its challenge back', async () => {
    const opened = await openSlack();
    expect(await receive(opened, { type: 'url_verification', challenge: 'c-1' })).toEqual({
      kind: 'handshake',
      answer: { challenge: 'c-1' },
    });
  });

  it('R3-25 R3-09 a mention is a message with its sender, its id and the thread for the answer', async () => {
    const opened = await openSlack();
    const delivery = opened.slack.say(`${me} post hello &amp; &lt;hi&gt; in <#C200|ops> every Friday at 9AM`);
    const { ts } = delivery.event;
    expect(await receive(opened, delivery)).toEqual({
      kind: 'message',
      message: {
        messageId: `C100.${ts}`,
        text: 'post hello & <hi> in #ops every Friday at 9AM',
        senderId: 'U42',
        conversation: { channelId: 'C100', threadTs: ts, messageTs: ts },
        channels: { '#ops': 'C200' },
        replyTo: {
          channel: 'slack',
          channelProfileId: 'slack_main',
          channelId: 'C100',
          postingMode: 'thread_reply',
          threadTs: ts,
        },
      },
    });
  });

  it('a direct message needs no mention; an answer in a thread stays in its thread', async () => {
    const opened = await openSlack();
    const first = opened.slack.say('list jobs', { channel: 'D100' });
    expect(await receive(opened, first)).toMatchObject({ kind: 'message', message: { text: 'list jobs' } });
    const answer = opened.slack.say('yes', { channel: 'D100', thread: first.event.ts });
    expect(await receive(opened, answer)).toMatchObject({
      message: { replyTo: { threadTs: first.event.ts }, conversation: { messageTs: answer.event.ts } },
    });
  });

  it('the same message, delivered as a mention and as a message, has one id', async () => {
    const opened = await openSlack();
    const delivery = opened.slack.say(`${me} list jobs`, { channel: 'D100' });
    const twin = { ...delivery, event_id: 'EvTwin', event: { ...delivery.event, type: 'app_mention' } };
    const [a, b] = [await receive(opened, delivery), await receive(opened, twin)];
    expect(a).toEqual(b);
  });

  it.each([
    ['our own message', { user: bot.user, bot_id: bot.bot_id }],
    ['our own message without a bot id', { user: bot.user }],
    ['another bot', { user: 'U9', bot_id: 'B9' }],
    ['an edit', { subtype: 'message_changed' }],
    ['a join', { subtype: 'channel_join' }],
    ['a message without a sender', { user: undefined }],
    ['a mention without text', { text: me }],
    ['a reaction', { type: 'reaction_added' }],
  ])('%s is ignored', async (_, change) => {
    const opened = await openSlack();
    const delivery = opened.slack.say('hello', { channel: 'D100' });
    expect(await receive(opened, { ...delivery, event: { ...delivery.event, ...change } })).toEqual({
      kind: 'ignored',
    });
  });

  it('an event of another workspace of the same app is ignored', async () => {
    const opened = await openSlack();
    const delivery = opened.slack.say('list jobs', { channel: 'D100' });
    const authorizations = [{ team_id: 'T2', user_id: 'U0BOT2', is_bot: true }];
    expect(await receive(opened, { ...delivery, team_id: 'T2', authorizations })).toEqual({ kind: 'ignored' });
  });

  it('messages between people are ignored, unless they answer our question', async () => {
    const opened = await openSlack();
    const { slack, adapter } = opened;
    expect(await receive(opened, slack.say('lunch?'))).toEqual({ kind: 'ignored' });
    const asked = slack.say(`${me} post hello in #team every Friday`);
    expect(await receive(opened, slack.say('good idea', { thread: asked.event.ts }))).toEqual({ kind: 'ignored' });
    const note = { draft: { utterance: 'post hello in #team every Friday' } };
    await adapter.post(post({ threadTs: asked.event.ts, text: 'At what time?', note }));
    const answer = slack.say('9am', { thread: asked.event.ts });
    expect(await receive(opened, answer)).toMatchObject({ kind: 'message', message: { text: '9am' } });
    await adapter.post(post({ executionId: 'exec-2', threadTs: asked.event.ts, text: 'Done.' }));
    expect(await receive(opened, slack.say('thanks', { thread: asked.event.ts }))).toEqual({ kind: 'ignored' });
  });

  it.each([
    ['another secret', (body: string) => slackHeaders(body, 'another')],
    ['another body', () => slackHeaders('{}', signingSecret)],
    ['no signature', () => ({})],
    ['a truncated signature', (body: string) => cut(slackHeaders(body, signingSecret))],
    ['a time six minutes ago', (body: string) => slackHeaders(body, signingSecret, seconds() - 360)],
    ['a time six minutes ahead', (body: string) => slackHeaders(body, signingSecret, seconds() + 360)],
    ['an invalid time', (body: string) => slackHeaders(body, signingSecret, Number.NaN)],
  ])('R3-25 with %s it is rejected', async (_, headersFor) => {
    const opened = await openSlack();
    const delivery = opened.slack.say('list jobs', { channel: 'D100' });
    await expect(receive(opened, delivery, headersFor(JSON.stringify(delivery)))).rejects.toMatchObject({
      problem: { code: 'UNAUTHENTICATED', status: 401 },
    });
  });

  it('a delay of four minutes is accepted', async () => {
    const opened = await openSlack();
    const delivery = opened.slack.say('list jobs', { channel: 'D100' });
    const headers = slackHeaders(JSON.stringify(delivery), signingSecret, seconds() - 240);
    expect(await receive(opened, delivery, headers)).toMatchObject({ kind: 'message' });
  });

  it('an unknown profile is rejected', async () => {
    const { adapter } = await openSlack();
    await expect(adapter.receive('slack_other', { headers: {}, body: Buffer.alloc(0) })).rejects.toMatchObject({
      problem: { code: 'CHANNEL_PROFILE_UNKNOWN' },
    });
  });
});

describe('the metadata of a conversation', () => {
  it('is that of our own last message before the answer, over several pages', async () => {
    const { slack, adapter } = await openSlack();
    slack.pageSize = 2;
    const { event } = slack.say(`${me} post hello`);
    const thread = event.ts;
    await adapter.post(post({ executionId: 'e-1', threadTs: thread, note: { step: 1 } }));
    slack.say('noon', { thread });
    await adapter.post(post({ executionId: 'e-2', threadTs: thread, note: { step: 2 } }));
    const forged = { event_type: 'journeyman_message', event_payload: { execution_id: 'x', note: '{"step":9}' } };
    slack.keep({ channel: 'C100', thread_ts: thread, text: 'hi', user: 'U9', bot_id: 'B9', metadata: forged });
    const answer = slack.say('yes', { thread });
    await adapter.post(post({ executionId: 'e-3', threadTs: thread, note: { step: 3 } }));
    const conversation = { channelId: 'C100', threadTs: thread, messageTs: answer.event.ts };
    expect(await adapter.noteBefore('slack_main', conversation)).toEqual({ step: 2 });
  });

  it('is undefined without an earlier message', async () => {
    const { slack, adapter } = await openSlack();
    const { ts } = slack.say(`${me} post hello`).event;
    const conversation = { channelId: 'C100', threadTs: ts, messageTs: ts };
    expect(await adapter.noteBefore('slack_main', conversation)).toBeUndefined();
    expect(slack.calls).toEqual([]);
  });
});

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

function cut(headers: Record<string, string>): Record<string, string> {
  return { ...headers, 'x-slack-signature': headers['x-slack-signature']!.slice(0, -1) };
}
