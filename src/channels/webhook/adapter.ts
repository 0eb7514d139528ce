import type { HttpActivity } from '../../../activities/http-call/http.js';
import type { WebhookConfig } from '../../config/config.js';
import { isObject, type Json, type JsonObject, own } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import type { Channel, ChannelRequest, Post, Reception } from '../../service/channels.js';
import { parseBody } from '../body.js';
import type { Profiles } from '../profiles.js';
import { sign, verify } from '../signature.js';

const scheme = {
  version: 'v1',
  signatureHeader: 'x-journeyman-signature',
  timestampHeader: 'x-journeyman-timestamp',
};

const timeoutMs = 10_000;

/** A channel of your own: messages go to one URL, signed and with a key that makes repetitions harmless; others come the same way. */
export class Webhook implements Channel {
  constructor(
    private readonly profiles: Profiles<WebhookConfig>,
    private readonly http: HttpActivity,
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
        ...sign(scheme, this.profiles.secret(id, 'webhook.secret', secret), Buffer.from(body), this.now()),
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
    verify(scheme, this.profiles.secret(channelProfileId, 'webhook.secret', secret), request, this.now());
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

  /** Nothing is kept here: whoever answers sends the note along. */
  async noteBefore(): Promise<JsonObject | undefined> {
    return undefined;
  }
}

/** Statuses that may be others next time. */
const passing = new Set([408, 425, 429]);

function refuseStatus(status: number, retryAfter: string | undefined): never {
  const wait = /^\d{1,6}$/.test(retryAfter ?? '') ? { retryAfterSec: Number(retryAfter) } : {};
  const code = status >= 500 || passing.has(status) ? 'CHANNEL_UNREACHABLE' : 'CHANNEL_REFUSED';
  return refuse(code, `The webhook answered with status ${status}.`, { reason: `status_${status}`, ...wait });
}

function word(name: string, value: Json | undefined): string {
  return typeof value === 'string' && value.trim() !== '' ? value : invalid(name, 'a text that is not empty');
}

function invalid(name: string, wanted: string): never {
  return refuse('CHANNEL_MESSAGE_INVALID', `"${name}" must be ${wanted}.`, { pointer: `/${name}` });
}
