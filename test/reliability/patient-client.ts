import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { JsonObject } from '../../src/base/json/value.js';

/** An answer of a gateway. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** A request to a gateway. */
export interface Sent {
  readonly method?: 'GET' | 'POST';
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client of gateways that die: it repeats a request, with its idempotency key, until somebody has answered it. */
export class PatientClient {
  private readonly agent: Agent;

  constructor(
    tls: { ca?: string; cert?: string; key?: string } = {},
    private readonly patienceMs = 240_000,
  ) {
    // A connection to a gateway that was killed is of no use to its successor.
    this.agent = new Agent({ connect: tls, keepAliveTimeout: 1_000, headersTimeout: 40_000 });
  }

  /** One request; throws if it gets no answer. */
  async once(url: string, { method = 'POST', body, headers = {} }: Sent = {}): Promise<Answer> {
    const { statusCode, body: answer } = await request(url, {
      method,
      dispatcher: this.agent,
      headers: { 'content-type': 'application/json', ...headers },
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    });
    const text = await answer.text();
    return { status: statusCode, body: (text === '' ? {} : JSON.parse(text)) as JsonObject };
  }

  /** Repeats the request until an answer is as wanted; the error of the last attempt when patience ends. */
  async until(url: () => string, sent: Sent, wanted: (answer: Answer) => boolean): Promise<Answer> {
    const deadline = Date.now() + this.patienceMs;
    for (;;) {
      const answer = await this.once(url(), sent).catch((error: Error) => error);
      if (!(answer instanceof Error) && wanted(answer)) return answer;
      if (Date.now() > deadline)
        throw new Error(`${url()}: ${answer instanceof Error ? answer.message : JSON.stringify(answer)}`);
      await sleep(150);
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}
