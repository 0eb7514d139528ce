import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { JsonObject } from '../../src/base/json/value.js';

/** A response of a gateway. */
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

/** A client of gateways that crash: it repeats a request, with its idempotency key, until it gets a response. */
export class PatientClient {
  private readonly agent: Agent;

  constructor(
    tls: { ca?: string; cert?: string; key?: string } = {},
    private readonly patienceMs = 240_000,
  ) {
    // Connections to a killed gateway cannot be reused for its successor.
    this.agent = new Agent({ connect: tls, keepAliveTimeout: 1_000, headersTimeout: 40_000 });
  }

  /** One request; throws without a response. */
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

  /** Repeats the request until the response meets the condition; throws the last error at the timeout. */
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
