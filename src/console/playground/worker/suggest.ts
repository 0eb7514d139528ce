import { type Json, own } from '../../../base/json/value.js';
import { descriptionOf, fieldsIn, type Level, schemasAt, valuesIn } from './schema-at-path.js';
import type { Suggestion } from './worker-protocol.js';

interface Line {
  readonly indent: number;
  /** The column of the key; behind the dash of a list item. */
  readonly column: number;
  readonly isItem: boolean;
  readonly key: string | undefined;
  readonly value: string;
}

/** The position of a cursor in the structure of a text that may not be valid YAML yet. */
interface Cursor {
  readonly path: readonly Level[];
  readonly siblings: ReadonlyMap<string, string>;
}

/** Suggests fields and values at an offset, from a JSON Schema. Null if there is nothing to suggest. */
export function suggest(schema: Json, text: string, offset: number) {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const before = text.slice(start, offset);
  const lines = text.split('\n').map(read);
  const at = text.slice(0, start).split('\n').length - 1;
  const valueAt = /^(\s*(?:- +)*)([\w$-]+|"[^"]*"):\s+(["']?[\w.:/-]*)$/.exec(before);
  if (valueAt) {
    const { path, siblings } = cursorAt(lines, at, valueAt[1]!.length);
    const schemas = schemasAt(schema, [...path, { key: unquoted(valueAt[2]!), siblings }], new Map());
    const suggestions = valuesIn(schemas).map((label): Suggestion => ({ label, apply: label, kind: 'value' }));
    return suggestions.length === 0 ? null : { from: offset - valueAt[3]!.length, suggestions };
  }
  const keyOf = /^(\s*(?:- +)*)([\w$-]*)$/.exec(before);
  if (!keyOf) return null;
  const { path, siblings } = cursorAt(lines, at, keyOf[1]!.length);
  const suggestions = [...fieldsIn(schemasAt(schema, path, siblings))]
    .filter(([name]) => !siblings.has(name) || name === keyOf[2])
    .map(([name, field]): Suggestion => {
      const info = descriptionOf(schema, field);
      return { label: name, apply: `${name}: `, kind: 'field', ...(info !== undefined && { info }) };
    });
  return suggestions.length === 0 ? null : { from: offset - keyOf[2]!.length, suggestions };
}

/** Describes the field whose name is at an offset. */
export function describeAt(schema: Json, text: string, offset: number) {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const lines = text.split('\n').map(read);
  const at = text.slice(0, start).split('\n').length - 1;
  const line = lines[at];
  if (line?.key === undefined) return null;
  const from = start + line.column;
  if (offset < from || offset > from + line.key.length) return null;
  const { path, siblings } = cursorAt(lines, at, line.column);
  const described = schemasAt(schema, path, siblings)
    .map((it) => own(own(it, 'properties'), line.key!))
    .map((it) => descriptionOf(schema, it))
    .find((it) => it !== undefined);
  return described === undefined ? null : { from, to: from + line.key.length, text: described };
}

function read(text: string): Line {
  const match = /^(\s*)((?:- +)*)(?:([\w$.#/-]+|"[^"]*"|'[^']*'):(?:\s+(.*))?)?/.exec(text)!;
  const [, space = '', dash = '', key, value = ''] = match;
  const isBlank = /^\s*(?:#.*)?$/.test(text);
  return {
    indent: isBlank ? -1 : space.length,
    column: isBlank ? -1 : space.length + dash.length,
    isItem: dash !== '',
    key: isBlank ? undefined : key === undefined ? undefined : unquoted(key),
    value: value.replace(/\s+#.*$/, '').trim(),
  };
}

/** Reads the path from the lines above, by their indentation, and the fields beside the cursor. */
function cursorAt(lines: readonly Line[], at: number, column: number): Cursor {
  const siblings = fieldsAround(lines, at, column);
  const path: Level[] = [];
  let [limit, index] = [column, at];
  for (;;) {
    const item = itemAt(lines, index, limit);
    if (item !== undefined) {
      path.unshift({ key: '0', siblings: new Map() });
      limit = item + 1;
    }
    index = parentOf(lines, index, item ?? limit, item !== undefined);
    const parent = lines[index];
    if (parent?.key === undefined) break;
    path.unshift({ key: parent.key, siblings: fieldsAround(lines, index, parent.column) });
    limit = parent.column;
    if (limit === 0) break;
  }
  return { path, siblings };
}

/** The indentation of the list item that a field at this column belongs to, if it belongs to one. */
function itemAt(lines: readonly Line[], at: number, column: number): number | undefined {
  for (let index = at; index >= 0; index--) {
    const line = lines[index]!;
    if (line.indent < 0) continue;
    if (line.isItem && line.column === column) return line.indent;
    if (line.column < column && index !== at) return undefined;
  }
  return undefined;
}

/** The line of the key that contains what begins at this column; that of a list may have the same indentation as its items. */
function parentOf(lines: readonly Line[], at: number, column: number, isList: boolean): number {
  for (let index = at - 1; index >= 0; index--) {
    const line = lines[index]!;
    if (line.key === undefined) continue;
    if (line.column < column || (isList && !line.isItem && line.column === column)) return index;
  }
  return -1;
}

/** The fields of the object around a line, by their column. */
function fieldsAround(lines: readonly Line[], at: number, column: number): Map<string, string> {
  const fields = new Map<string, string>();
  const collect = (line: Line): boolean => {
    if (line.indent < 0) return true;
    if (line.column < column) return false;
    if (line.column === column && line.key !== undefined && !fields.has(line.key))
      fields.set(line.key, unquoted(line.value));
    return true;
  };
  for (let index = at - 1; index >= 0 && !lines[index + 1]!.isItem; index--) if (!collect(lines[index]!)) break;
  for (let index = at; index < lines.length; index++) {
    const line = lines[index]!;
    if (index !== at && line.isItem && line.column === column) break;
    if (index === at && line.indent < 0) continue;
    if (!collect(line)) break;
  }
  return fields;
}

function unquoted(text: string): string {
  return text.replace(/^(["'])(.*)\1$/, '$2');
}
