import { escapePointer } from '../../base/json/pointer.js';
import { equal, isObject, type Json } from '../../base/json/value.js';

/** A difference between two JSON values. */
export interface JsonChange {
  /** JSON pointer of the value. */
  readonly pointer: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly before?: Json;
  readonly after?: Json;
}

/** The differences from one JSON value to another, field by field; lists of equal length are compared item by item. */
export function jsonChanges(before: Json | undefined, after: Json | undefined, pointer = ''): JsonChange[] {
  if (before === undefined) return after === undefined ? [] : [{ pointer, kind: 'added', after }];
  if (after === undefined) return [{ pointer, kind: 'removed', before }];
  if (equal(before, after)) return [];
  const below = (key: string | number) => `${pointer}/${escapePointer(key)}`;
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const field = (value: Record<string, Json>, key: string) => (Object.hasOwn(value, key) ? value[key] : undefined);
    return keys.flatMap((key) => jsonChanges(field(before, key), field(after, key), below(key)));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => jsonChanges(item, after[index], below(index)));
  }
  return [{ pointer, kind: 'changed', before, after }];
}
