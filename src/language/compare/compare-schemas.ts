import { escapePointer } from '../../base/json/pointer.js';
import { canonical, isObject, type Json, type JsonObject } from '../../base/json/value.js';
import type { Audience, Change } from './change.js';

/** Changes of a schema, each reported with `code` at `pointer`. */
export function reportSchemaChanges(
  code: string,
  concerns: Audience,
  pointer: string,
  before: Json | undefined,
  after: Json | undefined,
  way: Direction,
): Change[] {
  return schemaChanges(before, after, way).map((it) => ({
    code,
    concerns,
    breaking: it.breaking,
    pointer,
    message: `${it.pointer || 'The whole value'} ${it.message}.`,
  }));
}

/** Whether clients send values of a schema or read them. */
type Direction = 'sent' | 'read';

/** One difference between two versions of a schema; breaking if clients of the first version are affected. */
interface SchemaChange {
  readonly pointer: string;
  readonly breaking: boolean;
  readonly message: string;
}

/** Keywords that are compared by meaning. A change of any other keyword is reported as breaking. */
const understood = ['type', 'properties', 'required', 'enum', 'const', 'items', 'additionalProperties'];
/** Bounds, with the direction that makes them stricter. */
const bounds: Readonly<Record<string, 'up' | 'down'>> = {
  minimum: 'up',
  exclusiveMinimum: 'up',
  minLength: 'up',
  minItems: 'up',
  minProperties: 'up',
  maximum: 'down',
  exclusiveMaximum: 'down',
  maxLength: 'down',
  maxItems: 'down',
  maxProperties: 'down',
};
/** Annotations, which do not affect validation. */
const annotations: readonly string[] = [
  'title',
  'description',
  'examples',
  'example',
  'default',
  '$comment',
  'deprecated',
];

/**
 * Every difference between two JSON Schemas. A change breaks clients if it rejects a value that they could send before, or if a value
 * that they read may now be missing or have another type.
 */
export function schemaChanges(before: Json | undefined, after: Json | undefined, way: Direction): SchemaChange[] {
  return changesAt(before ?? true, after ?? true, way, '');
}

function changesAt(before: Json, after: Json, way: Direction, pointer: string): SchemaChange[] {
  if (canonical(before) === canonical(after)) return [];
  if (!isObject(before) || !isObject(after)) return [wholeChange(before, after, way, pointer)];
  const change = (breaking: boolean, message: string, at = pointer): SchemaChange => ({
    pointer: at,
    breaking,
    message,
  });
  const narrowed = way === 'sent';
  return [
    ...typeChanges(before, after, way).map(([breaking, message]) => change(breaking, message)),
    ...propertyChanges(before, after, way, pointer),
    ...Object.entries(bounds).flatMap(([key, tighter]) => {
      const [was, is] = [before[key], after[key]];
      if (was === is) return [];
      const tightened = is !== undefined && (was === undefined || (tighter === 'up' ? is! > was! : is! < was!));
      return [change(narrowed === tightened, `${key} changed from ${shown(was)} to ${shown(is)}`)];
    }),
    ...(isObject(before.items) || isObject(after.items)
      ? changesAt(before.items ?? true, after.items ?? true, way, `${pointer}/items`)
      : []),
    ...[...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
      if (understood.includes(key) || key in bounds || annotations.includes(key)) return [];
      if (canonical(before[key] ?? null) === canonical(after[key] ?? null)) return [];
      // A removed pattern or format only accepts more.
      const gone = after[key] === undefined && (key === 'pattern' || key === 'format');
      return [change(!(gone && narrowed), `${key} changed from ${shown(before[key])} to ${shown(after[key])}`)];
    }),
  ];
}

function wholeChange(before: Json, after: Json, way: Direction, pointer: string): SchemaChange {
  const looser = after === true || before === false;
  return {
    pointer,
    breaking: way === 'sent' ? !looser : looser,
    message: looser ? 'accepts more than before' : 'accepts less than before',
  };
}

function typeChanges(before: JsonObject, after: JsonObject, way: Direction): [breaking: boolean, message: string][] {
  const found: [boolean, string][] = [];
  for (const [key, was, is] of [
    ['type', typesOf(before), typesOf(after)],
    ['enum', choicesOf(before), choicesOf(after)],
  ] as const) {
    if (canonical(was ?? null) === canonical(is ?? null)) continue;
    const lost = is && (was ? was.filter((it) => !is.includes(it)) : ['any']);
    const gained = was && (is ? is.filter((it) => !was.includes(it)) : ['any']);
    const breaking = (way === 'sent' ? lost : gained)?.length;
    found.push([
      Boolean(breaking),
      `${key} changed from ${was?.join(' or ') ?? 'anything'} to ${is?.join(' or ') ?? 'anything'}`,
    ]);
  }
  return found;
}

function typesOf({ type }: JsonObject): string[] | undefined {
  if (type === undefined) return undefined;
  const types = (Array.isArray(type) ? type : [type]).map(String);
  return types.includes('number') && !types.includes('integer') ? [...types, 'integer'].sort() : types.sort();
}

function choicesOf(schema: JsonObject): string[] | undefined {
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  return Array.isArray(schema.enum) ? schema.enum.map((it) => JSON.stringify(it)).sort() : undefined;
}

function propertyChanges(before: JsonObject, after: JsonObject, way: Direction, pointer: string): SchemaChange[] {
  const [was, is] = [propertiesOf(before), propertiesOf(after)];
  const [needed, needs] = [requiredOf(before), requiredOf(after)];
  const closed = after.additionalProperties === false;
  const found: SchemaChange[] = [];
  for (const name of new Set([...Object.keys(was), ...Object.keys(is), ...needed, ...needs])) {
    const at = `${pointer}/${escapePointer(name)}`;
    const [old, now] = [Object.hasOwn(was, name), Object.hasOwn(is, name)];
    if (old && now) found.push(...changesAt(was[name] as Json, is[name] as Json, way, at));
    else if (old) found.push({ pointer: at, breaking: way === 'read' || closed, message: 'was removed' });
    else if (now && !needs.includes(name)) found.push({ pointer: at, breaking: false, message: 'was added' });
    if (needs.includes(name) && !needed.includes(name))
      found.push({ pointer: at, breaking: way === 'sent', message: 'is now required' });
    if (needed.includes(name) && !needs.includes(name) && !(old && !now))
      found.push({ pointer: at, breaking: way === 'read', message: 'is no longer required' });
  }
  if (closed && before.additionalProperties !== false)
    found.push({ pointer, breaking: way === 'sent', message: 'no longer accepts other properties' });
  return found;
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {};
}

function requiredOf({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.map(String) : [];
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'unset' : JSON.stringify(value).slice(0, 80);
}
