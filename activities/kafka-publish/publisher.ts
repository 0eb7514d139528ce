import { createHash, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Producer } from '@platformatic/kafka';
import { refuse } from '../../src/base/problems/problem.js';
import type { KafkaConfig } from '../../src/config/config-types.js';
import type { Perform } from '../../src/language/tasks/effect-interface.js';
import type { KafkaRecord } from '../../src/language/tasks/kafka-publish.js';
import { clientOptions, createTracked, flattenError, withDeadline } from './destroyable-kafka-client.js';
import type { ConnectionOf, KafkaConnection } from './read-kafka-connection-settings.js';

/** The effect `kafka`. */
export function kafkaEffect(publisher: Publisher): Perform {
  return async (input, { signal }) => {
    await publisher.publish(input as unknown as KafkaRecord, signal);
    return null;
  };
}

/** Logger of the publisher, in pino's shape. */
export interface KafkaLog {
  warn(fields: object, message: string): void;
}

type TextProducer = Producer<string, string, string, string>;

interface OpenProducer {
  readonly producer: TextProducer;
  /** Destroys its sockets. */
  destroy(): void;
  /** The last publish of each topic, which the next one waits for. */
  readonly tails: Map<string, Promise<unknown>>;
  /** Set when a publish failed. The sequence numbers that the broker has seen are then unknown, so the producer is not used again. */
  isBroken?: true;
}

/** Limit on open producers. Beyond it, which happens when secrets are rotated, the least recently used one is closed. */
const maxProducers = 20;

const attemptMs = 10_000;

const retryDelayMs = 250;

/** The client reduces a partition number modulo the number of partitions. */
const anyPartition = 2 ** 31 - 1;

/**
 * Publishes events with idempotent producers, so that a retried send is written once. The client increments sequence numbers only when the
 * broker answers: two concurrent publishes to one partition would get the same number, and the broker would silently drop the second.
 * Publishes to one topic are therefore sequential.
 */
export class Publisher {
  private readonly producers = new Map<string, Promise<OpenProducer>>();

  constructor(
    private readonly config: Pick<KafkaConfig, 'timeoutMs'>,
    private readonly connectionOf: ConnectionOf,
    private readonly log: KafkaLog,
  ) {}

  async publish(record: KafkaRecord, signal: AbortSignal): Promise<void> {
    const until = Date.now() + this.config.timeoutMs;
    const connection = this.connectionOf(record.connectionSecretRef);
    const id = createHash('sha256').update(JSON.stringify(connection)).digest('base64url');
    for (;;) {
      signal.throwIfAborted();
      const open = await this.producerOf(id, connection);
      try {
        if (await inTurn(open.tails, record.topic, () => this.send(open, record, { until, signal }))) return;
      } catch (error) {
        open.isBroken = true;
        await this.drop(id, open);
        if (signal.aborted) throw signal.reason;
        const { code, final } = causeOf(error);
        if (final || Date.now() + retryDelayMs >= until) notPublished(record, code);
        await sleep(retryDelayMs);
      }
      if (Date.now() >= until) notPublished(record, 'TIMEOUT');
    }
  }

  /** Returns false when the producer is broken or no time is left, which happens after waiting for earlier publishes to a silent broker. */
  private async send(
    open: OpenProducer,
    record: KafkaRecord,
    how: { until: number; signal: AbortSignal },
  ): Promise<boolean> {
    const message = messageOf(record);
    for (;;) {
      how.signal.throwIfAborted();
      if (open.isBroken || Date.now() >= how.until) return false;
      try {
        const left = Math.min(this.attemptMs, how.until - Date.now());
        await withDeadline(open.producer.send({ messages: [message] }), left);
        return true;
      } catch (error) {
        const { code, sameNumber } = causeOf(error);
        this.log.warn({ topic: record.topic, code }, 'An event was not published');
        if (!sameNumber || Date.now() + retryDelayMs >= how.until) throw error;
        // The broker may have written the event although its answer was lost. The same producer sends it again with the same number, so
        // it is written once.
        open.producer.clearMetadata();
        await sleep(retryDelayMs);
      }
    }
  }

