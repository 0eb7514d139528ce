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
  type YAMLMap,
  YAMLSeq,
} from 'yaml';
import { pointerParts } from '../json/pointer.js';
import { isObject, type Json, type JsonObject, own } from '../json/value.js';

/** Flow collections (`{ a: 1 }`) that would be longer than this are written as blocks. */
const widest = 100;
/** After how many rounds at the latest a layout is taken as it is; two or three do. */
const mostRounds = 5;
/** A graph reads best from its data to its states. */
const last = ['subjourneys', 'compensation', 'start', 'states'];

/**
 * A document in its canonical layout: known keys in the order of its JSON Schema, two spaces, no long lines of braces. Comments,
 * blank lines, quotes and block texts stay; what it means stays too. The text must be one that was read without a fault.
 */
export function formatDocument(text: string, schema: Json, path = ''): string {
  if (/\.json$/i.test(path)) return `${JSON.stringify(ordered(JSON.parse(text) as Json, schema, schema), null, 2)}\n`;
  let before = text;
  let after = laidOut(text, schema);
  for (let i = 0; i < mostRounds && after !== before; i += 1) [before, after] = [after, laidOut(after, schema)];
  return after;
}

/** One round: a comment that has moved may hang on something else when it is read again, and then be laid out otherwise. */
function laidOut(text: string, schema: Json): string {
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { uniqueKeys: false, schema: 'core', merge: false });
  oneLine(document);
  visit(document, { Node: (_, node) => oneLine(node) });
  arrange(document.contents, [schema], schema);
  return document.toString({ lineWidth: 0, indent: 2, flowCollectionPadding: true, indentSeq: true });
}

/**
 * Characters that break a line elsewhere, and not in YAML (a lone return, the separators of Unicode), become spaces in comments: the library
 * would begin a line of its own after each of them, and the rest of a comment would be read as something else.
 */
function oneLine(commented: Partial<Pick<Document, 'comment' | 'commentBefore'>>): void {
  for (const where of ['comment', 'commentBefore'] as const)
    if (commented[where]) commented[where] = commented[where].replace(/[\r\u2028\u2029]/g, ' ');
}

/** Brings the keys of `node` and all it holds into their order. */
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
  const known = resolved(schemas, node, root);
  sort(node, orderOf(known));
  for (const { key, value } of node.items as Pair[])
    arrange(value, resolved(below(known, keyOf(key)), value, root), root);
}

/** `{ a: 1 }`, but `[a, b]`. */
function unpadded(this: YAMLSeq, context?: StringifyContext, ...rest: [(() => void)?, (() => void)?]): string {
  return YAMLSeq.prototype.toString.call(this, context && { ...context, flowCollectionPadding: '' }, ...rest);
}

type StringifyContext = NonNullable<Parameters<YAMLSeq['toString']>[0]>;

/** A flow collection that is too long for a line, or holds comments, becomes a block. */
function loosen(node: YAMLMap | { flow?: boolean; items: unknown[] }): void {
  if (node.flow && (width(node) > widest || hasComment(node))) node.flow = false;
}

function sort(map: YAMLMap, order: readonly string[]): void {
  const rank = (pair: unknown): number => {
    const at = order.indexOf(keyOf((pair as Pair).key));
    return at === -1 ? order.length : at;
  };
  const [first] = map.items;
  // A comment above the first key hangs on the map; it belongs to the key, and moves with it.
  if (first && map.commentBefore && isNode(first.key)) {
    first.key.commentBefore = map.commentBefore;
    map.commentBefore = null;
  }
  map.items = map.items
    .map((pair, i) => [pair, i] as const)
    .sort(([a, i], [b, j]) => rank(a) - rank(b) || i - j)
    .map(([pair]) => pair);
  // There is nothing above it to keep a distance from.
  const top = map.items[0]?.key;
  if (isNode(top)) top.spaceBefore = false;
}

/** The keys that the schemas know, in their order; those of a graph last. */
function orderOf(schemas: readonly Json[]): string[] {
  const names = [...new Set(schemas.flatMap((schema) => Object.keys(properties(schema))))];
  return [...names.filter((name) => !last.includes(name)), ...last.filter((name) => names.includes(name))];
}

function properties(schema: Json): JsonObject {
  const found = own(schema, 'properties');
  return isObject(found) ? found : {};
}

/** What the schemas say about a member. */
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

/** Whether the value has what `if` asks for: constants of some fields. */
function selects(when: Json, node: unknown): boolean {
  return Object.entries(properties(when)).every(([name, schema]) => {
    const value = isMap(node) ? node.get(name) : own(node as Json, name);
    return own(schema, 'const') === value;
  });
}

function keyOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : '';
}

/** How long a collection would be on one line. */
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
