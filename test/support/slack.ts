import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message as stored by Slack. */
export interface SlackMessage {
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts?: string;
  readonly text: string;
  readonly user: string;
  readonly bot_id?: string;
  readonly metadata?: { event_type: string; event_payload: Record<string, unknown> };
}

/** The failure of a call. `lost`: the call takes effect, but its response never arrives. */
export type Fault = { status: number; retryAfter?: number } | { error: string } | { lost: true };

/** A received call. */
export interface SlackCall {
  readonly method: string;
  readonly token: string | undefined;
  readonly args: Readonly<Record<string, string>>;
}

export const bot = { user: 'U0BOT', bot_id: 'B0BOT' };

/** Implements the part of Slack's Web API that we use, over HTTP, and records calls. */
export class FakeSlack {
  readonly calls: SlackCall[] = [];
  readonly messages: SlackMessage[] = [];
  /** The maximum number of messages per page. */
  pageSize = 200;
  private readonly faults = new Map<string, Fault[]>();
  private sequence = 0;

  private constructor(
    readonly token: string,
    private readonly channels: readonly string[],
    private readonly server = createServer((request, response) => {
      void this.answer(request).then((answer) => {
        if (answer === undefined) return void request.socket.destroy();
        const { status = 200, headers = {}, body } = answer;
        response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
        response.end(JSON.stringify(body));
      });
    }),
  ) {}

  static async start(token = 'xoxb-stand-in-token', channels = ['C100', 'C200', 'D100']): Promise<FakeSlack> {
    const slack = new FakeSlack(token, channels);
    await new Promise<void>((resolve) => slack.server.listen(0, '127.0.0.1', resolve));
    return slack;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/api/`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Names of users that the app may read. */
  readonly names = new Map<string, string>();

  /** Makes the next calls of `method` fail, one failure per call. */
  fail(method: string, ...faults: Fault[]): void {
    this.faults.set(method, [...(this.faults.get(method) ?? []), ...faults]);
  }

  callsOf(method: string): SlackCall[] {
    return this.calls.filter((it) => it.method === method);
  }

  /** Messages of our bot. */
  get said(): SlackMessage[] {
    return this.messages.filter((it) => it.bot_id === bot.bot_id);
  }

  /** Posts a user's message; returns the event that Slack sends for it. */
  say(text: string, where: { channel?: string; thread?: string; user?: string } = {}) {
    const { channel = 'C100', thread, user = 'U42' } = where;
    const message = this.keep({ channel, user, text, ...(thread !== undefined && { thread_ts: thread }) });
    const mention = text.includes(`<@${bot.user}>`);
    return {
      type: 'event_callback',
      team_id: 'T1',
      event_id: `Ev${message.ts.replace('.', '')}`,
      authorizations: [{ team_id: 'T1', user_id: bot.user, is_bot: true }],
      event: {
        ...message,
        type: mention && !channel.startsWith('D') ? 'app_mention' : 'message',
        channel_type: channel.startsWith('D') ? 'im' : 'channel',
        event_ts: message.ts,
      },
    };
  }

  /** A message of another app, or an artificial one. */
  keep(message: Omit<SlackMessage, 'ts'>): SlackMessage {
    const ts = `${Math.floor(Date.now() / 1000)}.${String(++this.sequence).padStart(6, '0')}`;
    const kept = { ...message, ts };
    this.messages.push(kept);
    return kept;
  }

  private async answer(request: IncomingMessage): Promise<Answer | undefined> {
    const method = (request.url ?? '').replace('/api/', '');
    const args = Object.fromEntries(new URLSearchParams(await textOf(request)));
    const token = request.headers.authorization?.replace('Bearer ', '');
    this.calls.push({ method, token, args });
    const fault = this.faults.get(method)?.shift();
    if (fault && 'status' in fault) {
      const headers = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
      return { status: fault.status, headers, body: { ok: false, error: 'ratelimited' } };
    }
    if (fault && 'error' in fault) return { body: { ok: false, error: fault.error } };
    if (token !== this.token) return { body: { ok: false, error: 'invalid_auth' } };
    const body = this.perform(method, args);
    return fault ? undefined : { body };
  }

  private perform(method: string, args: Record<string, string>): object {
    const { channel = '' } = args;
    if (method === 'auth.test') return { ok: true, user_id: bot.user, bot_id: bot.bot_id, team_id: 'T1' };
    if (method === 'users.info') {
      const name = this.names.get(args.user ?? '');
      return name === undefined
        ? { ok: false, error: 'missing_scope' }
        : { ok: true, user: { id: args.user, profile: { display_name: name } } };
    }
    if (!this.channels.includes(channel)) return { ok: false, error: 'channel_not_found' };
    if (method === 'chat.postMessage') return this.postMessage(channel, args);
    const here = this.messages.filter((it) => it.channel === channel);
    if (method === 'conversations.history') {
      return this.page(here.filter((it) => it.thread_ts === undefined).reverse(), args);
    }
    if (method === 'conversations.replies') {
      if (!here.some((it) => it.ts === args.ts)) return { ok: false, error: 'thread_not_found' };
      return this.page(
        here.filter((it) => it.ts === args.ts || it.thread_ts === args.ts),
        args,
      );
    }
    return { ok: false, error: 'unknown_method' };
  }

  private postMessage(channel: string, { text = '', thread_ts, metadata }: Record<string, string>): object {
    if (text === '') return { ok: false, error: 'no_text' };
    const message = this.keep({
      channel,
      text,
      ...bot,
      ...(thread_ts !== undefined && { thread_ts }),
      ...(metadata !== undefined && { metadata: JSON.parse(metadata) as SlackMessage['metadata'] }),
    } as Omit<SlackMessage, 'ts'>);
    return { ok: true, channel, ts: message.ts, message };
  }

  private page(
    all: SlackMessage[],
    { cursor = '0', limit = '100', oldest = '0', ...args }: Record<string, string>,
  ): object {
    const size = Math.min(Number(limit), this.pageSize);
    const from = Number(cursor);
    const recent = all.filter((it) => Number(it.ts) >= Number(oldest));
    const messages = recent.slice(from, from + size).map(({ metadata, ...it }) => ({
      ...it,
      ...(args.include_all_metadata === 'true' && metadata && { metadata }),
    }));
    const more = from + size < recent.length;
    return { ok: true, messages, has_more: more, response_metadata: { next_cursor: more ? String(from + size) : '' } };
  }
}

/** The headers with which Slack signs `body`; by default valid and current. */
export function slackHeaders(body: string, secret: string, atSec = Math.floor(Date.now() / 1000)) {
  const digest = createHmac('sha256', secret).update(`v0:${atSec}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': String(atSec), 'x-slack-signature': `v0=${digest}` };
}

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: object;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
