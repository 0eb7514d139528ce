import {
  Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  visit,
  YAMLMap,
  YAMLSeq,
} from 'yaml';
import { pointerParts } from '../json/pointer.js';
import { isObject, type Json, type JsonObject, own } from '../json/value.js';

/** Flow collections (`{ a: 1 }`) that would be longer than this are written as blocks. */
const widest = 100;
/** Maximum number of formatting passes; two or three are usually enough. */
const mostRounds = 5;
/** Keys of a graph that come last, so that data precedes states. */
const last = ['subjourneys', 'compensation', 'start', 'states'];

/**
 * Formats a document: known keys in the order of its JSON Schema, two spaces, no long flow collections. Comments,
 * blank lines, quotes, block scalars and the value stay the same. The text must have been parsed without errors.
 * `rewrite` changes the document first.
 */
export function formatDocument(text: string, schema: Json, path = '', rewrite?: (document: Document) => void): string {
  if (/\.json$/i.test(path)) return `${JSON.stringify(ordered(jsonOf(text, rewrite), schema, schema), null, 2)}\n`;
  let before = text;
  let after = laidOut(text, schema, rewrite);
  for (let i = 0; i < mostRounds && after !== before; i += 1) [before, after] = [after, laidOut(after, schema)];
  return after;
}

function jsonOf(text: string, rewrite?: (document: Document) => void): Json {
  if (!rewrite) return JSON.parse(text) as Json;
  const document = parseDocument(text);
  rewrite(document);
  return document.toJS() as Json;
}

/** One formatting pass. A moved comment may belong to another node when it is parsed again, and be formatted differently. */
function laidOut(text: string, schema: Json, rewrite?: (document: Document) => void): string {
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { uniqueKeys: false, schema: 'core', merge: false });
  rewrite?.(document);
  oneLine(document);
  visit(document, { Node: (_, node) => oneLine(node) });
  arrange(document.contents, [schema], schema);
  return document.toString({ lineWidth: 0, indent: 2, flowCollectionPadding: true, indentSeq: true });
}

/**
 * Replaces characters in comments that are line breaks elsewhere but not in YAML (a lone carriage return, Unicode separators) by spaces.
 * The library would start a new line after each of them, and the rest of the comment would no longer be a comment.
 */
function oneLine(commented: Partial<Pick<Document, 'comment' | 'commentBefore'>>): void {
  for (const where of ['comment', 'commentBefore'] as const)
    if (commented[where]) commented[where] = commented[where].replace(/[\r\u2028\u2029]/g, ' ');
}

/** Sorts the keys of `node` and of everything in it. */
function arrange(node: unknown, schemas: readonly Json[], root: Json): void {
  if (isSeq(node)) {
    loosen(node);
    if (node.flow) node.toString = unpadded;
    const items = schemas.flatMap((schema) => own(schema, 'items') ?? []);
    for (const item of node.items) arrange(item, resolved(items, item, root), root);
    return;
  }
  if (!isMap(node)) return;
  loosen(node);
  if (node.flow) node.toString = padded;
  const known = resolved(schemas, node, root);
  sort(node, orderOf(known));
  for (const { key, value } of node.items as Pair[])
    arrange(value, resolved(below(known, keyOf(key)), value, root), root);
}

/** `{ a: 1 }`, but `[a, b]`. */
function unpadded(this: YAMLSeq, context?: StringifyContext, ...rest: [(() => void)?, (() => void)?]): string {
  return YAMLSeq.prototype.toString.call(this, context && { ...context, flowCollectionPadding: '' }, ...rest);
}

/** `[{ a: 1 }]`: the list around it does not change the braces. */
function padded(this: YAMLMap, context?: StringifyContext, ...rest: [(() => void)?, (() => void)?]): string {
  return YAMLMap.prototype.toString.call(this, context && { ...context, flowCollectionPadding: ' ' }, ...rest);
}

type StringifyContext = NonNullable<Parameters<YAMLSeq['toString']>[0]>;

/** Turns a flow collection that is too long for a line, or contains comments, into a block. */
function loosen(node: YAMLMap | { flow?: boolean; items: unknown[] }): void {
  if (node.flow && (width(node) > widest || hasComment(node))) node.flow = false;
}

