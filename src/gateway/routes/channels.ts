import { createHash } from 'node:crypto';
import { refuse } from '../../base/problems/problem.js';
import type { Envelope } from '../../schedules/jobs/dispatch-envelope.js';
import { apiBase } from '../../service/apis-interface.js';
import type { ChannelMessage, Channels } from '../../service/channel-interface.js';
import { sayFunctionId } from '../../service/functions/plain-english-function.js';
import type { Automation } from '../../service/job-automation.js';
import type { ChannelProfile } from '../../service/orchestrators.js';
import { factsOf, headersOf } from '../request-facts.js';
import type { Route } from '../route.js';

/**
 * Webhook of the channels. A request is authenticated by the channel's signature over the body. It is answered as soon as the message is
 * queued, because Slack waits three seconds before it retries.
 */
export function channelRoutes({ automation, channels }: { automation: Automation; channels: Channels }): Route[] {
  const { orchestrators, dispatcher, now } = automation;
  return [
    {
      method: 'post',
      path: `${apiBase}/channels/:channelProfileId/events`,
      roles: [],
      async answer(request, response) {
        const profile = orchestrators.profile(request.params.channelProfileId as string);
        const channel = Object.hasOwn(channels, profile.channel) ? channels[profile.channel] : undefined;
        if (channel === undefined) refuse('CHANNEL_NOT_SERVED');
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const received = await channel.receive(profile.id, {
          headers: headersOf(request, factsOf(response).principal),
          body,
        });
        if (received.kind === 'handshake') response.json(received.answer);
        else if (received.kind === 'ignored') response.json({ accepted: false });
        else
          response.json({
            accepted: true,
            ...(await dispatcher.dispatch(requestOf(profile, received.message, new Date(now())))),
          });
      },
    },
  ];
}

/** Wraps a message as a request to its orchestrator: interpret it, and answer in the same conversation. */
export function requestOf(profile: ChannelProfile, message: ChannelMessage, now: Date): Envelope {
  const { text, senderId, sender, messageId, conversation, channels, note, replyTo } = message;
  return {
    executionId: executionIdOf(profile.id, messageId),
    jobId: null,
    triggeredAt: now.toISOString(),
    orchestratorId: profile.orchestratorId,
    origin: 'channel',
    requestedBy: {
      caller: profile.id,
      channelProfileId: profile.id,
      senderId,
      ...(sender !== undefined && { sender }),
      requestMessageId: messageId,
    },
    targetAction: {
      type: 'command_invoke',
      functionId: sayFunctionId,
      functionArgs: {
        utterance: text,
        channelProfileId: profile.id,
        conversation,
        ...(Object.keys(channels).length > 0 && { channels: { ...channels } }),
        ...(note !== undefined && { draft: note }),
      },
    },
    targetRef: replyTo,
  };
}

/** One execution per message, so that repeated deliveries are idempotent. Hashed, because profiles and senders choose their ids. */
function executionIdOf(channelProfileId: string, messageId: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([channelProfileId, messageId]))
    .digest('base64url');
  return `channel-${digest.slice(0, 22)}`;
}
