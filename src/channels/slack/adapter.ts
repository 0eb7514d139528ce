import { createHash } from 'node:crypto';
import type { WebClient } from '@slack/web-api';
import type { HttpActivity } from '../../../activities/http-call/http.js';
import type { SlackConfig } from '../../config/config.js';
import type { JsonObject } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import type { Channel, ChannelRequest, Post, Reception } from '../../service/channels.js';
import { parseBody } from '../body.js';
import type { Profiles } from '../profiles.js';
import { verify } from '../signature.js';
import { asked, slackClient } from './client.js';
import { readEvent, readHandshake } from './events.js';
import { type Found, findOwn, lastOwn, metadataOf, type Place } from './messages.js';
import { writeText } from './text.js';

const day = 24 * 3_600_000;

const slackApi = 'https://slack.com/api/';

const scheme = { version: 'v0', signatureHeader: 'x-slack-signature', timestampHeader: 'x-slack-request-timestamp' };

/** Slack: posts to channels and threads, and hears what people say to it there. */
export class Slack implements Channel {
  /** By the digest of the token: that itself is kept nowhere. */
  private readonly identities = new Map<string, Identity>();

  constructor(
    private readonly profiles: Profiles<SlackConfig>,
    private readonly http: HttpActivity,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** Slack has no idempotency key for posting. So each message says which execution it belongs to, and a repetition looks for it first. */
  async post(post: Post): Promise<{ messageId: string }> {
    const { channelProfileId } = post.targetRef;
    const client = this.client(channelProfileId);
    const place = placeOf(post.targetRef);
    const said = post.firstAttempt ? undefined : await this.find(client, place, post);
    if (said) return { messageId: said.ts };
    const { ts } = await asked(
      client.chat.postMessage({
        channel: place.channelId,
        text: writeText(post.text),
        ...(place.threadTs !== undefined && { thread_ts: place.threadTs }),
        metadata: metadataOf(post.executionId, post.note),
      }),
    );
    return { messageId: ts ?? refuse('CHANNEL_UNREACHABLE', 'Slack did not say which message it made.') };
  }

  async receive(channelProfileId: string, request: ChannelRequest): Promise<Reception> {
    const { signingSecret } = this.profiles.get(channelProfileId);
    verify(scheme, this.profiles.secret(channelProfileId, 'slack.signingSecret', signingSecret), request, this.now());
    const outer = parseBody(request.body);
    const handshake = readHandshake(outer);
    if (handshake) return handshake;
    const { userId } = await this.identity(this.client(channelProfileId));
    const heard = readEvent(channelProfileId, outer, userId);
    if (heard.kind !== 'overheard') return heard;
    // Somebody speaks in a thread without naming us: it is for us only if we asked a question there last.
    const note = await this.noteBefore(channelProfileId, heard.message.conversation);
    return note === undefined ? { kind: 'ignored' } : { kind: 'message', message: heard.message };
  }

  async noteBefore(channelProfileId: string, conversation: JsonObject): Promise<JsonObject | undefined> {
    const { channelId, threadTs, messageTs } = conversation;
    if (typeof channelId !== 'string' || typeof threadTs !== 'string' || threadTs === messageTs) return undefined;
    const client = this.client(channelProfileId);
    const before = typeof messageTs === 'string' ? messageTs : undefined;
    const { botId } = await this.identity(client);
    return (await lastOwn(client, { channelId, threadTs }, { botId, before }))?.note;
  }

  private async find(client: WebClient, place: Place, post: Post): Promise<Found | undefined> {
    const { botId } = await this.identity(client);
    const askedAt = post.askedAt === undefined ? this.now().getTime() - day : Date.parse(post.askedAt);
    return await findOwn(client, place, { botId, executionId: post.executionId, since: askedAt });
  }

  private client(channelProfileId: string): WebClient {
    const { token, apiUrl = slackApi } = this.profiles.get(channelProfileId);
    return slackClient(apiUrl, this.profiles.secret(channelProfileId, 'slack.token', token), this.http);
  }

  /** Who we are there. Only what we said ourselves counts as ours: other apps can write any metadata. */
  private async identity(client: WebClient): Promise<Identity> {
    const digest = createHash('sha256').update(`${client.slackApiUrl} ${client.token}`).digest('base64url');
    const known = this.identities.get(digest);
    if (known) return known;
    const { bot_id: botId, user_id: userId } = await asked(client.auth.test());
    if (botId === undefined || userId === undefined) {
      refuse('CHANNEL_REFUSED', 'The token is not that of a bot.', { reason: 'not_a_bot' });
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

function placeOf(targetRef: JsonObject): Place {
  const { channelId, postingMode, threadTs } = targetRef;
  const thread = postingMode === 'thread_reply';
  if (typeof channelId !== 'string' || (thread && typeof threadTs !== 'string')) {
    const missing = typeof channelId === 'string' ? 'threadTs' : 'channelId';
    refuse('CHANNEL_REFUSED', `The target reference has no ${missing}.`, { reason: 'target_incomplete' });
  }
  return { channelId, ...(thread && { threadTs: threadTs as string }) };
}
