import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src/base/json/value.js';

/** A response of a gateway. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

const patienceMs = 900_000;
/** Longer than the time in which a gateway reports that Temporal does not respond. */
const requestTimeoutMs = 60_000;

/** A caller as described in docs/running.md: repeats a request with the same Idempotency-Key, at another gateway, until it gets a response. */
export class Caller {
  /** Repeated requests by reason. */
  readonly repeated: Record<string, number> = {};
  private next = 0;

  constructor(private readonly gateways: readonly string[]) {}

  /** The first final response: anything but a broken connection, 429 and 5xx. */
  async ask(method: 'GET' | 'POST', path: string, body?: JsonObject, key?: string): Promise<Answer> {
    for (const deadline = Date.now() + patienceMs; ; ) {
      const gateway = this.gateways[this.next++ % this.gateways.length]!;
      const answer = await fetch(`${gateway}/api/v1${path}`, {
        method,
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(requestTimeoutMs),
      }).then(
        async (response) => ({
          status: response.status,
          wait: Number(response.headers.get('retry-after') ?? 0),
          body: (await response.json().catch(() => undefined)) as JsonObject | undefined,
        }),
        () => undefined,
      );
      const isFinal = answer?.body && answer.status !== 429 && answer.status < 500;
      if (isFinal) return { status: answer.status, body: answer.body! };
      const reason = answer === undefined ? 'no answer' : `${answer.status} ${String(answer.body?.code ?? '')}`;
      this.repeated[reason] = (this.repeated[reason] ?? 0) + 1;
      if (Date.now() > deadline) throw new Error(`${method} ${path}: ${reason} for ${patienceMs / 60_000} minutes`);
      await sleep(Math.min(5_000, Math.max(250, (answer?.wait ?? 0) * 1_000)));
    }
  }

  /** Polls at this interval until `done`. */
  async until(path: string, done: (answer: Answer) => boolean, everyMs = 500): Promise<Answer> {
    for (const deadline = Date.now() + patienceMs; ; await sleep(everyMs)) {
      const answer = await this.ask('GET', path);
      if (done(answer)) return answer;
      if (Date.now() > deadline)
        throw new Error(`${path} after ${patienceMs / 60_000} minutes: ${JSON.stringify(answer)}`);
    }
  }
}
