import { isObject, type Json, type JsonObject, own } from '../../json/value.js';
import type { ChannelMessage, Reception } from '../../service/channels.js';
import { readText } from './text.js';

/** What an event is; `overheard`: said in a thread, perhaps in answer to us. */
export type Heard = Reception | { readonly kind: 'overheard'; readonly message: ChannelMessage };

const ignored: Heard = { kind: 'ignored' };

/** Kinds of messages that are still something a person says. */
const spoken = new Set<Json | undefined>([undefined, 'thread_broadcast', 'file_share']);

/** The handshake with which Slack makes sure that a URL is ours. */
export function readHandshake(outer: JsonObject): Reception | undefined {
  return outer.type === 'url_verification'
    ? { kind: 'handshake', answer: { challenge: outer.challenge ?? '' } }
    : undefined;
}

/**
 * Reads a request of Slack's Events API, which is known to be genuine. `self` is our user there: an app that is installed in several
 * workspaces has one signing secret and a user in each, and a profile speaks for one of them.
 */
export function readEvent(channelProfileId: string, outer: JsonObject, self: string): Heard {
  const { event } = outer;
  if (outer.type !== 'event_callback' || !isObject(event) || recipientOf(outer) !== self) return ignored;
  const message = readMessage(channelProfileId, event, self);
  if (message === undefined) return ignored;
  if (event.type === 'app_mention' || event.channel_type === 'im') return { kind: 'message', message };
  return typeof event.thread_ts === 'string' ? { kind: 'overheard', message } : ignored;
}

/** Bots are never listened to, ourselves included: two that answer each other would not stop. */
function readMessage(channelProfileId: string, event: JsonObject, self: string): ChannelMessage | undefined {
  const { type, channel, ts, thread_ts: thread, user, text: raw } = event;
  if (type !== 'app_mention' && type !== 'message') return undefined;
  if (event.bot_id !== undefined || user === self || !spoken.has(event.subtype)) return undefined;
  if (typeof channel !== 'string' || typeof ts !== 'string' || typeof user !== 'string' || typeof raw !== 'string') {
    return undefined;
  }
  const { text, channels } = readText(raw, self);
  if (text === '') return undefined;
  const threadTs = typeof thread === 'string' ? thread : ts;
  const profile = own(event, 'user_profile');
  const name = own(profile, 'display_name') || own(profile, 'real_name');
  return {
    // A mention is delivered twice to an app that hears all messages, with two event ids: channel and time are those of the message.
    messageId: `${channel}.${ts}`,
    text,
    senderId: user,
    ...(typeof name === 'string' && name !== '' && { sender: name }),
    conversation: { channelId: channel, threadTs, messageTs: ts },
    channels,
    replyTo: { channel: 'slack', channelProfileId, channelId: channel, postingMode: 'thread_reply', threadTs },
  };
}

/** The user of the app that the event is for. */
function recipientOf(outer: JsonObject): Json | undefined {
  return own(Array.isArray(outer.authorizations) ? outer.authorizations[0] : undefined, 'user_id');
}
