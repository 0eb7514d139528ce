import type { Perform } from '../../src/tasks/effects.js';
import type { KafkaRecord } from '../../src/tasks/kafka-publish/run.js';
import type { Publisher } from './publisher.js';

/** The effect `kafka`. */
export function kafkaEffect(publisher: Publisher): Perform {
  return async (input, { signal }) => {
    await publisher.publish(input as unknown as KafkaRecord, signal);
    return null;
  };
}
