import type { State } from '../definition/definition.js';
import { describe } from '../document/fields.js';
import type { Place } from '../document/place.js';
import type { Scope } from '../reading/reading.js';

/** Reads one state of a graph; undefined when too little of it is understood to go on. */
export type StateReader = (state: Place, scope: Scope, id: string) => State | undefined;

/**
 * The block named like the state's type, and the check of the state's own keys. A known state key inside the block, or a key of the
 * block beside it, is the mark of wrong indentation, and the hint says so.
 */
export function blockOf(
  state: Place,
  name: string,
  blockKeys: readonly string[],
  stateKeys: readonly string[],
): Place | undefined {
  state.only(['type', name, ...stateKeys], 'error', (key) => {
    if (blockKeys.includes(key)) return `It belongs one level deeper, under ${name}.`;
    return state.at(key).has('type') ? 'It looks like a state: indent it like the state it stands in.' : undefined;
  });
  const block = state.at(name);
  if (!block.object) {
    state.error(
      'STATE_BLOCK',
      `The state needs an object under ${name}, not ${describe(block.value)}.`,
      undefined,
      'key',
    );
    return undefined;
  }
  block.only(blockKeys, 'error', (key) =>
    ['type', ...stateKeys].includes(key) ? `It belongs one level up, beside type.` : undefined,
  );
  return block;
}
