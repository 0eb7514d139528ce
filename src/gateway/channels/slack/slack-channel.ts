import { createHash } from 'node:crypto';
import type { WebClient } from '@slack/web-api';
import type { HttpClient } from '../../../../activities/http-call/http-client.js';
import { isObject, type Json, type JsonObject, own } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import type { SlackConfig } from '../../../config/config-types.js';
import type { Channel, ChannelMessage, ChannelRequest, Post, Reception } from '../../../service/channel-interface.js';
import type { ChannelProfiles } from '../channel-profiles.js';
import { parseBody } from '../parse-message-body.js';
import { verifyMessage } from '../sign-and-verify-messages.js';
import { slackClient, slackResult } from './slack-client.js';

/** A received event; `overheard`: a message in a thread, perhaps an answer to us. */
type SlackEvent = Reception | { readonly kind: 'overheard'; readonly message: ChannelMessage };

const ignored: SlackEvent = { kind: 'ignored' };

/** Subtypes of messages written by people. */
const spoken = new Set<Json | undefined>([undefined, 'thread_broadcast', 'file_share']);

/** Slack's handshake that verifies the URL. */
function readHandshake(outer: JsonObject): Reception | undefined {
  return outer.type === 'url_verification'
    ? { kind: 'handshake', answer: { challenge: outer.challenge ?? '' } }
    : undefined;
}

/**
 * Reads a verified request of Slack's Events API. `self` is our user: an app installed in several workspaces has one signing secret and a user
 * in each, and a profile belongs to one of them.
 */
function readEvent(channelProfileId: string, outer: JsonObject, self: string): SlackEvent {
  const { event } = outer;
  if (outer.type !== 'event_callback' || !isObject(event) || recipientOf(outer) !== self) return ignored;
  const message = readMessage(channelProfileId, event, self);
  if (message === undefined) return ignored;
  if (event.type === 'app_mention' || event.channel_type === 'im') return { kind: 'message', message };
  return typeof event.thread_ts === 'string' ? { kind: 'overheard', message } : ignored;
}

/** Ignores bots, including ourselves, to prevent endless conversations. */
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
    // A mention may be delivered twice with two event ids; channel and time identify the message.
    messageId: `${channel}.${ts}`,
    text,
    senderId: user,
    ...(typeof name === 'string' && name !== '' && { sender: name }),
    conversation: { channelId: channel, threadTs, messageTs: ts },
    channels,
    replyTo: { channel: 'slack', channelProfileId, channelId: channel, postingMode: 'thread_reply', threadTs },
  };
}

/** The app's user that receives the event. */
function recipientOf(outer: JsonObject): Json | undefined {
  return own(Array.isArray(outer.authorizations) ? outer.authorizations[0] : undefined, 'user_id');
}

const day = 24 * 3_600_000;

/** Maximum number of names cached in memory. */
const mostNames = 1_000;

const slackApi = 'https://slack.com/api/';

const scheme = { version: 'v0', signatureHeader: 'x-slack-signature', timestampHeader: 'x-slack-request-timestamp' };

/** The Slack channel: posts messages and receives events. */
export class Slack implements Channel {
  /** Keyed by the digest of the token, which is not stored. */
  private readonly identities = new Map<string, Identity>();
  /** Names of senders; undefined if Slack does not return them. */
  private readonly names = new Map<string, string | undefined>();

