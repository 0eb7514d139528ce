import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Consumer, stringDeserializers } from '@platformatic/kafka';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Publisher } from '../../../../activities/kafka-publish/publisher.js';
import { kafkaConnections } from '../../../../activities/kafka-publish/read-kafka-connection-settings.js';
import type { KafkaRecord } from '../../../../src/language/tasks/kafka-publish.js';
import { hasKafka, type Service, startKafka } from '../../../support/services.js';

const { signal } = new AbortController();
const record = (topic: string, more: Partial<KafkaRecord> = {}): KafkaRecord => ({
  topic,
  value: '{"n":1}',
  headers: {},
  ...more,
});
const log = { warn: () => undefined };
const codeOf = (error: { problem?: { code: string } }) => error.problem?.code;

describe('a Kafka connection', () => {
  const publish = (text: string | undefined, brokers: string[] = []) =>
    new Publisher(
      { timeoutMs: 500 },
      kafkaConnections({ brokers }, () => text),
      log,
    ).publish(record('t', { connectionSecretRef: 'secret://k' }), signal);

  it.each([
    ['not JSON', 'brokers: a:1', 'it is not JSON'],
    ['no brokers', '{}', 'brokers must be a list'],
    ['an unknown mechanism', '{"brokers":["a:1"],"sasl":{"mechanism":"hunter2"}}', 'sasl.mechanism'],
    ['a key that tls does not have', '{"brokers":["a:1"],"tls":{"pass":"hunter2"}}', 'tls takes'],
  ])('with %s is rejected without quoting it', async (_, text, message) => {
    const error = (await publish(text).catch((it) => it)) as Error & { problem: { code: string } };
    expect(error.problem.code).toBe('KAFKA_CONNECTION');
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('hunter2');
  });

  it('is required for publishing', async () => {
    await expect(publish(undefined)).rejects.toMatchObject({ problem: { code: 'KAFKA_CONNECTION' } });
  });

  it('without a reachable broker fails with KAFKA_PUBLISH_FAILED after the timeout', async () => {
    await expect(publish(undefined, ['127.0.0.1:1'])).rejects.toMatchObject({
      problem: { code: 'KAFKA_PUBLISH_FAILED', status: 424 },
    });
  });

  it.each([
    ['', undefined],
    [' to a login', { mechanism: 'PLAIN', username: 'ada', password: 'x' }],
  ])(
    'to a broker that never responds%s fails each event after its timeout, and leaves no socket open',
    async (_, sasl) => {
      const sockets: Socket[] = [];
      // It keeps its side open when the client closes.
      const silent = createServer({ allowHalfOpen: true }, (socket) =>
        sockets.push(socket.on('error', () => undefined)),
      );
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const brokers = [`127.0.0.1:${(silent.address() as AddressInfo).port}`];
      const connection = kafkaConnections({ brokers: [] }, () => JSON.stringify({ brokers, sasl }));
      const publisher = new Publisher({ timeoutMs: 500 }, connection, log);
      const events = Array.from({ length: 30 }, () => publisher.publish(record('orders'), signal).catch(codeOf));
      // In sequence, each with its own timeout, they would take far longer than the timeout of this test.
      expect(new Set(await Promise.all(events))).toEqual(new Set(['KAFKA_PUBLISH_FAILED']));
      await publisher.close();
      expect(sockets).not.toEqual([]);
      // A write to a socket is reset once the other side is destroyed; one that the client only half-closed would accept it.
      for (const socket of sockets) while (socket.write('x')) await sleep(20);
      silent.close();
    },
  );
});

/** A proxy in front of a broker that drops the next `lost` responses to publishes, together with the connection. */
class Lossy {
  lost = 0;
  /** While set, the broker's responses are dropped and connections stay open. */
  silent = false;
  private readonly server = createServer((client) => this.join(client));

  constructor(private readonly port: number) {}

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
  }

  private join(client: Socket): void {
    const broker = connect(this.port, '127.0.0.1');
    let losing = false;
    const end = () => {
      client.destroy();
      broker.destroy();
    };
    for (const socket of [client, broker]) socket.on('error', end).on('close', end);
    client.on('data', (bytes) => {
      // The client sends each request in a write of its own: its length, then 0 for a publish.
      if (this.lost > 0 && bytes.readInt16BE(4) === 0) {
        this.lost -= 1;
        losing = true;
      }
      broker.write(bytes);
    });
    broker.on('data', (bytes) => (losing ? end() : this.silent || client.write(bytes)));
  }
}

