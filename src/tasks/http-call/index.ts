import type { TaskKind } from '../kind.js';
import { type HttpCallTask, read } from './read.js';
import { runner } from './run.js';
import { schema } from './schema.js';
import { http } from './virtual.js';

/** An HTTP call, by URL or by OpenAPI operation. */
export const httpCall: TaskKind<HttpCallTask> = {
  kind: 'httpCall:v1',
  schema,
  read,
  run: runner,
  virtual: () => ({ http }),
};