function sort(map: YAMLMap, order: readonly string[]): void {
  const rank = (pair: unknown): number => {
    const at = order.indexOf(keyOf((pair as Pair).key));
    return at === -1 ? order.length : at;
  };
  const [first] = map.items;
  // The library attaches a comment above the first key to the map; it belongs to the key and moves with it.
  if (first && map.commentBefore && isNode(first.key)) {
    first.key.commentBefore = map.commentBefore;
    map.commentBefore = null;
  }
  map.items = map.items
    .map((pair, i) => [pair, i] as const)
    .sort(([a, i], [b, j]) => rank(a) - rank(b) || i - j)
    .map(([pair]) => pair);
  // The first entry needs no blank line above it.
  const top = map.items[0]?.key;
  if (isNode(top)) top.spaceBefore = false;
}

/** The keys of the schemas in order; those of a graph last. */
function orderOf(schemas: readonly Json[]): string[] {
  const names = [...new Set(schemas.flatMap((schema) => Object.keys(properties(schema))))];
  return [...names.filter((name) => !last.includes(name)), ...last.filter((name) => names.includes(name))];
}

function properties(schema: Json): JsonObject {
  const found = own(schema, 'properties');
  return isObject(found) ? found : {};
}

/** The schemas of a member. */
function below(schemas: readonly Json[], key: string): Json[] {
  return schemas.flatMap((schema) => {
    const named = own(own(schema, 'properties'), key);
    const others = own(schema, 'additionalProperties');
    return named ?? (isObject(others) ? others : []);
  });
}

/** The schemas with references followed and alternatives chosen: those that a value's own fields select, else all. */
function resolved(schemas: readonly Json[], node: unknown, root: Json, depth = 0): Json[] {
  if (depth > 20) return [];
  return schemas.flatMap((schema) => {
    const ref = own(schema, '$ref');
    const target =
      typeof ref === 'string'
        ? pointerParts(ref.slice(1)).reduce<Json | undefined>((at, part) => own(at, part), root)
        : undefined;
    const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((key) => {
      const all = own(schema, key);
      return Array.isArray(all) ? all : [];
    });
    const chosen = parts.flatMap((part) => {
      const when = own(part, 'if');
      if (when === undefined) return [part];
      return selects(when, node) ? (own(part, 'then') ?? []) : [];
    });
    const more = [...(target === undefined ? [] : [target]), ...chosen];
    return [schema, ...(more.length === 0 ? [] : resolved(more, node, root, depth + 1))];
  });
}

/** True if the value matches `if`: constants of some fields. */
function selects(when: Json, node: unknown): boolean {
  return Object.entries(properties(when)).every(([name, schema]) => {
    const value = isMap(node) ? node.get(name) : own(node as Json, name);
    return own(schema, 'const') === value;
  });
}

function keyOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : '';
}

/** The length of a collection on one line. */
function width(node: unknown): number {
  if (isPair(node)) return width(node.key) + width(node.value) + 2;
  if (isCollection(node)) return node.items.reduce<number>((sum, item) => sum + width(item) + 2, isMap(node) ? 2 : 0);
  return isScalar(node) ? String(new Document(node.value)).trimEnd().length : 4;
}

function hasComment(node: unknown): boolean {
  if (isPair(node)) return hasComment(node.key) || hasComment(node.value);
  if (!isNode(node)) return false;
  if (node.comment || node.commentBefore) return true;
  return isCollection(node) && node.items.some(hasComment);
}

/** The same for plain JSON. */
function ordered(value: Json, schema: Json, root: Json, schemas: readonly Json[] = [schema]): Json {
  const known = resolved(schemas, value, root);
  if (Array.isArray(value))
    return value.map((item) =>
      ordered(
        item,
        schema,
        root,
        known.flatMap((it) => own(it, 'items') ?? []),
      ),
    );
  if (!isObject(value)) return value;
  const order = orderOf(known).filter((key) => Object.hasOwn(value, key));
  const rest = Object.keys(value).filter((key) => !order.includes(key));
  return Object.fromEntries(
    [...order, ...rest].map((key) => [key, ordered(value[key]!, schema, root, below(known, key))]),
  );
}
