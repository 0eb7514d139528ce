import { isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { pointerParts } from '../json/pointer.js';
import type { Finding } from '../problems/problem.js';
import { type CodeEntry, registry } from '../problems/registry.js';
import { keyText, type Source } from './parse-yaml.js';
import type { LineColumn, SourcePosition } from './source-positions.js';

type Member = Pair<Node, Node | null>;

/** The position of the value at `pointer` (`own`), or of the nearest value that contains it. */
export function positionAt({ root }: Source, pointer: string): { position: SourcePosition; own: boolean } | undefined {
  if (root === null) return undefined;
  let node: Node | null = root;
  let position = positionOf(root);
  for (const part of pointerParts(pointer)) {
    if (isSeq(node) && /^\d+$/.test(part) && Number(part) < node.items.length) {
      node = node.items[Number(part)] as Node | null;
      position = positionOf(node);
      continue;
    }
    const member: Member | undefined = isMap(node) ? memberOf(node, part) : undefined;
    if (member === undefined) return { position, own: false };
    node = member.value;
    position = positionOf(node, member.key.range?.[0]);
  }
  return { position, own: true };
}

/** An index of the members of maps: a hostile document has many findings in one large map. */
const members = new WeakMap<YAMLMap, Map<string, Member>>();

/** The first member with this key: a second one is an error. */
function memberOf(map: YAMLMap, name: string): Member | undefined {
  let known = members.get(map);
  if (known === undefined) {
    known = new Map();
    for (const member of map.items as Member[])
      if (isScalar(member.key) && !known.has(keyText(member.key))) known.set(keyText(member.key), member);
    members.set(map, known);
  }
  return known.get(name);
}

function positionOf(node: Node | null, key?: number): SourcePosition {
  const start = node?.range?.[0] ?? key ?? 0;
  return { ...(key !== undefined && { key }), start, end: node?.range?.[1] ?? start, style: styleOf(node) };
}

function styleOf(node: Node | null): SourcePosition['style'] {
  if (!isScalar(node)) return 'other';
  if (node.type === 'QUOTE_DOUBLE') return 'double';
  if (node.type === 'QUOTE_SINGLE') return 'single';
  return node.type === 'PLAIN' ? 'plain' : 'block';
}

/** Line and column of the value at `pointer`, or of its key where it has one. */
export function lineColumnAt(source: Source, pointer: string): LineColumn {
  const { position } = positionAt(source, pointer) ?? {};
  return source.lines.at(position?.key ?? position?.start ?? 0);
}

/** Syntax errors of the text, as findings. */
export function sourceFindings({ problems, lines }: Source): Finding[] {
  return problems.map(({ code, message, pointer, offset, hint: own }) => {
    const entry: CodeEntry = registry[code];
    const hint = own ?? entry.hint;
    return {
      code,
      severity: 'error',
      message,
      pointer,
      ...lines.at(offset),
      ...(hint === undefined ? {} : { hint }),
    };
  });
}
