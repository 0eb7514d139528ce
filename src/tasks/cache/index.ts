import type { TaskKind } from '../kind.js';
import { type CacheTask, read } from './read.js';
import { run } from './run.js';
import { schema } from './schema.js';
import { virtualCache } from './virtual.js';

/** Reads or writes the shared cache. */
export const cache: TaskKind<CacheTask> = {
  kind: 'cache:v1',
  schema,
  read,
  run,
  virtual: () => ({ cache: virtualCache() }),
};
