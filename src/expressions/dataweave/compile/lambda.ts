import type { Node, NodeOf, Param, TypeNode } from '../parse/ast.js';
import { Closure, type CompiledParam, type LambdaCode } from '../runtime/closure.js';
import type { Code } from '../runtime/slots.js';
import type { TypeValue } from '../runtime/types.js';
import { T } from '../runtime/values.js';
import type { Compiler } from './compiler.js';
import { Names, type SelfCall, type SlotLayout } from './names.js';
import { checkDeclared, resolveType } from './type.js';

/** What the declaration of a lambda says about it. */
export interface Declared {
  readonly name: string;
  /** Where it is kept, if a call of that name surely calls it. */
  readonly slot: number | null;
  readonly result: TypeNode | null;
}

const nameless: Declared = { name: 'a lambda', slot: null, result: null };

/** A lambda: makes a closure each time it is evaluated. */
export function compileLambda(c: Compiler, node: NodeOf<'lambda'>, names: Names, declared = nameless): Code {
  const layout: SlotLayout = { slots: 1, outer: names.layout };
  const inner = new Names(layout, names);
  const types = node.params.map(({ type }) => (type ? resolveType(c, type, names) : null));
  for (const [i, { name }] of node.params.entries()) inner.declare(name, null, types[i]?.mask);
  const outside = new Names(layout, names);
  const params = node.params.map((param, i) => compileParam(c, param, types[i]!, outside));
  const twice = node.params.find((it, i) => node.params.findIndex((other) => other.name === it.name) < i);
  if (twice) throw c.error(twice, 'DW_PARSE_ERROR', `There are two parameters called '${twice.name}'`);
  const { name, slot, result } = declared;
  const self: SelfCall | null = slot === null ? null : { slot, owner: names.layout, params: node.params };
  const { made, cost, height } = c.measured(() => {
    const body = c.tolerantly(() => c.compile(node.body, inner, self));
    if (result) checkDeclared(c, result, node.body, body.mask, inner);
    return body.code;
  });
  const code: LambdaCode = {
    name,
    params,
    required: node.params.filter((it) => it.fallback === null).length,
    padded: node.padded,
    simple: params.every((it) => !it.type && !it.fallback),
    comparator: node.params.length === 2 && topOperator(node.body) === '<=>',
    body: made,
    cost,
    height: height + 2,
  };
  return (_ev, slots) => new Closure(code, slots);
}

/** A parameter; its default does not see the other parameters. */
function compileParam(c: Compiler, param: Param, type: TypeValue | null, names: Names): CompiledParam {
  const fallback = param.fallback ? c.code(param.fallback, names) : null;
  return { type: type && type.mask === T.Any && type.shape.kind === 'simple' ? null : type, fallback };
}

function topOperator(node: Node): string | null {
  if (node.kind === 'group') return topOperator(node.inner);
  return node.kind === 'binary' ? node.op : null;
}
