import { describe, expect, it } from 'vitest';
import { automation } from '../../support/automation.js';
import { bot, slackHeaders } from '../../support/slack.js';
import { openSlack, signingSecret } from './channels/harness.js';
import { gateway } from './harness.js';

/** A gateway with a Slack profile for the orchestrator `eng`; dispatches are stored once per id, as in Temporal. */
async function open() {
  const { slack, adapter } = await openSlack();
  const rig = automation();
  const app = await gateway({
    // The signature of the channel replaces credentials, also on a gateway that requires some.
    apiKeys: [{ id: 'ops', hash: `sha256:${'0'.repeat(64)}`, roles: ['operator'] }],
    automation: rig,
    channels: { slack: adapter },
  });
  const dispatched = rig.dispatcher.envelopes;
  const deliver = (event: object, headers: Record<string, string> = {}, profileId = 'slack_main') => {
    const body = JSON.stringify(event);
    const sent = { ...slackHeaders(body, signingSecret), ...headers };
    return app.post(`/api/v1/channels/${profileId}/events`, body, sent);
  };
  return { slack, dispatched, deliver, log: app.log };
}

describe('POST /api/v1/channels/{channelProfileId}/events', () => {
  it('R3-26 R3-27 R3-09 adds the message to the queue of the profile’s orchestrator', async () => {
    const { slack, dispatched, deliver } = await open();
    const delivery = slack.say(`<@${bot.user}> post hello world in <#C100|team> every Friday at 9AM`);
    const { ts } = delivery.event;
    const answer = await deliver(delivery);
    expect([answer.status, answer.body]).toEqual([
      200,
      { accepted: true, executionId: expect.stringMatching(/^channel-/) },
    ]);
    expect([...dispatched.values()]).toEqual([
      {
        executionId: answer.body.executionId,
        jobId: null,
        triggeredAt: expect.any(String),
        orchestratorId: 'eng',
        origin: 'channel',
        requestedBy: {
          caller: 'slack_main',
          channelProfileId: 'slack_main',
          senderId: 'U42',
          requestMessageId: `C100.${ts}`,
        },
        targetAction: {
          type: 'command_invoke',
          functionId: 'schedule.say',
          functionArgs: {
            utterance: 'post hello world in #team every Friday at 9AM',
            channelProfileId: 'slack_main',
            conversation: { channelId: 'C100', threadTs: ts, messageTs: ts },
            channels: { '#team': 'C100' },
          },
        },
        targetRef: {
          channel: 'slack',
          channelProfileId: 'slack_main',
          channelId: 'C100',
          postingMode: 'thread_reply',
          threadTs: ts,
        },
      },
    ]);
  });

  it('R3-47 a repeated delivery is the same execution', async () => {
    const { slack, dispatched, deliver } = await open();
    const delivery = slack.say('list jobs', { channel: 'D100' });
    const first = await deliver(delivery);
    const again = await deliver(delivery, { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' });
    expect(again.body).toEqual(first.body);
    await deliver(slack.say('list jobs', { channel: 'D100' }));
    expect(dispatched.size).toBe(2);
  });

  it('responds to the handshake, and ignores bots with 200', async () => {
    const { slack, dispatched, deliver } = await open();
    expect(await deliver({ type: 'url_verification', challenge: 'c-1' })).toMatchObject({
      status: 200,
      body: { challenge: 'c-1' },
    });
    const own = slack.say('hello', { channel: 'D100', user: bot.user });
    expect(await deliver(own)).toMatchObject({ status: 200, body: { accepted: false } });
    expect(dispatched.size).toBe(0);
  });

  it('R3-25 R3-26 rejects a wrong signature with 401 and an unknown profile with 404, without dispatching', async () => {
    const { slack, dispatched, deliver, log } = await open();
    const delivery = slack.say('list jobs', { channel: 'D100' });
    const wrong = slackHeaders(JSON.stringify(delivery), 'guessed');
    expect(await deliver(delivery, wrong)).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    expect(await deliver(delivery, {}, 'slack_other')).toMatchObject({
      status: 404,
      body: { code: 'CHANNEL_PROFILE_UNKNOWN' },
    });
    expect(dispatched.size).toBe(0);
    expect(log()).not.toContain(signingSecret);
  });
});
