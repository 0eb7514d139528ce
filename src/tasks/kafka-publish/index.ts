import type { TaskKind } from '../kind.js';
import { forbidden, type KafkaPublishTask, read } from './read.js';
import { run } from './run.js';
import { schema } from './schema.js';
import { kafka } from './virtual.js';

/** Publishes an event. */
export const kafkaPublish: TaskKind<KafkaPublishTask> = {
  kind: 'kafkaPublish:v1',
  schema,
  refuses: forbidden,
  read,
  run,
  virtual: () => ({ kafka }),
};
