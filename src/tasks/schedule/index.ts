import type { TaskKind } from '../kind.js';
import { read, type ScheduleTask } from './read.js';
import { runner } from './run.js';
import { schema } from './schema.js';
import { schedule as virtual } from './virtual.js';

/** Creates or updates a schedule of this journey's own runs. */
export const schedule: TaskKind<ScheduleTask> = {
  kind: 'schedule:v1',
  schema,
  read,
  run: runner,
  virtual: () => ({ schedule: virtual }),
};
