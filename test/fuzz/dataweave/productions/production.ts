import type { Generator } from '../generator.js';
import { build, type Node } from '../tree.js';

/** One way to generate an expression of a type; `*` matches any type, `[]` any array. */
export interface Production {
  type: string;
  weight: number;
  make(g: Generator, type: string, depth: number): Node | undefined;
}

/** `left op right`. */
export const infix = (type: string, op: string, left: Node, right: Node): Node =>
  build(type, op)`${left} ${op} ${right}`;

/** An expression that can precede a selector. */
export function atomic(g: Generator, type: string, depth: number): Node {
  const node = g.expression(type, depth);
  return node.atom ? node : build(node.type, 'parens', { atom: true })`(${node})`;
}
