import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '../../src/base/problems/problem.js';
import type { KafkaSource } from '../../src/pipelines/definition.js';
import type { Answer, Deliver, TopicCapacity } from '../../src/pipelines/messages-and-effects.js';
import type { SourceView } from '../../src/pipelines/topics/deliver-source-records.js';
import { flattenError } from '../kafka-publish/destroyable-kafka-client.js';
import type { ConnectionOf, KafkaConnection } from '../kafka-publish/read-kafka-connection-settings.js';
import { checkTopic, KafkaReader, type PartitionRecords } from './kafka-reader.js';
import { recordsToDeliveries } from './records-to-deliveries.js';

/** The pipeline of a source. */
export interface SourcePort {
  /** Positions and free capacity; undefined if the pipeline no longer reads this source. */
  look(): Promise<Pick<SourceView, 'next' | 'room' | 'fromStart'> | undefined>;
  /** Delivers records; returns one answer per delivery. */
  deliver(deliveries: readonly Deliver[]): Promise<Answer[]>;
}

/** Logger of a poller, in pino's shape. */
export interface PollerLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** A topic of a pipeline and its source. */
export interface PolledSource {
  readonly pipeline: string;
  readonly topic: string;
  readonly kafka: KafkaSource;
}

/** Delays between two attempts to reach the broker. */
const retry = { leastMs: 500, mostMs: 30_000 };
/** Delays between two checks of a full topic. */
const full = { leastMs: 100, mostMs: 2_000 };
/** Delay for a member without partitions. */
const idleMs = 1_000;
const fetchBytes = 524_288;

/**
 * Delivers records from Kafka to a pipeline while its topic has free capacity, then commits their offsets. The pipeline owns the position: no
 * record is delivered twice or lost even if a worker or Kafka loses its own.
 */
export class KafkaPoller {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private reader: KafkaReader | undefined;
  private readonly positions = new Map<number, number>();
  private readonly buffers = new Map<number, PartitionRecords>();
  private readonly uncommitted = new Map<number, number>();
  private room: TopicCapacity = { events: 0, bytes: 0 };
  private delayMs = retry.leastMs;
  private fullMs = full.leastMs;
  /** The code of the failure that was logged. */
  failure: string | undefined;
  /** Number of events that this worker delivered. */
  taken = 0;

