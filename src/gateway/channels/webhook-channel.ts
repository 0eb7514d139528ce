import type { HttpClient } from '../../../activities/http-call/http-client.js';
import { isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import type { WebhookConfig } from '../../config/config-types.js';
import type { Channel, ChannelRequest, Post, Reception } from '../../service/channel-interface.js';
import type { ChannelProfiles } from './channel-profiles.js';
import { parseBody } from './parse-message-body.js';
import { signMessage, verifyMessage } from './sign-and-verify-messages.js';

const scheme = {
  version: 'v1',
  signatureHeader: 'x-journeyman-signature',
  timestampHeader: 'x-journeyman-timestamp',
};

const timeoutMs = 10_000;

/** The webhook channel: posts signed messages with an idempotency key to one URL, and receives signed ones. */
export class Webhook implements Channel {
  constructor(
    private readonly profiles: ChannelProfiles<WebhookConfig>,
    private readonly http: HttpClient,
    private readonly now: () => Date = () => new Date(),
  ) {}

  async post({ executionId, targetRef, text, note }: Post): Promise<{ messageId: string }> {
    const { channelProfileId: id } = targetRef;
    const { url, secret } = this.profiles.get(id);
    if (url === undefined) refuse('CHANNEL_REFUSED', 'The profile has no webhook.url.', { reason: 'url_missing' });
    const body = JSON.stringify({ executionId, text, targetRef, ...(note && { note }) });
    const answer = await this.http({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        'idempotency-key': executionId,
        ...signMessage(scheme, this.profiles.secret(id, 'webhook.secret', secret), Buffer.from(body), this.now()),
      },
      body,
      timeoutMs,
      mode: 'requestResponse',
    });
    if ('retryLater' in answer || answer.status === undefined) {
      return refuse(
        'CHANNEL_UNREACHABLE',
        `The webhook: ${('error' in answer && answer.error?.message) || 'no answer'}.`,
      );
    }
    if (!answer.ok) refuseStatus(answer.status, answer.headers['retry-after']);
    const given = own(answer.body, 'messageId');
    return { messageId: typeof given === 'string' ? given : executionId };
  }

  async receive(channelProfileId: string, request: ChannelRequest): Promise<Reception> {
    const { secret } = this.profiles.get(channelProfileId);
    verifyMessage(scheme, this.profiles.secret(channelProfileId, 'webhook.secret', secret), request, this.now());
    const { id, text, senderId, sender, conversationId, note } = parseBody(request.body);
    const conversation = {
      ...(conversationId !== undefined && { conversationId: word('conversationId', conversationId) }),
    };
    return {
      kind: 'message',
      message: {
        messageId: word('id', id),
        text: word('text', text),
        senderId: word('senderId', senderId),
        ...(sender !== undefined && { sender: word('sender', sender) }),
        conversation,
        channels: {},
        replyTo: { channel: 'webhook', channelProfileId, ...conversation },
        ...(note !== undefined && { note: isObject(note) ? note : invalid('note', 'an object') }),
      },
    };
  }

  /** Notes are not stored; the sender of an answer includes the note. */
  async noteBefore(): Promise<JsonObject | undefined> {
    return undefined;
  }
}

/** Transient statuses. */
const passing = new Set([408, 425, 429]);

function refuseStatus(status: number, retryAfter: string | undefined): never {
  const wait = /^\d{1,6}$/.test(retryAfter ?? '') ? { retryAfterSec: Number(retryAfter) } : {};
  const code = status >= 500 || passing.has(status) ? 'CHANNEL_UNREACHABLE' : 'CHANNEL_REFUSED';
  return refuse(code, `The webhook answered with status ${status}.`, { reason: `status_${status}`, ...wait });
}

function word(name: string, value: Json | undefined): string {
  return typeof value === 'string' && value.trim() !== '' ? value : invalid(name, 'a non-empty string');
}

function invalid(name: string, wanted: string): never {
  return refuse('CHANNEL_MESSAGE_INVALID', `"${name}" must be ${wanted}.`, { pointer: `/${name}` });
}
