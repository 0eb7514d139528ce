import { jsonBytes } from '../../base/json/size.js';
import { type Problem, problem } from '../../base/problems/problem.js';
import type { KafkaSource, PipelineDefinition } from '../definition.js';
import type { Answer, Deliver, TopicCapacity } from '../messages-and-effects.js';
import { refused, type Step } from '../reducer-step.js';
import type { PipelineState, SourceState, SourceStop } from '../state.js';
import { overflow, payloadFault, wake } from './publish-events.js';
import { eventBytes } from './topic-event-store.js';

/** The most partitions of all sources of a pipeline; each has a position in its state. */
const mostPartitions = 2_000;

/** Longest text about a record that cannot be taken. */
const longestFault = 500;

/** A source as the workers that read it see it. */
export interface SourceView {
  topic: string;
  kafka: KafkaSource;
  /** The next offset of each partition. */
  next: Record<string, number>;
  /** Whether a partition without a position is read from its beginning, not from the offset that Kafka has of the group. */
  fromStart: boolean;
  room: TopicCapacity;
}

/** Positions of the topics with a source. An unchanged source keeps its positions. */
export function sourceStates(
  { topics }: PipelineDefinition,
  before: Record<string, SourceState>,
  now: number,
): Record<string, SourceState> {
  const all = Object.create(null) as Record<string, SourceState>;
  for (const [name, { source }] of Object.entries(topics)) {
    if (!source) continue;
    const { topic, group } = source.kafka;
    const known = Object.hasOwn(before, name) ? before[name]! : undefined;
    all[name] =
      known && isSame(known, { topic, group })
        ? known
        : { kafka: { topic, group }, since: now, partitions: {}, taken: 0, lost: 0 };
  }
  return all;
}

/** The sources of a pipeline. A removed pipeline reads none. */
export function sourcesOf(state: PipelineState): SourceView[] {
  if (state.pauses.some(({ reason }) => reason === 'removed')) return [];
  return Object.entries(state.sources).map(([topic, { partitions, recreated }]) => ({
    topic,
    kafka: state.definition.topics[topic]!.source!.kafka,
    next: Object.fromEntries(Object.entries(partitions).map(([partition, [next]]) => [partition, next])),
    fromStart: recreated === true,
    room: isHeld(state, topic) ? { events: 0, bytes: 0 } : capacityOf(state, topic),
  }));
}

/** Room for further events of a topic. All topics share the bytes. */
export function capacityOf({ topics, definition }: PipelineState, topic: string): TopicCapacity {
  return { events: Math.max(0, definition.policy.topicEvents - topics.size(topic)), bytes: topics.freeBytes };
}

/** The id of a record as an event. */
export function recordId(kafkaTopic: string, partition: number, offset: number): string {
  return `${kafkaTopic}:${partition}:${offset}`;
}

/**
 * Publishes the new records of a partition in order, until the topic is full. A record that cannot be an event pauses the pipeline, because
 * skipping it would lose it; so do positions that Kafka no longer has.
 */
export function deliver(step: Step, message: Deliver): Answer {
  const { state } = step;
  const { topic, partition, kafka } = message;
  const source = Object.hasOwn(state.sources, topic) ? state.sources[topic] : undefined;
  const stays = !state.next || Object.hasOwn(state.next.definition.topics, topic);
  if (!source || !isSame(source, kafka) || !stays)
    return refused('SOURCE_CHANGED', `The topic ${topic} is not read from ${kafka.topic} as ${kafka.group}.`);
  const known = source.partitions[partition];
  const count = Object.values(state.sources).reduce((sum, it) => sum + Object.keys(it.partitions).length, 0);
  if (!known && count >= mostPartitions)
    return refused('SOURCE_PARTITIONS', `The sources of a pipeline have at most ${mostPartitions} partitions.`);
  if (!isHeld(state, topic)) {
    const stop = resetOf(source, message);
    if (stop) hold(step, { topic, ...stop.at }, stop.problem);
    else take(step, source, message);
  }
  const next = source.partitions[partition]?.[0];
  const room = isHeld(state, topic) ? { events: 0, bytes: 0 } : capacityOf(state, topic);
  return { ok: true, code: 'delivered', source: { ...(next !== undefined && { next }), room } };
}

