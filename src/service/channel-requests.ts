import { createHash } from 'node:crypto';
import type { Envelope } from '../scheduling/jobs/envelope.js';
import type { ChannelMessage } from './channels.js';
import { sayFunctionId } from './functions/say.js';
import type { ChannelProfile } from './orchestrators.js';

/** A message of a channel as what its orchestrator is asked: to understand it, and to answer where it was said. */
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

/** One message, one execution: a delivery that is repeated finds the first one. Profiles choose their names, senders their ids. */
function executionIdOf(channelProfileId: string, messageId: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([channelProfileId, messageId]))
    .digest('base64url');
  return `channel-${digest.slice(0, 22)}`;
}