  constructor(
    private readonly profiles: ChannelProfiles<SlackConfig>,
    private readonly http: HttpClient,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** Slack has no idempotency key for posting, so each message carries its execution id, and a retry looks for it first. */
  async post(post: Post): Promise<{ messageId: string }> {
    const { channelProfileId } = post.targetRef;
    const client = await this.client(channelProfileId);
    const place = placeOf(post.targetRef);
    const said = post.firstAttempt ? undefined : await this.find(client, place, post);
    if (said) return { messageId: said.ts };
    const { ts } = await slackResult(
      client.chat.postMessage({
        channel: place.channelId,
        text: writeText(post.text),
        ...(place.threadTs !== undefined && { thread_ts: place.threadTs }),
        metadata: metadataOf(post.executionId, post.note),
      }),
    );
    return { messageId: ts ?? refuse('CHANNEL_UNREACHABLE', 'Slack returned no message id.') };
  }

  async receive(channelProfileId: string, request: ChannelRequest): Promise<Reception> {
    const { signingSecret } = this.profiles.get(channelProfileId);
    verifyMessage(
      scheme,
      this.profiles.secret(channelProfileId, 'slack.signingSecret', signingSecret),
      request,
      this.now(),
    );
    const outer = parseBody(request.body);
    const handshake = readHandshake(outer);
    if (handshake) return handshake;
    const client = await this.client(channelProfileId);
    const { userId } = await this.identity(client);
    const received = readEvent(channelProfileId, outer, userId);
    if (received.kind === 'message')
      return { kind: 'message', message: await this.withSender(client, received.message) };
    if (received.kind !== 'overheard') return received;
    // A message in a thread without a mention is for us only if our last message there was a question.
    const note = await this.noteBefore(channelProfileId, received.message.conversation);
    return note === undefined
      ? { kind: 'ignored' }
      : { kind: 'message', message: await this.withSender(client, received.message) };
  }

  async noteBefore(channelProfileId: string, conversation: JsonObject): Promise<JsonObject | undefined> {
    const { channelId, threadTs, messageTs } = conversation;
    if (typeof channelId !== 'string' || typeof threadTs !== 'string' || threadTs === messageTs) return undefined;
    const client = await this.client(channelProfileId);
    const before = typeof messageTs === 'string' ? messageTs : undefined;
    const { botId } = await this.identity(client);
    return (await lastOwn(client, { channelId, threadTs }, { botId, before }))?.note;
  }

  private async find(client: WebClient, place: SlackPlace, post: Post): Promise<OwnMessage | undefined> {
    const { botId } = await this.identity(client);
    const askedAt = post.askedAt === undefined ? this.now().getTime() - day : Date.parse(post.askedAt);
    return await findOwn(client, place, { botId, executionId: post.executionId, since: askedAt });
  }

  private async client(channelProfileId: string): Promise<WebClient> {
    const { token, apiUrl = slackApi } = this.profiles.get(channelProfileId);
    return await slackClient(apiUrl, this.profiles.secret(channelProfileId, 'slack.token', token), this.http);
  }

  /** Adds the sender's name, which most events lack. Without the scope users:read only the id is known. */
  private async withSender(client: WebClient, message: ChannelMessage): Promise<ChannelMessage> {
    if (message.sender !== undefined) return message;
    const key = `${client.slackApiUrl} ${message.senderId}`;
    if (!this.names.has(key)) {
      const { user } = await client.users.info({ user: message.senderId }).catch(() => ({ user: undefined }));
      if (this.names.size >= mostNames) this.names.clear();
      this.names.set(key, user?.profile?.display_name || user?.profile?.real_name || undefined);
    }
    const sender = this.names.get(key);
    return sender === undefined ? message : { ...message, sender };
  }

  /** The identity of our bot. Metadata alone does not identify our messages: other apps can write it too. */
  private async identity(client: WebClient): Promise<Identity> {
    const digest = createHash('sha256').update(`${client.slackApiUrl} ${client.token}`).digest('base64url');
    const known = this.identities.get(digest);
    if (known) return known;
    const { bot_id: botId, user_id: userId } = await slackResult(client.auth.test());
    if (botId === undefined || userId === undefined) {
      refuse('CHANNEL_REFUSED', 'The token is not a bot token.', { reason: 'not_a_bot' });
    }
    const identity = { botId, userId };
    this.identities.set(digest, identity);
    return identity;
  }
}

interface Identity {
  readonly botId: string;
  readonly userId: string;
}

function placeOf(targetRef: JsonObject): SlackPlace {
  const { channelId, postingMode, threadTs } = targetRef;
  const thread = postingMode === 'thread_reply';
  if (typeof channelId !== 'string' || (thread && typeof threadTs !== 'string')) {
    const missing = typeof channelId === 'string' ? 'threadTs' : 'channelId';
    refuse('CHANNEL_REFUSED', `The target reference has no ${missing}.`, { reason: 'target_incomplete' });
  }
  return { channelId, ...(thread && { threadTs: threadTs as string }) };
}

/** A channel in Slack, or a thread in it. */
interface SlackPlace {
  readonly channelId: string;
  readonly threadTs?: string;
}

/** One of our own messages. */
interface OwnMessage {
  readonly ts: string;
  readonly executionId: string;
  readonly note?: JsonObject;
}

/** The type of the metadata that our messages carry. */
const eventType = 'journeyman_message';

/** Metadata by which a message is found again, with its note. Slack does not accept nested values. */
function metadataOf(executionId: string, note: JsonObject | undefined) {
  return {
    event_type: eventType,
    event_payload: { execution_id: executionId, ...(note && { note: JSON.stringify(note) }) },
  };
}

/** Finds our message of an execution, if it was posted. */
async function findOwn(
  client: WebClient,
  place: SlackPlace,
  wanted: { botId: string; executionId: string; since: number },
): Promise<OwnMessage | undefined> {
  for await (const found of ownMessages(client, place, wanted.botId, wanted.since)) {
    if (found.executionId === wanted.executionId) return found;
  }
  return undefined;
}

/** Finds our last message in a thread before another message. */
async function lastOwn(
  client: WebClient,
  place: SlackPlace,
  { botId, before }: { botId: string; before: string | undefined },
): Promise<OwnMessage | undefined> {
  let last: OwnMessage | undefined;
  for await (const found of ownMessages(client, place, botId)) {
    if (before !== undefined && Number(found.ts) >= Number(before)) continue;
    if (last === undefined || Number(found.ts) > Number(last.ts)) last = found;
  }
  return last;
}

/** Small pages: messages can be long, and a response is limited by `http.responseLimit`. */
const pageSize = 50;
const mostPages = 100;
/** Tolerated difference to Slack's clock. */
const skewSec = 120;

async function* ownMessages(client: WebClient, { channelId, threadTs }: SlackPlace, botId: string, since?: number) {
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const query = {
      channel: channelId,
      include_all_metadata: true,
      limit: pageSize,
      ...(since !== undefined && { oldest: String(Math.floor(since / 1000) - skewSec) }),
      ...(cursor !== undefined && { cursor }),
    };
    const answer = await slackResult(
      threadTs === undefined
        ? client.conversations.history(query)
        : client.conversations.replies({ ...query, ts: threadTs }),
    );
    for (const message of answer.messages ?? []) {
      const found = message.bot_id === botId ? readOwn(message) : undefined;
      if (found) yield found;
    }
    cursor = answer.response_metadata?.next_cursor || undefined;
    if (cursor === undefined) return;
  }
  refuse('CHANNEL_REFUSED', `There are more than ${pageSize * mostPages} messages to search.`, {
    reason: 'history_too_long',
  });
}