function take(step: Step, source: SourceState, { topic, partition, ...message }: Deliver): void {
  const { state, now } = step;
  const [known, lastEnd] = source.partitions[partition] ?? [message.from, 0];
  // Kafka deleted the records in between.
  if (message.start > known) source.lost += message.start - known;
  const position: [number, number] = [Math.max(known, message.start), Math.max(lastEnd, message.end)];
  source.topicId = message.topicId;
  source.partitions[partition] = position;
  // A worker that reads ahead of the position reads from there next.
  if (message.from > position[0]) return;
  for (const [offset, payload] of message.events) {
    if (offset < position[0]) continue;
    const id = recordId(source.kafka.topic, partition, offset);
    const size = jsonBytes(payload);
    const fault = payloadFault(state.definition, topic, payload, size);
    if (fault) {
      hold(step, { topic, record: { id, partition, offset } }, fault);
      return;
    }
    const bytes = eventBytes(id, size);
    // After the group was changed, an event of the same id may still be live.
    if (state.topics.find(topic, id) || overflow(state, topic, 1, bytes)) return;
    state.topics.add(topic, id, payload, source.since.toString(36), now, bytes);
    position[0] = offset + 1;
    source.taken += 1;
    wake(state, topic);
  }
  const { fault } = message;
  if (!fault) position[0] = Math.max(position[0], message.until);
  else if (fault.offset >= position[0]) {
    const record = { id: recordId(source.kafka.topic, partition, fault.offset), partition, offset: fault.offset };
    hold(step, { topic, record }, problem(fault.code, fault.detail));
  }
}

/** Whether the offsets of the source began again, so that positions mean other records. */
function resetOf(
  source: SourceState,
  { topicId, partition, from, until, end, events }: Deliver,
): { at: Omit<SourceStop, 'topic'>; problem: Problem } | undefined {
  const { topic } = source.kafka;
  if (source.topicId !== undefined && source.topicId !== topicId)
    return {
      at: {},
      problem: problem(
        'SOURCE_RESET',
        `The Kafka topic ${topic} was deleted and created again, or is on another cluster.`,
      ),
    };
  const next = source.partitions[partition]?.[0];
  // Only from the worker that reads at this position: another one may have looked at the partition before.
  if (next === undefined || from !== next || until !== next || events.length > 0 || end >= next) return undefined;
  const detail = `The partition ${partition} of the Kafka topic ${topic} ends at the offset ${end}, but offsets up to ${next - 1} were taken from it.`;
  return { at: { shrunk: { partition, end } }, problem: problem('SOURCE_RESET', detail) };
}

/** Pauses the pipeline until a person decides. Until then, nothing is taken from that source. */
function hold({ state, now }: Step, source: SourceStop, { code, detail, title }: Problem): void {
  state.pauses.push({ reason: 'source', at: now, note: `${code}: ${detail ?? title}`.slice(0, longestFault), source });
}

function isHeld({ pauses }: PipelineState, topic: string): boolean {
  return pauses.some(({ source }) => source?.topic === topic);
}

/** Lets a source continue: a record is delivered again, a recreated topic is read from its beginning. */
export function releaseSource({ sources }: PipelineState, { topic, record, shrunk }: SourceStop, now: number): void {
  const source = sources[topic];
  if (!source || record) return;
  source.since = now;
  if (shrunk) source.partitions[shrunk.partition] = [shrunk.end, shrunk.end];
  else {
    source.partitions = {};
    delete source.topicId;
    source.recreated = true;
  }
}

/** Skips a record that cannot be taken. */
export function skipRecord({ sources, topics }: PipelineState, { topic, record }: SourceStop, now: number): void {
  const position = sources[topic]?.partitions[record!.partition];
  if (!position) return;
  position[0] = Math.max(position[0], record!.offset + 1);
  topics.skip(topic, record!.id, now);
}

function isSame({ kafka }: SourceState, { topic, group }: SourceState['kafka']): boolean {
  return kafka.topic === topic && kafka.group === group;
}
