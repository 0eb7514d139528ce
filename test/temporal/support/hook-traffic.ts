import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../src/base/json/value.js';
import type { HttpGateway } from './gateway.js';
import { deliver } from './hooks.js';

/** Deliveries that each run waits for, sequentially. */
const perRun = 5;
/** Concurrent deliveries. */
const atOnce = 40;

/** A journey that collects deliveries; with `startIfMissing`, requests start its runs. */
export function collecting(name: string, startIfMissing: boolean): string {
  const start = startIfMissing ? ', startIfMissing: { input: { expr: "{ orderId: payload.orderId }" } }' : '';
  return `
apiVersion: v1
kind: Journey
metadata: { name: ${name}, version: 1.0.0 }
spec:
  key: { expr: context.orderId }
  lifecycle: { startMode: async }
  start: pause
  states:
    pause: { type: timer, timer: { duration: PT0.5S }, next: begin }
    begin: { type: transform, transform: { expr: "[]", target: { kind: var }, resultVar: seen }, next: event }
    event:
      type: webhook
      webhook:
        input: { schema: { type: object, required: [orderId, n], properties: { n: { type: integer } } } }
        signature: { preset: github, secretRef: secret://shop/webhook }
        correlate: { expr: payload.orderId, dedupe: { expr: payload.id }${start} }
      next: keep
    keep: { type: transform, transform: { expr: "context.seen ++ [context.payload.n]", target: { kind: var }, resultVar: seen }, next: which }
    which: { type: choice, choices: [{ when: sizeOf(context.seen) >= ${perRun}, next: done }], default: event }
    done: { type: succeed, output: { expr: "{ seen: context.seen orderBy $ }" } }
`;
}

/** The journeys of the traffic. */
export const trafficJourneys = ['traffic-started', 'traffic-starting'] as const;

/** The results of the traffic. */
export interface TrafficReport {
  /** Counts of requests by final status, and of repeated ones. */
  readonly statuses: Record<string, number>;
  readonly runs: readonly { journey: string; orderId: string }[];
}

/**
 * Sends `deliveries` in random order to runs of both journeys, from a sender that repeats a request after 404, 5xx and a broken connection;
 * one in five twice, with some of a wrong signature or key in between. The runs of the first journey are started meanwhile.
 */
export async function sendTraffic(gateway: HttpGateway, deliveries: number): Promise<TrafficReport> {
  const statuses: Record<string, number> = {};
  const count = (what: string | number) => {
    statuses[what] = (statuses[what] ?? 0) + 1;
  };
  const runs = Array.from({ length: deliveries / perRun }, (_, i) => ({
    journey: trafficJourneys[i % 2]!,
    orderId: `order-${randomUUID()}`,
  }));
  const send = async (journey: string, payload: JsonObject): Promise<void> => {
    for (;;) {
      const answer = await deliver(gateway.url, `${journey}/event`, payload).catch(() => undefined);
      const again = !answer || answer.status === 404 || answer.status >= 500;
      count(answer?.body.repeated ? 'repeated' : (answer?.status ?? 'broken'));
      if (!again) return;
      await sleep(100 + Math.random() * 400);
    }
  };
  const once = async (journey: string, payload: JsonObject, headers: Record<string, string>, status: number) => {
    const answer = await deliver(gateway.url, `${journey}/event`, payload, headers);
    if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}`);
    count(`refused ${status}`);
  };
  const jobs = runs.flatMap(({ journey, orderId }, i) => [
    ...Array.from({ length: perRun }, (_, n) => ({ orderId, n, id: `${orderId}-${n}` })).flatMap((payload) =>
      Array.from({ length: payload.n === i % perRun ? 2 : 1 }, () => () => send(journey, payload)),
    ),
    ...(journey === 'traffic-started' ? [() => startRun(gateway, orderId)] : []),
    ...(i % 4 === 0
      ? [
          () => once(journey, { orderId, n: 9, id: '1' }, { 'x-hub-signature-256': 'sha256=00' }, 401),
          () => once(journey, { orderId: 'a/b', n: 9, id: '1' }, {}, 400),
          () => once('traffic-started', { orderId: `nobody-${orderId}`, n: 9, id: '1' }, {}, 404),
        ]
      : []),
  ]);
  const shuffled = jobs.map((job) => ({ job, at: Math.random() })).sort((a, b) => a.at - b.at);
  // A delivery that waits for its run must not block the start of that run.
  const pool = new Set<Promise<void>>();
  for (const { job } of shuffled) {
    const running: Promise<void> = job().finally(() => pool.delete(running));
    pool.add(running);
    if (pool.size >= atOnce) await Promise.race([...pool, sleep(250)]);
  }
  await Promise.all(pool);
  return { statuses, runs };
}

async function startRun(gateway: HttpGateway, orderId: string): Promise<void> {
  for (;;) {
    const { status } = await gateway.post('/journeys/traffic-started/start', { orderId });
    if (status === 202) return;
    await sleep(200);
  }
}

/** The output of a run that received each of its deliveries once. */
export const eachOnce = { seen: Array.from({ length: perRun }, (_, n) => n) };
