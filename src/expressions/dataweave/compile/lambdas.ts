import type { Node, NodeOf, Param, TypeNode } from '../parse/ast.js';
import { Closure, type CompiledParam, type LambdaCode } from '../runtime/closures.js';
import type { CompiledCode } from '../runtime/evaluation-state.js';
import type { TypeValue } from '../runtime/type-values.js';
import { T } from '../runtime/values.js';
import type { Compiler } from './compiler.js';
import { NameScope, type SelfCall, type SlotLayout } from './name-scope.js';
import { checkDeclared, resolveType } from './type-expressions.js';

/** Declaration of a lambda. */
export interface LambdaDeclaration {
  readonly name: string;
  /** Its slot, if calls by that name always reach it. */
  readonly slot: number | null;
  readonly result: TypeNode | null;
}

const nameless: LambdaDeclaration = { name: 'a lambda', slot: null, result: null };

/** Compiles a lambda to code that creates a closure on each evaluation. */
export function compileLambda(
  c: Compiler,
  node: NodeOf<'lambda'>,
  names: NameScope,
  declared = nameless,
): CompiledCode {
  const layout: SlotLayout = { slots: 1, outer: names.layout };
  const inner = new NameScope(layout, names);
  const types = node.params.map(({ type }) => (type ? resolveType(c, type, names) : null));
  for (const [i, { name }] of node.params.entries()) inner.declare(name, null, types[i]?.mask);
  const outside = new NameScope(layout, names);
  const params = node.params.map((param, i) => compileParam(c, param, types[i]!, outside));
  const twice = node.params.find((it, i) => node.params.findIndex((other) => other.name === it.name) < i);
  if (twice) throw c.error(twice, 'DW_PARSE_ERROR', `Duplicate parameter '${twice.name}'`);
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

/** Compiles a parameter. Its default cannot see the other parameters. */
function compileParam(c: Compiler, param: Param, type: TypeValue | null, names: NameScope): CompiledParam {
  const fallback = param.fallback ? c.code(param.fallback, names) : null;
  return { type: type && type.mask === T.Any && type.shape.kind === 'simple' ? null : type, fallback };
}

function topOperator(node: Node): string | null {
  if (node.kind === 'group') return topOperator(node.inner);
  return node.kind === 'binary' ? node.op : null;
}
