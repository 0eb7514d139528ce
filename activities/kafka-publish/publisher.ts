import { createHash, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Producer } from '@platformatic/kafka';
import type { KafkaConfig } from '../../src/config/config.js';
import { refuse } from '../../src/problems/problem.js';
import type { KafkaRecord } from '../../src/tasks/kafka-publish/run.js';
import { type KafkaConnection, readConnection } from './connection.js';

/** The part of a logger that publishing needs; pino's shape. */
export interface KafkaLog {
  warn(fields: object, message: string): void;
}

/** Reads the JSON of a connection; without a reference, of the configured one. */
export type ReadConnectionText = (ref: string | undefined) => Promise<string | undefined> | string | undefined;

type TextProducer = Producer<string, string, string, string>;

interface Kept {
  readonly producer: TextProducer;
  /** The last publish of each topic, so that the next one waits for it. */
  readonly tails: Map<string, Promise<unknown>>;
  /** One of its publishes failed, so nobody knows which numbers the broker has seen: nothing more goes out through it. */
  isBroken?: true;
}

/** So many connections are kept at a time; a rotated secret makes the oldest go. */
const mostConnections = 20;
const attemptMs = 10_000;
const retryDelayMs = 250;
/** The client takes what a partition's number leaves when it is divided by how many there are. */
const anyPartition = 2 ** 31 - 1;

/**
 * Publishes events with idempotent producers, so that a repeated attempt of ours is written once. The client counts records only after
 * their answer: two publishes to one partition at once would get the same number, and the broker would drop the second without a word.
 * So publishes to one topic go one after another.
 */
export class Publisher {
  private readonly kept = new Map<string, Promise<Kept>>();

  constructor(
    private readonly config: Pick<KafkaConfig, 'brokers' | 'timeoutMs'>,
    private readonly connectionText: ReadConnectionText,
    private readonly log: KafkaLog,
  ) {}

  async publish(record: KafkaRecord, signal: AbortSignal): Promise<void> {
    const until = Date.now() + this.config.timeoutMs;
    const connection = await this.connectionOf(record.connectionSecretRef);
    const id = createHash('sha256').update(JSON.stringify(connection)).digest('base64url');
    for (;;) {
      signal.throwIfAborted();
      const kept = await this.producerOf(id, connection);
      try {
        if (await inTurn(kept.tails, record.topic, () => this.send(kept, record, { until, signal }))) return;
      } catch (error) {
        kept.isBroken = true;
        await this.drop(id, kept);
        if (signal.aborted) throw signal.reason;
        const { code, final } = causeOf(error);
        if (final || Date.now() + retryDelayMs >= until) notPublished(record, code);
        await sleep(retryDelayMs);
      }
      if (Date.now() >= until) notPublished(record, 'TIMEOUT');
    }
  }

  /** False when the producer can no longer be used, or no time is left: others may have waited long for a broker that does not answer. */
  private async send(kept: Kept, record: KafkaRecord, how: { until: number; signal: AbortSignal }): Promise<boolean> {
    const message = messageOf(record);
    for (;;) {
      how.signal.throwIfAborted();
      if (kept.isBroken || Date.now() >= how.until) return false;
      try {
        await kept.producer.send({ messages: [message] });
        return true;
      } catch (error) {
        const { code, sameNumber } = causeOf(error);
        this.log.warn({ topic: record.topic, code }, 'An event was not published');
        if (!sameNumber || Date.now() + retryDelayMs >= how.until) throw error;
        // The broker may have written it and its answer was lost: sent again by the same producer it has the same number, and is written once.
        kept.producer.clearMetadata();
        await sleep(retryDelayMs);
      }
    }
  }

  async close(): Promise<void> {
    const all = [...this.kept.values()];
    this.kept.clear();
    await Promise.allSettled(all.map(async (it) => (await it).producer.close(true)));
  }

  private async connectionOf(ref: string | undefined): Promise<KafkaConnection> {
    const { brokers } = this.config;
    const text = ref === undefined && brokers.length > 0 ? undefined : await this.connectionText(ref);
    if (text !== undefined) return readConnection(text, ref ?? 'kafka.connection');
    if (brokers.length > 0) return { brokers, clientId: 'journeyman' };
    return refuse('KAFKA_CONNECTION', 'The task names no Kafka connection, and none is configured.', {
      hint: 'Set kafka.brokers or kafka.connection, or connectionSecretRef on the task.',
    });
  }

  private async producerOf(id: string, connection: KafkaConnection): Promise<Kept> {
    const kept = this.kept.get(id) ?? open(connection, Math.min(attemptMs, this.config.timeoutMs));
    this.kept.delete(id);
    this.kept.set(id, kept);
    const [oldest] = this.kept;
    if (this.kept.size > mostConnections && oldest) {
      this.kept.delete(oldest[0]);
      void oldest[1].then((it) => this.drop(oldest[0], it)).catch(() => undefined);
    }
    return await kept;
  }

  /** What others have begun with it may end. */
  private async drop(id: string, kept: Kept): Promise<void> {
    if ((await this.kept.get(id)) === kept) this.kept.delete(id);
    void Promise.allSettled(kept.tails.values())
      .then(() => kept.producer.close(true))
      .catch(() => undefined);
  }
}

function notPublished({ topic }: KafkaRecord, code: string): never {
  return refuse('KAFKA_PUBLISH_FAILED', `The event for ${topic} was not published (${code}).`);
}

/** An event without a key goes to any partition, but to the same one however often it is sent: numbers are counted for each of them. */
function messageOf({ topic, key, value, headers }: KafkaRecord) {
  const place = key === undefined ? { partition: randomInt(anyPartition) } : { key };
  return { topic, value, headers: new Map(Object.entries(headers)), ...place };
}

/** The client is loaded by those who publish: it is large, and most journeys never do. */
async function open({ brokers, clientId, tls, sasl }: KafkaConnection, timeoutMs: number): Promise<Kept> {
  const { Producer, stringSerializers } = await import('@platformatic/kafka');
  const producer = new Producer({
    clientId,
    bootstrapBrokers: [...brokers],
    serializers: stringSerializers,
    // The cluster decides whether it makes topics that are not there.
    autocreateTopics: true,
    idempotent: true,
    acks: -1,
    retries: 2,
    retryDelay: retryDelayMs,
    timeout: timeoutMs,
    connectTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    ...(tls && { tls }),
    ...(sasl && { sasl }),
  });
  return { producer, tails: new Map() };
}

/** Does `work` after what was begun before under the same name. */
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
 * What an error of the client comes down to: whether another attempt would end the same way, and whether the same producer may make it. A
 * connection that is silent stays so, and a broker that has lost count of a producer takes nothing more from it.
 */
function causeOf(error: unknown): { code: string; final: boolean; sameNumber: boolean } {
  const all = flattened(error);
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

interface ClientError {
  readonly code?: string;
  readonly apiId?: string;
  /** False where a request was not answered in time, and where the broker will not take it. */
  readonly canRetry?: boolean;
  readonly errors?: readonly unknown[];
  readonly cause?: unknown;
}

function flattened(error: unknown): ClientError[] {
  const it = (typeof error === 'object' && error !== null ? error : {}) as ClientError;
  return [it, ...(it.errors ?? []).flatMap(flattened), ...(it.cause === undefined ? [] : flattened(it.cause))];
}
