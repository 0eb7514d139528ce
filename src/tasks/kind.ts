import type { Task } from '../definition/definition.js';
import type { TaskRunner } from '../engine/vocabulary.js';
import type { TaskReader } from '../reading/reading.js';
import type { VirtualEffect } from './virtual.js';

/** One task kind: its form, what reads it, what runs it, and what virtual time answers for its effects. */
export interface TaskKind<T extends Task = Task> extends TaskReader {
  readonly run: TaskRunner<T>;
  /** Makes the effects of one run in virtual time, by name. */
  virtual?(): Readonly<Record<string, VirtualEffect>>;
}