  constructor(
    readonly source: PolledSource,
    private readonly connection: () => KafkaConnection,
    private readonly port: SourcePort,
    private readonly log: PollerLog,
  ) {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Lag: records of its partitions that are not delivered yet. Undefined while the broker is unreachable. */
  async lag(): Promise<number | undefined> {
    const ends = await this.reader?.ends().catch(() => undefined);
    if (!ends) return undefined;
    return [...this.positions].reduce(
      (sum, [partition, next]) => sum + Math.max(0, (ends.get(partition) ?? 0) - next),
      0,
    );
  }

  private async run(): Promise<void> {
    const { kafka } = this.source;
    while (!this.isStopped) {
      try {
        this.reader = await KafkaReader.open(this.connection(), kafka.topic, kafka.group);
        while (!this.isStopped) await this.turn(this.reader);
      } catch (error) {
        this.failed(error);
        await this.pause(this.delayMs);
        this.delayMs = Math.min(2 * this.delayMs, retry.mostMs);
      } finally {
        await this.reader?.close();
        this.reader = undefined;
        this.positions.clear();
        this.buffers.clear();
        this.uncommitted.clear();
      }
    }
  }

  /** Reads once and delivers as many records as the topic can hold. */
  private async turn(reader: KafkaReader): Promise<void> {
    await reader.check();
    await this.follow(reader);
    await this.commit(reader);
    if (this.positions.size === 0) return await this.pause(idleMs);
    if (this.room.events === 0) return await this.lookForRoom();
    if (this.buffers.size === 0)
      for (const found of await reader.fetch(this.positions, fetchBytes))
        if (isNews(found)) this.buffers.set(found.partition, found);
    this.recovered();
    if (this.buffers.size === 0) return;
    const batch = recordsToDeliveries(this.source, [...this.buffers.values()], this.room);
    if (batch.length === 0) return await this.lookForRoom();
    await this.deliver(reader, batch);
  }

  /** Applies a new assignment: starts with added partitions and stops with removed ones. */
  private async follow(reader: KafkaReader): Promise<void> {
    const { partitions } = reader;
    for (const partition of this.positions.keys())
      if (!partitions.includes(partition)) {
        this.positions.delete(partition);
        this.buffers.delete(partition);
      }
    const added = partitions.filter((partition) => !this.positions.has(partition));
    if (added.length === 0) return;
    const seen = await this.look();
    if (!seen) return;
    const unknown = added.filter((partition) => seen.next[partition] === undefined);
    const first = unknown.length > 0 ? await reader.firstOffsets(unknown, seen.fromStart) : new Map<number, number>();
    for (const partition of added) {
      const known = seen.next[partition];
      this.positions.set(partition, known ?? first.get(partition) ?? 0);
      // The previous worker may have crashed between a delivery and its commit.
      if (known !== undefined) this.uncommitted.set(partition, known);
    }
  }

  private async lookForRoom(): Promise<void> {
    await this.pause(this.fullMs);
    this.fullMs = Math.min(2 * this.fullMs, full.mostMs);
    const seen = await this.look();
    // Positions change when an operator resumes the pipeline or skips a record.
    for (const partition of this.positions.keys()) {
      const next = seen?.next[partition];
      if (next !== undefined) this.moveTo(partition, next);
      else {
        this.positions.delete(partition);
        this.buffers.delete(partition);
      }
    }
  }

  private async look() {
    const seen = await this.port.look();
    this.room = seen?.room ?? { events: 0, bytes: 0 };
    return seen;
  }

  private async deliver(reader: KafkaReader, batch: readonly Deliver[]): Promise<void> {
    const answers = await this.port.deliver(batch);
    let progress = false;
    for (const [i, delivery] of batch.entries()) {
      const { partition, from, start, events } = delivery;
      const answer = answers[i]!;
      if (!answer.ok) {
        // The document was changed; this source is stopped soon.
        if (answer.problem.code === 'SOURCE_CHANGED') return await this.lookForRoom();
        throw new ProblemError(answer.problem);
      }
      const { next = from, room } = answer.source!;
      this.room = room;
      this.taken += events.filter(([offset]) => offset < next).length;
      if (start > from) this.warn({ partition, from, to: start - 1 }, 'Kafka deleted records before they were taken');
      if (next > from) {
        progress = true;
        this.uncommitted.set(partition, next);
      }
      this.moveTo(partition, next);
    }
    if (!progress) return await this.lookForRoom();
    this.fullMs = full.leastMs;
    await this.commit(reader);
  }

  /** Commits delivered offsets. Kafka rejects this during a rebalance; it is repeated later, and correctness does not depend on it. */
  private async commit(reader: KafkaReader): Promise<void> {
    const { partitions } = reader;
    for (const partition of this.uncommitted.keys())
      if (!partitions.includes(partition)) this.uncommitted.delete(partition);
    if (this.uncommitted.size === 0) return;
    await reader.commit(this.uncommitted).then(
      () => this.uncommitted.clear(),
      () => undefined,
    );
  }

  /** Continues a partition at an offset, with the records that were read already if they belong there. */
  private moveTo(partition: number, next: number): void {
    this.positions.set(partition, next);
    const buffer = this.buffers.get(partition);
    if (!buffer) return;
    if (next < buffer.from || next >= buffer.until) this.buffers.delete(partition);
    else
      this.buffers.set(partition, {
        ...buffer,
        from: next,
        records: buffer.records.filter(({ offset }) => offset >= next),
      });
  }

  private failed(error: unknown): void {
    if (this.isStopped) return;
    const code = codeOf(error);
    if (code === this.failure) return;
    this.failure = code;
    this.warn({ code, reason: messageOf(error) }, 'The source of a topic cannot be read; it is tried again');
  }

  private warn(fields: object, message: string): void {
    const { pipeline, topic, kafka } = this.source;
    this.log.warn({ pipeline, topic, kafkaTopic: kafka.topic, group: kafka.group, ...fields }, message);
  }

  private recovered(): void {
    this.delayMs = retry.leastMs;
    if (this.failure === undefined) return;
    this.failure = undefined;
    const { pipeline, topic, kafka } = this.source;
    this.log.info({ pipeline, topic, kafkaTopic: kafka.topic }, 'The source of a topic is read again');
  }

  private get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

/** The reason why a source cannot be read. */
export async function sourceFault(connectionOf: ConnectionOf, kafka: KafkaSource): Promise<string | undefined> {
  try {
    await checkTopic(connectionOf(kafka.connectionSecretRef), kafka.topic);
    return undefined;
  } catch (error) {
    return `${codeOf(error)}: ${messageOf(error)}`;
  }
}

/** Whether a read must be delivered: it has records, or the offsets have moved. */
function isNews({ records, from, until, start, end }: PartitionRecords): boolean {
  return records.length > 0 || until > from || start > from || end < from;
}

/** The code of a failure: of Kafka, of the network, or of the pipeline. */
function codeOf(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.code;
  const all = flattenError(error);
  return all.find(({ apiId }) => apiId !== undefined)?.apiId ?? all.at(-1)?.code ?? 'UNKNOWN';
}

function messageOf(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.detail ?? error.problem.title;
  return error instanceof Error ? error.message : String(error);
}
