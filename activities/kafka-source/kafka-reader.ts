import type {
  ClusterTopicMetadata,
  Consumer,
  GroupAssignment,
  GroupPartitionsAssigner,
  RecordsBatch,
} from '@platformatic/kafka';
import { clientOptions, createTracked, flattenError, withDeadline } from '../kafka-publish/destroyable-kafka-client.js';
import type { KafkaConnection } from '../kafka-publish/read-kafka-connection-settings.js';

/** A record of a partition. */
export interface SourceRecord {
  readonly offset: number;
  readonly value: Buffer;
}

/** The records of one partition that a request returned. */
export interface PartitionRecords {
  /** Kafka's id of the topic. */
  readonly topicId: string;
  readonly partition: number;
  /** The requested offset, and the offset after the last one that was read. */
  readonly from: number;
  readonly until: number;
  /** Bounds of the partition. */
  readonly start: number;
  readonly end: number;
  readonly records: readonly SourceRecord[];
}

/** How long the broker waits for new records. */
const waitMs = 1_000;
/** Timeout of any request. */
const answerMs = 10_000;
/** Time after which Kafka gives the partitions of a dead worker to another. Its records may come twice; the pipeline recognises them. */
const sessionMs = 10_000;

/** Minimum size that is requested per partition. */
const leastBytes = 16_384;

const earliest = -2n;
const latest = -1n;
const outOfRange = 1;

type AnyConsumer = Consumer<Buffer, Buffer, Buffer, Buffer>;
type FetchResponse = Awaited<ReturnType<AnyConsumer['fetch']>>;

/**
 * A member of a consumer group that reads one topic from given positions. The client's own streams are not used: they read ahead without
 * a limit, start at the offsets stored in Kafka, and return records of aborted transactions.
 */
export class KafkaReader {
  private partitionCount = 0;
  /** Number of requests so far. */
  private turn = 0;

  private constructor(
    private readonly consumer: AnyConsumer,
    private readonly destroy: () => void,
    private readonly topic: string,
  ) {}

