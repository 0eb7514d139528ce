import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createChannels } from '../../../../src/gateway/channels/create-channels.js';
import type { Channel } from '../../../../src/service/channel-interface.js';
import { openHttp } from './harness.js';

const secret = 'shared-by-both';

function signature(timestamp: string, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`v1:${timestamp}:${body}`).digest('hex')}`;
}

/** The receiver of a webhook: records requests and returns the given responses. */
async function openWebhook() {
  const got: { headers: IncomingHttpHeaders; body: string }[] = [];
  const answers: { status: number; headers?: Record<string, string>; body?: object }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    got.push({ headers: request.headers, body });
    const answer = answers.shift() ?? { status: 204 };
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body && JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/messages`;
  const { http, logged } = openHttp();
  const profiles = { own: { channel: 'webhook' as const, webhook: { url, secret: { env: 'HOOK_SECRET' } } } };
  const adapter = createChannels(profiles, http, { env: { HOOK_SECRET: secret } as NodeJS.ProcessEnv })
    .webhook as Channel;
  return { got, answers, adapter, logged };
}

const targetRef = { channel: 'webhook', channelProfileId: 'own', conversationId: 'room 7' };

describe('posting to a webhook', () => {
  it('R3-47 sends a signed message with a stable idempotency key', async () => {
    const { got, adapter } = await openWebhook();
    const it = { executionId: 'exec-1', text: 'hello world', targetRef, note: { step: 1 } };
    expect(await adapter.post(it)).toEqual({ messageId: 'exec-1' });
    await adapter.post(it);
    const [first, second] = got;
    expect(JSON.parse(first!.body)).toEqual(it);
    expect(second!.body).toBe(first!.body);
    for (const { headers, body } of got) {
      expect(headers['idempotency-key']).toBe('exec-1');
      const timestamp = headers['x-journeyman-timestamp'] as string;
      expect(headers['x-journeyman-signature']).toBe(signature(timestamp, body));
    }
  });

  it('the receiver may return the message id', async () => {
    const { answers, adapter } = await openWebhook();
    answers.push({ status: 201, body: { messageId: 'm-9' } });
    expect(await adapter.post({ executionId: 'e', text: 'hi', targetRef })).toEqual({ messageId: 'm-9' });
  });

  it.each([
    [400, 'CHANNEL_REFUSED'],
    [401, 'CHANNEL_REFUSED'],
    [301, 'CHANNEL_REFUSED'],
    [429, 'CHANNEL_UNREACHABLE'],
    [503, 'CHANNEL_UNREACHABLE'],
  ])('status %i is %s', async (status, code) => {
    const { got, answers, adapter } = await openWebhook();
    answers.push({ status, headers: { 'retry-after': '7', location: 'http://127.0.0.1:1/' } });
    await expect(adapter.post({ executionId: 'e', text: 'hi', targetRef })).rejects.toMatchObject({
      problem: { code, reason: `status_${status}`, retryAfterSec: 7 },
    });
    expect(got).toHaveLength(1);
  });
});

describe('requests from a webhook', () => {
  const message = { id: 'm-1', text: 'list jobs', senderId: 'dana', sender: 'Dana', conversationId: 'room 7' };

  function request(
    body: string,
    timestamp = String(Math.floor(Date.now() / 1000)),
    signed = signature(timestamp, body),
  ) {
    const headers = { 'x-journeyman-timestamp': timestamp, 'x-journeyman-signature': signed };
    return { headers, body: Buffer.from(body) };
  }

  it('R3-09 are messages, and answers go to the same conversation', async () => {
    const { adapter } = await openWebhook();
    expect(await adapter.receive('own', request(JSON.stringify({ ...message, note: { step: 1 } })))).toEqual({
      kind: 'message',
      message: {
        messageId: 'm-1',
        text: 'list jobs',
        senderId: 'dana',
        sender: 'Dana',
        conversation: { conversationId: 'room 7' },
        channels: {},
        replyTo: targetRef,
        note: { step: 1 },
      },
    });
  });

  it.each([
    ['another body', request('{}').headers],
    ['an old time', request(JSON.stringify(message), '1700000000').headers],
    ['no signature', {}],
  ])('R3-25 are rejected with %s', async (_, headers) => {
    const { adapter } = await openWebhook();
    const body = Buffer.from(JSON.stringify(message));
    await expect(adapter.receive('own', { headers, body })).rejects.toMatchObject({ problem: { status: 401 } });
  });

  it.each([
    ['no id', { ...message, id: undefined }, '/id'],
    ['an empty text', { ...message, text: ' ' }, '/text'],
    ['an invalid sender', { ...message, senderId: 7 }, '/senderId'],
    ['an invalid note', { ...message, note: 'x' }, '/note'],
  ])('are rejected for %s by name', async (_, body, pointer) => {
    const { adapter } = await openWebhook();
    await expect(adapter.receive('own', request(JSON.stringify(body)))).rejects.toMatchObject({
      problem: { code: 'CHANNEL_MESSAGE_INVALID', pointer },
    });
  });
});
