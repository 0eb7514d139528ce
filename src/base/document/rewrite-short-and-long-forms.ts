import { type Document, isMap, isNode, isPair, isScalar, isSeq, type Node, Pair, Scalar, visit, YAMLMap } from 'yaml';
import { pointerParts } from '../json/pointer.js';
import { isObject, type Json, type JsonObject } from '../json/value.js';
import type { Forms, ImpliedField, LongForm, ShortForm, TwoStates } from './placed-value.js';

/** Rewrites a document in the language's own form: expressions in full, and two states for each that needs them. */
export function writeLong(document: Document, { short, implied, twoStates }: Forms): void {
  for (const field of implied) writeImplied(document, field);
  for (const form of deepestFirst(short)) writeOut(document, form);
  const defaults = nodeAt(document, ['spec', 'defaults']);
  if (isMap(defaults)) {
    drop(defaults, 'lang');
    const spec = nodeAt(document, ['spec']);
    if (defaults.items.length === 0 && isMap(spec)) drop(spec, 'defaults');
  }
  for (const form of twoStates) writeTwoStates(document, form);
}

/** Rewrites the expressions of a document in their short form, without fields that others imply. */
export function writeShort(document: Document, { long, redundant }: Forms): void {
  for (const form of deepestFirst(long)) shorten(document, form);
  for (const { pointer, key } of redundant) {
    const map = nodeAt(document, pointerParts(pointer));
    if (isMap(map)) drop(map, key);
  }
}

/** The forms without repetitions, inner ones before those around them. */
function deepestFirst<F extends { pointer: string; wrap?: string | undefined }>(forms: readonly F[]): F[] {
  const distinct = new Map(forms.map((form) => [`${form.wrap ?? ''} ${form.pointer}`, form]));
  return [...distinct.values()].sort((a, b) => b.pointer.length - a.pointer.length);
}

function writeOut(document: Document, { pointer, wrap, lang, expr }: ShortForm): void {
  const path = pointerParts(pointer);
  const node = nodeAt(document, path);
  const full = new YAMLMap();
  full.items.push(new Pair(new Scalar('lang'), new Scalar(lang)));
  if (isMap(node)) {
    const written = pairOf(node, expr === undefined ? 'expr' : 'mapperRef');
    if (!written) return;
    const own = pairOf(node, 'lang');
    const at = node.items.indexOf(written);
    const wrapper = new Pair(new Scalar(wrap ?? ''), full);
    full.items.push(expr === undefined ? written : handOn(written, new Pair(new Scalar('expr'), new Scalar(expr))));
    if (own) full.items[0] = own;
    full.flow = fitsFlow(full, node.flow === true || own === undefined);
    const others = node.items.filter((pair) => pair !== written && pair !== own);
    if (wrap === undefined) node.items = [...full.items, ...others];
    else node.items = [...others.slice(0, at), wrapper, ...others.slice(at)];
    return;
  }
  if (!isScalar(node)) return;
  full.items.push(new Pair(new Scalar('expr'), node));
  full.flow = fitsFlow(full, true);
  const around = new YAMLMap();
  around.flow = full.flow;
  around.items.push(new Pair(new Scalar(wrap ?? ''), full));
  replaceAt(document, path, wrap === undefined ? full : around);
}

/** Adds a field that was left out, before the others. */
function writeImplied(document: Document, { pointer, key, value }: ImpliedField): void {
  const map = nodeAt(document, pointerParts(pointer));
  if (isMap(map) && !pairOf(map, key)) map.items.unshift(new Pair(new Scalar(key), new Scalar(value)));
}

function shorten(document: Document, { pointer, wrap, acceptsText }: LongForm): void {
  const path = pointerParts(pointer);
  const node = nodeAt(document, path);
  if (!isMap(node)) return;
  if (wrap === undefined) drop(node, 'lang');
  else unwrap(node, wrap);
  const [only, other] = node.items as Pair[];
  if (!acceptsText || other || !only || keyOf(only) !== 'expr' || !isScalar(only.value)) return;
  moveComments([only.key, node], only.value);
  replaceAt(document, path, only.value);
}