  async close(): Promise<void> {
    const all = [...this.producers.values()];
    this.producers.clear();
    await Promise.allSettled(all.map(async (it) => closeProducer(await it)));
  }

  private get attemptMs(): number {
    return Math.min(attemptMs, this.config.timeoutMs);
  }

  private async producerOf(id: string, connection: KafkaConnection): Promise<OpenProducer> {
    const open = this.producers.get(id) ?? openProducer(connection, this.attemptMs);
    this.producers.delete(id);
    this.producers.set(id, open);
    const [oldest] = this.producers;
    if (this.producers.size > maxProducers && oldest) {
      this.producers.delete(oldest[0]);
      void oldest[1].then((it) => this.drop(oldest[0], it)).catch(() => undefined);
    }
    return await open;
  }

  /** Closes a producer once its pending publishes have ended. */
  private async drop(id: string, open: OpenProducer): Promise<void> {
    if ((await this.producers.get(id)) === open) this.producers.delete(id);
    void Promise.allSettled(open.tails.values())
      .then(() => closeProducer(open))
      .catch(() => undefined);
  }
}

function notPublished({ topic }: KafkaRecord, code: string): never {
  return refuse('KAFKA_PUBLISH_FAILED', `The event for ${topic} was not published (${code}).`);
}

/** An event without a key goes to a random partition, which retries reuse: sequence numbers are per partition. */
function messageOf({ topic, key, value, headers }: KafkaRecord) {
  const place = key === undefined ? { partition: randomInt(anyPartition) } : { key };
  return { topic, value, headers: new Map(Object.entries(headers)), ...place };
}

/** Opens a producer. The client is loaded here because it is large and most workers never publish. */
async function openProducer(connection: KafkaConnection, timeoutMs: number): Promise<OpenProducer> {
  const kafka = await import('@platformatic/kafka');
  const { client, destroy } = createTracked(
    kafka,
    () =>
      new kafka.Producer({
        ...clientOptions(connection, timeoutMs),
        serializers: kafka.stringSerializers,
        // The cluster decides whether missing topics are created.
        autocreateTopics: true,
        idempotent: true,
        acks: -1,
        retries: 2,
        retryDelay: retryDelayMs,
      }),
  );
  return { producer: client, destroy, tails: new Map() };
}

/** Closes a producer. The client waits for the broker to close its side, which a silent one never does, so the sockets are destroyed. */
async function closeProducer({ producer, destroy }: OpenProducer): Promise<void> {
  const closed = producer.close();
  destroy();
  await closed;
}

/** Runs `work` after the work that was queued before under the same name. */
async function inTurn<T>(tails: Map<string, Promise<unknown>>, name: string, work: () => Promise<T>): Promise<T> {
  const mine = (tails.get(name) ?? Promise.resolve()).then(work, work);
  const tail = mine.catch(() => undefined);
  tails.set(name, tail);
  try {
    return await mine;
  } finally {
    if (tails.get(name) === tail) tails.delete(name);
  }
}

/**
 * Classifies an error of the client: `final` if another attempt would fail the same way, `sameNumber` if the same producer may retry. It may
 * not when the connection is silent or the broker has lost the producer's sequence number.
 */
function causeOf(error: unknown): { code: string; final: boolean; sameNumber: boolean } {
  const all = flattenError(error);
  const broker = all.find(({ apiId }) => apiId !== undefined);
  const code = broker?.apiId ?? all.at(-1)?.code ?? 'UNKNOWN';
  const final = finalCodes.has(code);
  const isWorthIt = all.every(({ canRetry }) => canRetry !== false);
  return { code, final, sameNumber: !final && isWorthIt && !lostCount.has(code) };
}

const lostCount = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
  'PRODUCER_FENCED',
]);

const finalCodes = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_TOPIC_EXCEPTION',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'INVALID_RECORD',
  'POLICY_VIOLATION',
]);
