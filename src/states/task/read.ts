import { describe, named } from '../../document/fields.js';
import { didYouMean } from '../../document/suggest.js';
import { nextOf } from '../../reading/references.js';
import { taskKinds } from '../../tasks/kinds.js';
import { blockOf, type StateReader } from '../state.js';

export const readTask: StateReader = (state, scope) => {
  const next = nextOf(state, scope);
  const kind = state.at('task').at('kind');
  const found = typeof kind.value === 'string' ? taskKinds.get(kind.value) : undefined;
  if (found) {
    const block = blockOf(state, 'task', ['kind', 'cookies', ...found.fields], ['next']);
    if (block?.has('cookies') && !found.fields.includes('cookies'))
      block.at('cookies').error('COOKIES_NON_HTTP', `${found.kind} has no cookies.`, 'Remove the field.', 'key');
    const task = block && found.read(block, scope);
    return task && { type: 'task', task, next };
  }
  if (!state.at('task').object) {
    blockOf(state, 'task', ['kind'], ['next']);
    return undefined;
  }
  const wellFormed = typeof kind.value === 'string' && /^[A-Za-z][A-Za-z0-9_-]*:v[1-9][0-9]*$/.test(kind.value);
  const at = kind.value === undefined ? state.at('task') : kind;
  const hint = didYouMean(kind.value, taskKinds.keys());
  if (wellFormed) at.error('TASK_KIND_UNKNOWN', `There is no task kind ${named(kind.value)}.`, hint);
  else at.error('TASK_KIND_FORMAT', `task.kind must look like httpCall:v1, not ${describe(kind.value)}.`, hint, 'key');
  return undefined;
};