  static async open(connection: KafkaConnection, topic: string, group: string): Promise<KafkaReader> {
    const { client, destroy } = await openConsumer(connection, group);
    const reader = new KafkaReader(client, destroy, topic);
    try {
      reader.partitionCount = (await reader.metadata()).partitionsCount;
      reader.consumer.topics.track(topic);
      await withDeadline(reader.consumer.joinGroup({ partitionAssigner: assign }), 2 * sessionMs + answerMs);
      return reader;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  /** The partitions assigned to this member. */
  get partitions(): number[] {
    return this.consumer.assignments?.find(({ topic }) => topic === this.topic)?.partitions ?? [];
  }

  /** Fails if this is no longer a member of its group, or if the topic has new partitions that are not assigned yet. */
  async check(): Promise<void> {
    const { lastHeartbeat } = this.consumer;
    if (lastHeartbeat && Date.now() - lastHeartbeat.getTime() > 3 * sessionMs) throw readerError('HEARTBEAT_MISSED');
    if ((await this.metadata()).partitionsCount !== this.partitionCount) throw readerError('PARTITIONS_CHANGED');
  }

  /** The group's committed offsets, or the beginning of a partition without one; or always the beginnings. */
  async firstOffsets(partitions: readonly number[], fromStart: boolean): Promise<Map<number, number>> {
    const { topic, consumer } = this;
    const topics = [{ topic, partitions: [...partitions] }];
    const committed = await withDeadline(consumer.listCommittedOffsets({ topics }), answerMs);
    const first = await this.bounds(earliest);
    return new Map(
      partitions.map((it) => {
        const offset = fromStart ? -1 : Number(committed.get(topic)?.[it] ?? -1n);
        return [it, offset >= 0 ? offset : (first.get(it) ?? 0)];
      }),
    );
  }

  /** The end offsets of all partitions. */
  ends(): Promise<Map<number, number>> {
    return this.bounds(latest);
  }

  /** Reads from the given offsets, by partition. Waits briefly for new records. */
  async fetch(positions: ReadonlyMap<number, number>, maxBytes: number): Promise<PartitionRecords[]> {
    const { id, partitions } = await this.metadata();
    const byLeader = new Map<number, number[]>();
    // Kafka fills its response in the order of the request, and exceeds the limit only for the first partition with a batch.
    const order = [...positions.keys()];
    const first = this.turn++ % order.length;
    for (const partition of [...order.slice(first), ...order.slice(0, first)]) {
      const leader = partitions[partition]!.leader;
      byLeader.set(leader, [...(byLeader.get(leader) ?? []), partition]);
    }
    const responses = await Promise.all(
      [...byLeader].map(([node, some]) => this.fetchFrom(node, id, some, { positions, partitions, maxBytes })),
    );
    const found = responses.flatMap(({ responses: topics }) => topics.flatMap((it) => it.partitions));
    const missed = found.some(({ errorCode }) => errorCode === outOfRange);
    const [starts, ends] = missed ? [await this.bounds(earliest), await this.bounds(latest)] : [];
    return found.map((it) => {
      const { partitionIndex: partition } = it;
      const from = positions.get(partition)!;
      if (it.errorCode === outOfRange)
        return {
          topicId: id,
          partition,
          from,
          until: from,
          start: starts!.get(partition)!,
          end: ends!.get(partition)!,
          records: [],
        };
      const last = it.records?.at(-1);
      return {
        topicId: id,
        partition,
        from,
        until: last ? Number(last.firstOffset) + last.lastOffsetDelta + 1 : from,
        start: Number(it.logStartOffset),
        end: Number(it.lastStableOffset),
        records: recordsOf(it.records ?? [], it.abortedTransactions, from),
      };
    });
  }

  private async fetchFrom(
    node: number,
    topicId: string,
    some: readonly number[],
    { positions, partitions, maxBytes }: FetchRequest,
  ): Promise<FetchResponse> {
    const topics = [
      {
        topicId,
        partitions: some.map((partition) => ({
          partition,
          currentLeaderEpoch: partitions[partition]!.leaderEpoch,
          fetchOffset: BigInt(positions.get(partition)!),
          lastFetchedEpoch: -1,
          partitionMaxBytes: Math.max(leastBytes, Math.floor(maxBytes / positions.size)),
        })),
      },
    ];
    try {
      const request = this.consumer.fetch({ node, topics, minBytes: 1, maxBytes, maxWaitTime: waitMs });
      return await withDeadline(request, waitMs + answerMs);
    } catch (error) {
      // An offset out of range is a valid response.
      const { response } = (flattenError(error).find((it) => 'response' in it) ?? {}) as { response?: FetchResponse };
      const codes = response?.responses.flatMap((it) => it.partitions.map(({ errorCode }) => errorCode)) ?? [];
      if (codes.includes(outOfRange) && codes.every((code) => code === 0 || code === outOfRange)) return response!;
      throw error;
    }
  }

  /** Commits the next offsets, for Kafka's own tools and for a group that starts over. */
  async commit(positions: ReadonlyMap<number, number>): Promise<void> {
    const { partitions } = await this.metadata();
    const offsets = [...positions].map(([partition, offset]) => ({
      topic: this.topic,
      partition,
      offset: BigInt(offset),
      leaderEpoch: partitions[partition]!.leaderEpoch,
    }));
    await withDeadline(this.consumer.commit({ offsets }), answerMs);
  }

  /** Leaves the group if the broker answers, and closes the sockets in any case. */
  async close(): Promise<void> {
    const left = this.consumer.leaveGroup() as unknown as Promise<void>;
    await withDeadline(left, closeMs).catch(() => undefined);
    const closed = this.consumer.close(true) as unknown as Promise<void>;
    this.destroy();
    await withDeadline(closed, closeMs).catch(() => undefined);
  }

  private async metadata(): Promise<ClusterTopicMetadata> {
    const { topics } = await withDeadline(this.consumer.metadata({ topics: [this.topic] }), answerMs);
    return topics.get(this.topic) ?? refuseTopic();
  }

  private async bounds(timestamp: bigint): Promise<Map<number, number>> {
    const { topic } = this;
    const offsets = await withDeadline(this.consumer.listOffsets({ topics: [topic], timestamp }), answerMs);
    return new Map((offsets.get(topic) ?? []).map((offset, partition) => [partition, Number(offset)]));
  }
}

const closeMs = 2_000;

/** Fails if a topic cannot be found. */
export async function checkTopic(connection: KafkaConnection, topic: string): Promise<void> {
  const { client, destroy } = await openConsumer(connection, 'journeyman-check');
  try {
    await withDeadline(client.metadata({ topics: [topic] }), checkMs);
  } finally {
    const closed = client.close(true) as unknown as Promise<void>;
    destroy();
    await withDeadline(closed, closeMs).catch(() => undefined);
  }
}

const checkMs = 5_000;

interface FetchRequest {
  readonly positions: ReadonlyMap<number, number>;
  readonly partitions: ClusterTopicMetadata['partitions'];
  readonly maxBytes: number;
}

async function openConsumer(connection: KafkaConnection, group: string) {
  const kafka = await import('@platformatic/kafka');
  const opened = createTracked(
    kafka,
    () =>
      new kafka.Consumer({
        ...clientOptions(connection, answerMs),
        groupId: group,
        sessionTimeout: sessionMs,
        rebalanceTimeout: sessionMs,
        heartbeatInterval: sessionMs / 5,
        isolationLevel: 'READ_COMMITTED',
        retries: 1,
        retryDelay: 250,
      }),
  );
  // Errors in the background; `check` notices their consequences.
  opened.client.on('error', () => undefined);
  return opened;
}

/**
 * Assigns the partitions of each topic to the members that read it, round-robin. The client's own assigner includes every member, and only
 * considers the leader's topics: sources that share a group would get partitions of topics that they do not read, or none.
 */
const assign: GroupPartitionsAssigner = (_, members, __, { topics }) => {
  const all = new Map([...members.keys()].sort().map((id) => [id, new Map<string, GroupAssignment>()]));
  for (const [topic, { partitionsCount: count }] of topics) {
    const readers = [...all].filter(([id]) => members.get(id)?.topics?.includes(topic));
    for (let partition = 0; partition < count && readers.length > 0; partition++) {
      const [, assignments] = readers[partition % readers.length]!;
      const given = assignments.get(topic) ?? { topic, partitions: [] };
      given.partitions.push(partition);
      assignments.set(topic, given);
    }
  }
  return [...all].map(([memberId, assignments]) => ({ memberId, assignments }));
};

const transactional = 0x10;
const control = 0x20;

/** The records of batches, without those of aborted transactions and without transaction markers. */
function recordsOf(
  batches: readonly RecordsBatch[],
  aborted: readonly { producerId: bigint; firstOffset: bigint }[],
  from: number,
): SourceRecord[] {
  const records: SourceRecord[] = [];
  const open = new Set<bigint>();
  const waiting = aborted.toSorted((a, b) => Number(a.firstOffset - b.firstOffset));
  for (const batch of batches) {
    const { firstOffset, lastOffsetDelta, attributes, producerId } = batch;
    const last = firstOffset + BigInt(lastOffsetDelta);
    while (waiting[0] && waiting[0].firstOffset <= last) open.add(waiting.shift()!.producerId);
    if (attributes & control) {
      open.delete(producerId);
      continue;
    }
    if (attributes & transactional && open.has(producerId)) continue;
    for (const { offsetDelta, value } of batch.records) {
      const offset = Number(firstOffset) + offsetDelta;
      if (offset >= from) records.push({ offset, value });
    }
  }
  return records;
}

function readerError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function refuseTopic(): never {
  throw readerError('UNKNOWN_TOPIC_OR_PARTITION');
}