describe.skipIf(!hasKafka)('publishing to a real Kafka', () => {
  let kafka: Service;
  let lossy: Lossy;
  let publisher: Publisher;
  beforeAll(async () => {
    kafka = await startKafka(async (port) => {
      lossy = new Lossy(port);
      return await lossy.listen();
    });
    publisher = new Publisher(
      { timeoutMs: 30_000 },
      kafkaConnections({ brokers: [kafka.address] }, () => undefined),
      log,
    );
  });
  afterAll(async () => {
    await publisher.close();
    await kafka.stop();
    lossy.close();
  });

  async function received(topic: string, count: number) {
    const consumer = new Consumer({
      groupId: `test-${topic}`,
      clientId: 'test',
      bootstrapBrokers: [kafka.address],
      deserializers: stringDeserializers,
    });
    const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false });
    const records: { key: string | undefined; value: string; headers: Record<string, string> }[] = [];
    for await (const { key, value, headers } of stream) {
      records.push({ key, value, headers: Object.fromEntries(headers) as Record<string, string> });
      if (records.length === count) break;
    }
    await consumer.close(true);
    return records;
  }

  it('JL-U21 writes key, value and headers, and creates the topic if the cluster allows it', async () => {
    await publisher.publish(
      record('orders', { key: '7', headers: { 'idempotency-key': 'run/publish#1', kind: 'paid' } }),
      signal,
    );
    expect(await received('orders', 1)).toEqual([
      { key: '7', value: '{"n":1}', headers: { 'idempotency-key': 'run/publish#1', kind: 'paid' } },
    ]);
  });

  it('loses none of many concurrent events for one partition', async () => {
    const values = Array.from({ length: 40 }, (_, i) => String(i));
    await Promise.all(values.map((value) => publisher.publish(record('busy', { key: 'same', value }), signal)));
    const all = (await received('busy', values.length)).map(({ value }) => value);
    expect(all).toEqual(values);
  });

  it('rejects an event that the broker will never accept at once, and publishes the next', async () => {
    const large = record('orders', { key: '7', value: 'x'.repeat(200_000) });
    await expect(publisher.publish(large, signal)).rejects.toMatchObject({ problem: { code: 'KAFKA_PUBLISH_FAILED' } });
    await publisher.publish(record('after', { key: '8' }), signal);
    expect(await received('after', 1)).toHaveLength(1);
  });

  it('fails an event after its timeout if the broker stops responding, and publishes again once it responds', async () => {
    const connection = kafkaConnections({ brokers: [kafka.address] }, () => undefined);
    const impatient = new Publisher({ timeoutMs: 3000 }, connection, log);
    await impatient.publish(record('silent', { value: 'before' }), signal);
    lossy.silent = true;
    const began = Date.now();
    const unanswered = ['silent', 'silent', 'other'].map((topic) => impatient.publish(record(topic), signal));
    const ended = await Promise.all(unanswered.map((it) => it.catch(codeOf)));
    expect(ended).toEqual(ended.map(() => 'KAFKA_PUBLISH_FAILED'));
    expect(Date.now() - began).toBeLessThan(8000);
    lossy.silent = false;
    await impatient.publish(record('silent', { value: 'after' }), signal);
    await impatient.close();
  });

  it('writes a record once although the broker’s responses are lost', async () => {
    for (const key of ['7', undefined]) {
      const topic = key === undefined ? 'lossy-any' : 'lossy';
      const of = (value: string) => record(topic, { value, ...(key !== undefined && { key }) });
      await publisher.publish(of('before'), signal);
      lossy.lost = 5;
      await publisher.publish(of('lost'), signal);
      expect(lossy.lost).toBe(0);
      await publisher.publish(of('after'), signal);
      const all = await received(topic, 3);
      expect(all.map(({ value }) => value).sort()).toEqual(['after', 'before', 'lost']);
    }
  });
});
