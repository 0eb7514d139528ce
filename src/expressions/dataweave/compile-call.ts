import type { Node, NodeOf } from './ast.js';
import { again } from './closure.js';
import { libraryFunction, qualifiedFunction, unknownFunction } from './compile-name.js';
import type { Compiler } from './compiler.js';
import { dispatch, type LibraryFunction } from './dispatch.js';
import { typeFault } from './fault.js';
import { refusedFunctions } from './library/refused.js';
import type { Code, Scope, SelfCall } from './scope.js';
import { FunctionValue, T, typeName, type Value } from './values.js';

/** A call, prefix or infix. */
export function compileCall(c: Compiler, node: NodeOf<'call'>, scope: Scope, self: SelfCall | null): Code {
  const { callee } = node;
  if (callee.kind === 'qualified') return libraryCall(c, node, qualifiedFunction(c, callee, scope), scope);
  if (callee.kind === 'name') {
    const local = scope.find(callee.name);
    if (local?.kind === 'library') return libraryCall(c, node, local.fn, scope);
    if (!local) {
      const fn = libraryFunction(c, callee.name);
      if (fn) {
        if (c.journey && (callee.name === 'any' || callee.name === 'all'))
          c.lint(
            'DW-D7',
            callee.start,
            `'${callee.name}' is not standard`,
            `write '${callee.name === 'any' ? 'some' : 'every'}' and import it from dw::core::Arrays`,
          );
        if (c.journey && callee.name === 'durationBetween')
          c.lint(
            'DW-D8',
            callee.start,
            "'durationBetween' is not standard",
            'subtract the dates: (b - a) as Number {unit: "seconds"}',
          );
        return libraryCall(c, node, fn, scope);
      }
      if (refusedFunctions.has(callee.name))
        throw c.error(
          callee,
          'DW_UNSUPPORTED_SYNTAX',
          `'${callee.name}' is not available: expressions cannot reach outside`,
        );
      if (!c.bindings?.has(callee.name)) throw unknownFunction(c, callee, scope);
    } else if (local.kind === 'slot' && local.lambda) {
      checkArity(c, node, local.lambda);
      if (self && local.slot === self.slot && local.owner === self.owner) return tailCall(c, node, scope);
    }
  }
  const target = c.compile(callee, scope);
  const args = node.args.map((arg) => c.compile(arg, scope));
  return c.located(node, (run, frame) => {
    const fn = target(run, frame);
    if (!(fn instanceof FunctionValue)) throw typeFault(`A value of type ${typeName(fn)} is not a function`);
    const values: Value[] = new Array(args.length);
    for (let i = 0; i < args.length; i++) values[i] = args[i]!(run, frame);
    return fn.apply(run, values);
  });
}

function checkArity(c: Compiler, node: NodeOf<'call'>, lambda: NodeOf<'lambda'>): void {
  const required = lambda.params.filter((it) => it.fallback === null).length;
  if (node.args.length < required || node.args.length > lambda.params.length)
    throw c.error(
      node,
      'DW_TYPE_MISMATCH',
      `The function takes ${lambda.params.length} arguments, not ${node.args.length}`,
    );
}

function tailCall(c: Compiler, node: NodeOf<'call'>, scope: Scope): Code {
  const args = node.args.map((arg) => c.compile(arg, scope));
  return (run, frame) => {
    const values: Value[] = new Array(args.length);
    for (let i = 0; i < args.length; i++) values[i] = args[i]!(run, frame);
    run.pending = values;
    return again as unknown as Value;
  };
}

function libraryCall(c: Compiler, node: NodeOf<'call'>, fn: LibraryFunction, scope: Scope): Code {
  const count = node.args.length;
  if (!fn.overloads.some((it) => count >= it.min && count <= it.types.length))
    throw c.error(
      node,
      'DW_TYPE_MISMATCH',
      `'${fn.name}' takes ${fn.required === fn.accepted ? fn.required : `${fn.required} to ${fn.accepted}`} arguments, not ${count}`,
    );
  const args = node.args.map((arg, i) => argument(c, arg, lambdaAt(fn, i), scope));
  if (args.length === 1) {
    const [only] = args as [Code];
    return c.located(node, (run, frame) => dispatch(run, fn, [only(run, frame)]));
  }
  if (args.length === 2) {
    const [first, second] = args as [Code, Code];
    return c.located(node, (run, frame) => dispatch(run, fn, [first(run, frame), second(run, frame)]));
  }
  return c.located(node, (run, frame) => {
    const values: Value[] = new Array(args.length);
    for (let i = 0; i < args.length; i++) values[i] = args[i]!(run, frame);
    return dispatch(run, fn, values);
  });
}

/** Whether every signature wants a function at this position. */
function lambdaAt(fn: LibraryFunction, i: number): boolean {
  return (
    fn.overloads.every((it) => it.types[i] === undefined || (it.types[i]! & 0x3ffff) === T.Function) && fn.accepted > i
  );
}

const readsFunction = new Set(['name', 'qualified', 'lambda', 'call', 'select', 'index', 'group', 'if', 'match', 'do']);

/** An argument; where a function is wanted, an expression that cannot be one becomes a lambda without parameters. */
function argument(c: Compiler, node: Node, lambda: boolean, scope: Scope): Code {
  let inner = node;
  while (inner.kind === 'group') inner = inner.inner;
  if (!lambda || readsFunction.has(inner.kind)) return c.compile(node, scope);
  return c.lambda({ kind: 'lambda', params: [], body: node, implicit: true, start: node.start, end: node.end }, scope);
}
