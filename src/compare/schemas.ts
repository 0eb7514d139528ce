import { escapePointer } from '../json/pointer.js';
import { canonical, isObject, type Json, type JsonObject } from '../json/value.js';

/** Which way values go: clients send them, or read them. */
export type Direction = 'sent' | 'read';

/** What is different between two schemas, from the side of those who know the first. */
export interface SchemaChange {
  readonly pointer: string;
  readonly breaking: boolean;
  readonly message: string;
}

/** Keywords that this comparison understands; any other that changes is told, and not judged. */
const understood = ['type', 'properties', 'required', 'enum', 'const', 'items', 'additionalProperties'];
/** Bounds: which way makes them tighter. */
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
/** Texts for people change nothing. */
const words: readonly string[] = ['title', 'description', 'examples', 'example', 'default', '$comment', 'deprecated'];

/**
 * Every difference between two JSON Schemas. For values that clients send, what is refused now and was taken before breaks them; for values
 * that they read, what may be missing now or be something else.
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
      return [change(narrowed === tightened, `${key} is ${shown(is)} and was ${shown(was)}`)];
    }),
    ...(isObject(before.items) || isObject(after.items)
      ? changesAt(before.items ?? true, after.items ?? true, way, `${pointer}/items`)
      : []),
    ...[...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
      if (understood.includes(key) || key in bounds || words.includes(key)) return [];
      if (canonical(before[key] ?? null) === canonical(after[key] ?? null)) return [];
      // A pattern or format that is gone refuses nothing any more.
      const gone = after[key] === undefined && (key === 'pattern' || key === 'format');
      return [change(!(gone && narrowed), `${key} is ${shown(after[key])} and was ${shown(before[key])}`)];
    }),
  ];
}

function wholeChange(before: Json, after: Json, way: Direction, pointer: string): SchemaChange {
  const looser = after === true || before === false;
  return {
    pointer,
    breaking: way === 'sent' ? !looser : looser,
    message: looser ? 'takes more than before' : 'takes less than before',
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
      `${key} is ${is?.join(' or ') ?? 'anything'} and was ${was?.join(' or ') ?? 'anything'}`,
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
    else if (old) found.push({ pointer: at, breaking: way === 'read' || closed, message: 'is gone' });
    else if (now && !needs.includes(name)) found.push({ pointer: at, breaking: false, message: 'is new' });
    if (needs.includes(name) && !needed.includes(name))
      found.push({ pointer: at, breaking: way === 'sent', message: 'is required now' });
    if (needed.includes(name) && !needs.includes(name) && !(old && !now))
      found.push({ pointer: at, breaking: way === 'read', message: 'is not required any more' });
  }
  if (closed && before.additionalProperties !== false)
    found.push({ pointer, breaking: way === 'sent', message: 'takes no other properties now' });
  return found;
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {};
}

function requiredOf({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.map(String) : [];
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'not there' : JSON.stringify(value).slice(0, 80);
}