function readOwn({ ts, metadata }: { ts?: string; metadata?: unknown }): OwnMessage | undefined {
  const { event_type, event_payload } = (metadata ?? {}) as { event_type?: unknown; event_payload?: unknown };
  if (event_type !== eventType || !isObject(event_payload)) return undefined;
  const { execution_id: executionId, note: written } = event_payload;
  if (ts === undefined || typeof executionId !== 'string') return undefined;
  const note = readNote(written);
  return { ts, executionId, ...(note && { note }) };
}

/** Parses a note; undefined if it is not ours. */
function readNote(written: Json | undefined): JsonObject | undefined {
  if (typeof written !== 'string') return undefined;
  try {
    const value = JSON.parse(written) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Text of a Slack message, with the ids of the channels it names. */
interface ReadText {
  readonly text: string;
  readonly channels: Readonly<Record<string, string>>;
}

/**
 * Converts Slack's markup to plain text. Channels become `#name` (with their ids listed), links their address; mentions of people stay, so
 * that posting them again mentions the same people. Mentions of `self`, our own user, are removed.
 */
function readText(raw: string, self: string): ReadText {
  const channels: Record<string, string> = {};
  const text = raw.replace(/<([^<>]*)>/g, (whole, inside: string) => {
    const [target = '', label = ''] = inside.split('|');
    if (target === `@${self}`) return '';
    if (/^#[CG][A-Z0-9]+$/.test(target)) {
      const name = `#${label || target.slice(1)}`;
      channels[name] = target.slice(1);
      return name;
    }
    return /^(https?|mailto):/.test(target) ? target : whole;
  });
  return { text: unescaped(text).replace(/\s+/g, ' ').trim(), channels };
}

/** Mentions of people, and links to channels and pages. `<!channel>` is excluded: data must not notify everybody. */
const reference = /<(?:@[UW][A-Z0-9]+|#[CG][A-Z0-9]+|https?:\/\/[^<>|\s]+)(?:\|[^<>]*)?>/g;

/** Escapes `&`, `<` and `>` for Slack, except in references. */
export function writeText(text: string): string {
  const references = text.match(reference) ?? [];
  return text
    .split(reference)
    .map((part, i) => escaped(part) + (references[i] ?? ''))
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
