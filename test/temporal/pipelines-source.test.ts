import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/engine/outcome.js';
import { pollersOf } from '../../src/temporal/queue-pollers.js';
import { eventually } from '../support/eventually.js';
import { KafkaTopic } from '../support/kafka-topic.js';
import { hasKafka, type Service, startKafka } from '../support/services.js';
import { lineOf, PipelineRig } from './support/pipelines.js';
import { rig } from './support/rig.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

describe.skipIf(!hasKafka)('a topic with a Kafka source', () => {
  let rigged: PipelineRig;
  let kafka: Service;
  let worker: WorkerProcess;
  const topics: KafkaTopic[] = [];
  const logged: string[] = [];
  const start = () =>
    workerProcess(
      {
        TEMPORAL_ADDRESS: rigged.rig.config.temporal.address!,
        JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.rig.config.temporal.taskQueue,
        JOURNEYMAN_KAFKA_BROKERS: kafka.address,
        JOURNEYMAN_LOG_LEVEL: 'warn',
      },
      (line) => logged.push(line),
    );
  beforeAll(async () => {
    rigged = new PipelineRig(await rig({ worker: false }));
    kafka = await startKafka();
    worker = await start();
  });
  // A dead worker's last lines are printed and it is replaced, so that later tests do not fail because of it.
  beforeEach(async () => {
    // One that is shutting down stays alive for a while without polling.
    const { client, config } = rigged.rig;
    const polls = async () => (await pollersOf(client, config.temporal.taskQueue)).works;
    await eventually(async () => !isAlive(worker.pid) || (await polls()), Boolean);
    if (isAlive(worker.pid)) return;
    process.stderr.write(`The worker died:\n${logged.slice(-10).join('\n')}\n`);
    worker = await start();
  });
  afterAll(async () => {
    for (const topic of topics) await topic.close();
    await worker.stop();
    await rigged.rig.stop();
    await kafka.stop();
  });

  const kafkaTopic = async (name: string) => {
    const topic = await KafkaTopic.create(kafka.address, name);
    topics.push(topic);
    return topic;
  };

  /** A pipeline whose topic `orders` is read from the Kafka topic of the pipeline's name; its journeys return their input. */
  const sourced = (name: string, { consumer = '', topic = '', group = 'test', more = '', version = '1.0.0' } = {}) =>
    lineOf(name, { consumer, more, version })
      .replace('orders: {}', `orders: { source: { kafka: { topic: ${name}, group: ${group} } } ${topic} }`)
      .replace('event.payload', '{ id: events map $.payload }');

  const batch = (size: number) =>
    `prepare: { lang: dataweave, expr: "events.orders[0 to (min([${size}, sizeOf(events.orders)]) - 1)]" }`;

  /** The payloads that the journeys of a pipeline received. */
  async function consumed(name: string): Promise<unknown[]> {
    const { workflow } = rigged.rig.client;
    const found: unknown[] = [];
    for await (const { workflowId } of workflow.list({ query: `JourneyTags = 'pipelineName=${name}'` })) {
      const { output } = (await workflow.getHandle(workflowId).result()) as Outcome;
      found.push(...(output as { seen: unknown[] }).seen);
    }
    return found;
  }

  it('GAP-19 consumes each record exactly once while workers share the partitions and are killed', async () => {
    const topic = await kafkaTopic('flood');
    await rigged.deploy(sourced('flood', { consumer: batch(100) }));
    const values = Array.from({ length: 3_000 }, (_, n) => ({ n }));
    await topic.write(values.slice(0, 2_000));
    await rigged.until('flood', ({ topics: { orders } }) => orders!.source!.taken > 300);
    const other = await start();
    await worker.kill9();
    await topic.write(values.slice(2_000));
    await rigged.until('flood', ({ topics: { orders } }) => orders!.source!.taken > 2_000);
    worker = await start();
    await other.kill9();
    const shown = await rigged.until(
      'flood',
      ({ topics: { orders } }) => orders!.source!.taken === 3_000 && orders!.pending + orders!.reserved === 0,
      120_000,
    );
    const seen = await eventually(
      () => consumed('flood'),
      (all) => all.length >= 3_000,
    );
    expect(seen.length).toBe(3_000);
    expect(new Set(seen.map((it) => (it as { n: number }).n)).size).toBe(3_000);
    expect(shown).toMatchObject({
      status: 'running',
      counts: { failed: 0, suspended: 0 },
      topics: {
        orders: {
          bytes: 0,
          room: { events: 10_000, bytes: 1_000_000 },
          source: { taken: 3_000, lag: 0, lost: 0, next: { 0: 1_500, 1: 1_500 } },
        },
      },
    });
    await expect.poll(() => topic.committed('test')).toEqual([1_500, 1_500]);
  });

  it('GAP-19 stops reading when the topic is full, and continues when it has capacity', async () => {
    const topic = await kafkaTopic('narrow');
    await rigged.deploy(sourced('narrow', { more: '  policy: { maxEventsPerTopic: 5 }' }));
    await rigged.pipelines.pause('narrow', 'hold');
    await topic.write(Array.from({ length: 40 }, (_, n) => n));
    const held = await rigged.until('narrow', ({ topics: { orders } }) => orders!.pending === 5);
    expect(held.topics.orders).toMatchObject({ room: { events: 0 }, source: { taken: 5 } });
    expect(held.topics.orders!.bytes).toBeGreaterThan(0);
    await rigged.pipelines.resume('narrow');
    await rigged.committed('narrow', 40);
    const seen = await eventually(
      () => consumed('narrow'),
      (all) => all.length >= 40,
    );
    expect((seen as number[]).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
  });

  it('GAP-19 stops at a record that is not a valid event, reports it, and continues as instructed', async () => {
    const topic = await kafkaTopic('poison');
    const schema = ', schema: { type: [object, "null"], required: [n] }';
    await rigged.deploy(sourced('poison', { topic: schema }));
    await topic.write([{ n: 1 }, 'no json', undefined, { m: 2 }, { n: 3 }], 1);
    const { pauses } = await rigged.until('poison', ({ status }) => status === 'paused');
    expect(pauses).toMatchObject([{ reason: 'source', source: { topic: 'orders', id: 'poison:1:1' } }]);
    expect(pauses[0]!.text).toMatch(
      /partition 1, offset 1.+EVENT_INVALID: It is not JSON\..+resolve poison poison:1:1 skip$/,
    );
    await rigged.pipelines.resolve('poison', 'poison:1:1', 'skip');
    // A record without a value has the payload null; the one after it does not match the schema.
    const next = await rigged.until('poison', ({ pauses: [first] }) => first?.source?.id === 'poison:1:3');
    expect(next.topics.orders).toMatchObject({ source: { taken: 2 } });
    await rigged.deploy(sourced('poison', { version: '1.1.0' }));
    await rigged.pipelines.resume('poison');
    await rigged.committed('poison', 4);
    const seen = await eventually(
      () => consumed('poison'),
      (all) => all.length >= 4,
    );
    expect(seen).toEqual(expect.arrayContaining([{ n: 1 }, null, { m: 2 }, { n: 3 }]));
    const { items } = await rigged.pipelines.events('poison', 'orders', { status: 'skipped', pageSize: 10 });
    expect(items).toMatchObject([{ id: 'poison:1:1' }]);
  });

  it('GAP-19 reports a recreated topic instead of dropping records, and starts over with another group', async () => {
    const topic = await kafkaTopic('reborn');
    await rigged.deploy(sourced('reborn'));
    await topic.write(['"a"', '"b"', '"c"'], 0);
    await rigged.committed('reborn', 3);
    await topic.recreate();
    await topic.write(['"d"'], 0);
    const { pauses } = await rigged.until('reborn', ({ status }) => status === 'paused');
    expect(pauses).toMatchObject([{ reason: 'source', source: { topic: 'orders' } }]);
    expect(pauses[0]!.text).toMatch(
      /SOURCE_RESET.+To read the new topic from its beginning, run: journeyman pipeline resume reborn$/,
    );
    await rigged.pipelines.resume('reborn');
    await rigged.committed('reborn', 4);
    await rigged.deploy(sourced('reborn', { version: '1.1.0', group: 'again' }));
    await rigged.committed('reborn', 5);
    const seen = await eventually(
      () => consumed('reborn'),
      (all) => all.length >= 5,
    );
    expect(seen.toSorted()).toEqual(['a', 'b', 'c', 'd', 'd']);
  });

  it('GAP-19 restarts a terminated pipeline, and stops reading for a removed one', async () => {
    const topic = await kafkaTopic('source-ended');
    await rigged.deploy(sourced('source-ended'), undefined, 'gone');
    await rigged.entity('source-ended').terminate('by hand');
    await topic.write([1]);
    await rigged.committed('source-ended', 1);
    const removed = await eventually(
      () => rigged.pipelines.removeOthers('gone', []),
      (names) => names.length > 0,
    );
    expect(removed).toEqual([{ name: 'source-ended' }]);
    await topic.write([2]);
    await rigged.deploy(sourced('source-ended'), undefined, 'gone');
    await rigged.committed('source-ended', 2);
  });

  it('GAP-19 reports an unreadable source once, and resumes when it is readable', async () => {
    await rigged.deploy(sourced('unread'));
    const isOurs = (line: string) => line.includes('cannot be read') && line.includes('unread');
    await expect.poll(() => logged.filter(isOurs).length).toBe(1);
    expect(await rigged.pipelines.show('unread')).toMatchObject({ status: 'running' });
    await rigged.publish('unread', 'by-hand', { id: 'x' });
    await rigged.committed('unread', 1);
    const topic = await kafkaTopic('unread');
    await topic.write([7]);
    await rigged.committed('unread', 2);
    expect(logged.filter(isOurs).length).toBe(1);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
