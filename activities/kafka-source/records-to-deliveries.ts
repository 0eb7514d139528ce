import { isUtf8 } from 'node:buffer';
import { hasHugeNumber, isNestedDeeperThan, maxDepth } from '../../src/base/json/depth-and-number-limits.js';
import type { Json } from '../../src/base/json/value.js';
import type { Deliver, TopicCapacity } from '../../src/pipelines/messages-and-effects.js';
import type { PartitionRecords, SourceRecord } from './kafka-reader.js';
import type { PolledSource } from './source-poller.js';

/** Limits of one update: history events are small then, and a workflow task stays short. */
const most = { events: 500, bytes: 400_000 };

/** The largest payload that any pipeline accepts. */
const largestPayload = 262_144;

/** Maximum bytes of an event besides its payload. */
const overhead = 128;

/** Turns buffered records into deliveries, up to the limits of one update and the free capacity of the topic. */
export function recordsToDeliveries(
  { topic, kafka }: Pick<PolledSource, 'topic' | 'kafka'>,
  buffers: readonly PartitionRecords[],
  room: TopicCapacity,
): Deliver[] {
  const left = { events: Math.min(most.events, room.events), bytes: Math.min(most.bytes, room.bytes) };
  const deliveries: Deliver[] = [];
  for (const { records, until, ...partition } of buffers) {
    const events: Deliver['events'] = [];
    let fault: Deliver['fault'];
    for (const record of records) {
      const bytes = Math.min(record.value.length, largestPayload) + kafka.topic.length + overhead;
      if (left.events === 0 || left.bytes < bytes) break;
      const payload = payloadOf(record);
      if ('code' in payload) {
        fault = { offset: record.offset, ...payload };
        break;
      }
      left.events -= 1;
      left.bytes -= bytes;
      events.push([record.offset, payload.value]);
    }
    if (records.length > 0 && events.length === 0 && !fault) continue;
    const isAll = events.length === records.length;
    deliveries.push({
      type: 'deliver',
      topic,
      kafka: { topic: kafka.topic, group: kafka.group },
      ...partition,
      until: isAll ? until : (fault?.offset ?? events.at(-1)![0] + 1),
      events,
      ...(fault && { fault }),
    });
  }
  return deliveries;
}

type Fault = Omit<NonNullable<Deliver['fault']>, 'offset'>;

/** The payload of a record. Records without a value, which mark a deleted key, have the payload null. */
function payloadOf({ value }: SourceRecord): { value: Json } | Fault {
  if (value.length === 0) return { value: null };
  if (value.length > largestPayload)
    return { code: 'EVENT_TOO_LARGE', detail: `It has ${value.length} bytes; at most ${largestPayload} are possible.` };
  const invalid = (detail: string): Fault => ({ code: 'EVENT_INVALID', detail });
  if (!isUtf8(value)) return invalid('It is not JSON in UTF-8.');
  try {
    const payload = JSON.parse(value.toString()) as Json;
    if (isNestedDeeperThan(payload, maxDepth)) return invalid(`It nests deeper than ${maxDepth} levels.`);
    return hasHugeNumber(payload) ? invalid('It has a number that is too large.') : { value: payload };
  } catch {
    return invalid('It is not JSON.');
  }
}
