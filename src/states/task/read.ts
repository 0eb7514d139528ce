import type { Task } from '../../definition/definition.js';
import { describe, named } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { didYouMean } from '../../document/suggest.js';
import type { GraphReading } from '../../reading/reading.js';
import { nextOf } from '../../reading/references.js';
import { blockOf, fieldsOf } from '../state.js';
import { schema } from './schema.js';

/** Something to do in the world, as its kind normalised it. */
export interface TaskState {
  type: 'task';
  task: Task;
  next: string;
}

const form = { type: 'task', schema };

/** Reads a `task` through the reader of its kind. */
export function read(state: Place, within: GraphReading): TaskState | undefined {
  const kinds = within.reading.words.tasks;
  const next = nextOf(state, within);
  const kind = state.at('task').at('kind');
  const found = typeof kind.value === 'string' ? kinds.get(kind.value) : undefined;
  if (found) {
    const block = blockOf(state, form, ['cookies', ...fieldsOf(found.schema), ...(found.refuses ?? [])]);
    if (block?.has('cookies') && !fieldsOf(found.schema).includes('cookies'))
      block.at('cookies').error('COOKIES_NON_HTTP', `${found.kind} has no cookies.`, 'Remove the field.', 'key');
    const task = block && found.read(block, within);
    return task && { type: 'task', task, next };
  }
  if (!state.at('task').object) {
    blockOf(state, form, ['kind']);
    return undefined;
  }
  const wellFormed = typeof kind.value === 'string' && /^[A-Za-z][A-Za-z0-9_-]*:v[1-9][0-9]*$/.test(kind.value);
  const at = kind.value === undefined ? state.at('task') : kind;
  const hint = didYouMean(kind.value, kinds.keys());
  if (wellFormed) at.error('TASK_KIND_UNKNOWN', `There is no task kind ${named(kind.value)}.`, hint);
  else at.error('TASK_KIND_FORMAT', `task.kind must look like httpCall:v1, not ${describe(kind.value)}.`, hint, 'key');
  return undefined;
}
