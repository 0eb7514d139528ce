import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Json, JsonObject } from '../../src/base/json/value.js';
import { eventually } from '../support/eventually.js';

/** A call received by the service. */
export interface Call {
  /** The label of the run that made it. */
  readonly run: string;
  /** The point of the journey: `before`, `step`, `after`, … */
  readonly point: string;
  /** The idempotency key: run, state and visit. */
  readonly key: string | undefined;
  readonly method: string;
  /** The `value` of its body. */
  readonly value: Json | undefined;
}

/** An HTTP service on loopback that records every call to `/<run>/<point>` and can delay its responses. */
export class Ledger {
  readonly calls: Call[] = [];
  private readonly held = new Set<string>();
  private readonly waiting = new Map<string, (() => void)[]>();

  private constructor(
    readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  /** Starts it on a free port, or on the port that runs of an earlier release use. */
  static async start(port = 0): Promise<Ledger> {
    const server = createServer(async (request, response) => {
      const [, run = '', point = ''] = (request.url ?? '').split('/');
      const body = await text(request).catch(() => '');
      const key = request.headers['idempotency-key'] as string | undefined;
      ledger.receive({ run, point, key, method: request.method ?? '', value: bodyValue(body) }, response);
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const ledger: Ledger = new Ledger(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, async () => {
      ledger.releaseAll();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return ledger;
  }

  /** The calls of a run, in order. */
  of(run: string): Call[] {
    return this.calls.filter((it) => it.run === run);
  }

  /** Adds a call to another service: a record of a topic. */
  enter(call: Call): void {
    this.calls.push(call);
  }

  /** Holds the responses to calls of a run at a point until they are released. */
  hold(run: string, point: string): void {
    this.held.add(`${run}/${point}`);
  }

  /** Resolves when a call of the run has reached the point. */
  async reached(run: string, point: string): Promise<void> {
    const arrived = () => this.calls.some((it) => it.run === run && it.point === point);
    await eventually(arrived, (it) => it, { pauseMs: 10, limitMs: 180_000 }).catch(() => {
      throw new Error(`${run} has not reached ${point}`);
    });
  }

  /** Responds to held and future calls at a point. */
  release(run: string, point: string): void {
    const place = `${run}/${point}`;
    this.held.delete(place);
    for (const answer of this.waiting.get(place) ?? []) answer();
    this.waiting.delete(place);
  }

  /** Responds to all held calls. */
  releaseAll(): void {
    for (const place of [...this.held]) this.release(...(place.split('/') as [string, string]));
  }

  private receive(call: Call, response: ServerResponse): void {
    this.calls.push(call);
    const place = `${call.run}/${call.point}`;
    const answer = () => response.setHeader('content-type', 'application/json').end('{"ok":true}');
    if (!this.held.has(place)) return void answer();
    this.waiting.set(place, [...(this.waiting.get(place) ?? []), answer]);
  }
}

function bodyValue(body: string): Json | undefined {
  try {
    return (JSON.parse(body) as JsonObject).value;
  } catch {
    return undefined;
  }
}
