import type { TaskKind } from '../kind.js';
import { read } from './read.js';
import { schema } from './schema.js';

/** Reads or writes the shared cache. */
export const cache: TaskKind = { kind: 'cache:v1', schema, read };