/** Replaces the field `wrap` by the fields in it. */
function unwrap(node: YAMLMap, wrap: string): void {
  const outer = pairOf(node, wrap);
  if (!outer) return;
  const { key, value } = outer;
  const inner = isMap(value) ? (value.items as Pair[]) : [new Pair(new Scalar('expr'), value)];
  const first = inner[0]?.key;
  if (isNode(first)) moveComments([key, isMap(value) ? value : undefined], first);
  node.items.splice(node.items.indexOf(outer), 1, ...inner);
}

/** Changes a state as `form` says, and puts the second state after it. */
function writeTwoStates(document: Document, { pointer, rename, set, second }: TwoStates): void {
  const path = pointerParts(pointer);
  const id = path.at(-1)!;
  const state = nodeAt(document, path);
  const graph = nodeAt(document, path.slice(0, -1));
  if (!isMap(state) || !isMap(graph)) return;
  let next = `${id}Then`;
  while (graph.has(next)) next += '2';
  for (const [from, to] of Object.entries(rename)) {
    if (to === null) drop(state, from);
    else (pairOf(state, from)!.key as Scalar).value = to;
  }
  assign(document, state, { ...set, next });
  const after = graph.items.findIndex((pair) => keyOf(pair) === id) + 1;
  graph.items.splice(after, 0, new Pair(new Scalar(next), inBraces(document, second)));
}

/** Sets fields, in blocks that exist field by field; null removes one. */
function assign(document: Document, map: YAMLMap, fields: JsonObject): void {
  for (const [key, value] of Object.entries(fields)) {
    const field = pairOf(map, key)?.value;
    if (value === null) drop(map, key);
    else if (isMap(field) && isObject(value)) assign(document, field, value);
    else if (isScalar(field) && !isObject(value)) field.value = value;
    else map.set(key, inBraces(document, value));
  }
}

/** A node that is written in braces; the layout breaks those that are too long. */
function inBraces(document: Document, value: Json): Node {
  const node = document.createNode(value);
  visit(node, {
    Collection(_, inner) {
      inner.flow = true;
    },
  });
  return node;
}

/** Removes a field. Its comments go to a neighbour. */
function drop(map: YAMLMap, key: string): void {
  const at = map.items.findIndex((pair) => keyOf(pair) === key);
  if (at === -1) return;
  const [gone] = map.items.splice(at, 1);
  const neighbour = map.items[at] ?? map.items[at - 1];
  if (neighbour) handOn(gone as Pair, neighbour as Pair);
}

/** Moves the comments of a field, and those inside it, above another one. */
function handOn(gone: Pair, to: Pair): Pair {
  const nodes: Node[] = [];
  for (const part of [gone.key, gone.value])
    if (isNode(part)) visit(part, { Node: (_, node) => void nodes.push(node) });
  if (isNode(to.key)) moveComments(nodes, to.key);
  return to;
}

/** Moves the comments of nodes above another one. */
function moveComments(from: readonly unknown[], to: { commentBefore?: string | null }): void {
  const found = from.flatMap((node) => {
    if (!isNode(node)) return [];
    const own = [node.commentBefore, node.comment].filter((it) => typeof it === 'string');
    node.commentBefore = null;
    node.comment = null;
    return own;
  });
  const all = [...found, ...(to.commentBefore ? [to.commentBefore] : [])];
  if (all.length > 0) to.commentBefore = all.join('\n');
}

/** Whether an expression can be written in braces: text of several lines cannot. */
function fitsFlow(map: YAMLMap, wanted: boolean): boolean {
  return wanted && !(map.items as Pair[]).some(({ value }) => isScalar(value) && String(value.value).includes('\n'));
}

function nodeAt(document: Document, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, part) => {
    if (isSeq(at)) return at.items[Number(part)];
    return isMap(at) ? pairOf(at, part)?.value : undefined;
  }, document.contents);
}

function replaceAt(document: Document, path: readonly string[], value: Node): void {
  const around = nodeAt(document, path.slice(0, -1));
  const last = path.at(-1)!;
  if (isSeq(around)) around.items[Number(last)] = value;
  else if (isMap(around)) pairOf(around, last)!.value = value;
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return (map.items as Pair[]).find((pair) => keyOf(pair) === key);
}

function keyOf(pair: unknown): string {
  return isPair(pair) && isScalar(pair.key) ? String(pair.key.value) : '';
}
