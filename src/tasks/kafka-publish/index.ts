import type { TaskKind } from '../kind.js';
import { forbidden, read } from './read.js';
import { schema } from './schema.js';

/** Publishes an event. */
export const kafkaPublish: TaskKind = { kind: 'kafkaPublish:v1', schema, refuses: forbidden, read };
