import type { Node, NodeOf } from '../parse/ast.js';
import { tailCallPending } from '../runtime/closures.js';
import { typeFault } from '../runtime/evaluation-fault.js';
import type { CompiledCode } from '../runtime/evaluation-state.js';
import { callLibraryFunction, type LibraryFunction } from '../runtime/library-function-overloads.js';
import { FunctionValue, T, typeName, type Value } from '../runtime/values.js';
import type { Compiler } from './compiler.js';
import { libraryFunction, qualifiedFunction, refuseUseBeforeDeclaration, unknownFunction } from './identifiers.js';
import type { NameScope, SelfCall } from './name-scope.js';
import { acceptsArguments, acceptsTypes, wrongElements } from './static-type-checks.js';
import { isUnknownType, type TypedCode, typed } from './typed-code.js';

/** Functions that reach outside an expression; rejected at compile time. */
const refusedFunctions: ReadonlySet<string> = new Set(['readUrl', 'lookup', 'p', 'native']);

/** Compiles a call, prefix or infix. */
export function compileCall(c: Compiler, node: NodeOf<'call'>, names: NameScope, self: SelfCall | null): TypedCode {
  const { callee } = node;
  if (callee.kind === 'qualified') return libraryCall(c, node, qualifiedFunction(c, callee, names), names);
  if (callee.kind === 'name') {
    const local = names.find(callee.name);
    if (local?.kind === 'library') return libraryCall(c, node, local.fn, names);
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
        return libraryCall(c, node, fn, names);
      }
      if (refusedFunctions.has(callee.name))
        throw c.error(
          callee,
          'DW_UNSUPPORTED_SYNTAX',
          `'${callee.name}' is not available: expressions cannot reach outside`,
        );
      if (!c.bindings.has(callee.name)) throw unknownFunction(c, callee, names);
    } else if (local.kind === 'slot' && local.lambda) {
      refuseUseBeforeDeclaration(c, callee, local, names);
      checkArity(c, node, local.lambda);
      if (self && local.slot === self.slot && local.owner === self.owner) return typed(compileTailCall(c, node, names));
    }
  }
  if (isData(c, callee, names)) c.lint('EXPR_NO_FUNCTION', callee.start, ...noMethod(c, callee));
  const target = c.code(callee, names);
  const args = node.args.map((arg) => c.code(arg, names));
  // A selector chain that finds nothing stays null when called, just as it does when selected from.
  const chained = callee.kind === 'select' || callee.kind === 'index';
  const code = c.located(node, (ev, slots) => {
    const fn = target(ev, slots);
    const missing = chained && fn === null;
    if (!missing && !(fn instanceof FunctionValue))
      throw typeFault(`A value of type ${typeName(fn)} is not a function`);
    const values: Value[] = new Array(args.length);
    for (let i = 0; i < args.length; i++) values[i] = args[i]!(ev, slots);
    return fn instanceof FunctionValue ? fn.apply(ev, values) : null;
  });
  return typed(code);
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

function compileTailCall(c: Compiler, node: NodeOf<'call'>, names: NameScope): CompiledCode {
  const args = node.args.map((arg) => c.code(arg, names));
  return (ev, slots) => {
    const values: Value[] = new Array(args.length);
    for (let i = 0; i < args.length; i++) values[i] = args[i]!(ev, slots);
    ev.pending = values;
    return tailCallPending as unknown as Value;
  };
}

function libraryCall(c: Compiler, node: NodeOf<'call'>, fn: LibraryFunction, names: NameScope): TypedCode {
  const masks: number[] = [];
  const args = node.args.map((arg) => {
    const { code, mask, elements } = c.compile(arg, names);
    masks.push(mask);
    c.refuseIf(
      masks.length === 1 && wrongElements(fn, elements),
      arg,
      `'${fn.name}' does not accept these element types`,
    );
    return code;
  });
  const count = args.length;
  if (!fn.overloads.some((it) => count >= it.min && count <= it.types.length))
    return typed(wrongCount(c, node, fn, masks));
  c.refuseIf(!acceptsTypes(fn, masks), node, `'${fn.name}' does not accept these argument types`);
  if (!node.infix) {
    const counts = node.args.map(parameterCount);
    const known = !isUnknownType(masks[0] ?? T.Any);
    const wrong = counts.some((it) => it >= 0) && known && !acceptsArguments(fn, masks, counts);
    c.refuseIf(wrong, node, `'${fn.name}' expects a function with a different number of parameters`);
  }
  return typed(c.located(node, dispatching(fn, args)), fn.gives(masks));
}

/** Calls a library function with evaluated arguments. */
function dispatching(fn: LibraryFunction, args: readonly CompiledCode[]): CompiledCode {
  if (args.length === 1) {
    const [only] = args as [CompiledCode];
    return (ev, slots) => callLibraryFunction(ev, fn, [only(ev, slots)]);
  }
  if (args.length === 2) {
    const [first, second] = args as [CompiledCode, CompiledCode];
    return (ev, slots) => callLibraryFunction(ev, fn, [first(ev, slots), second(ev, slots)]);
  }
  return (ev, slots) => {
    const values: Value[] = new Array(args.length);
    for (let i = 0; i < args.length; i++) values[i] = args[i]!(ev, slots);
    return callLibraryFunction(ev, fn, values);
  };
}

/** Parameter count of a lambda written as an argument; -1 for anything else. */
function parameterCount(node: Node): number {
  if (node.kind === 'group') return parameterCount(node.inner);
  return node.kind === 'lambda' ? node.params.length : -1;
}

/** Rejects a wrong number of arguments at load, except in strict mode when the argument types are unknown. */
function wrongCount(c: Compiler, node: NodeOf<'call'>, fn: LibraryFunction, masks: readonly number[]): CompiledCode {
  const takes = fn.required === fn.accepted ? fn.required : `${fn.required} to ${fn.accepted}`;
  const detail = `'${fn.name}' takes ${takes} arguments, not ${node.args.length}`;
  if (c.journey || !masks.some(isUnknownType)) throw c.error(node, 'DW_TYPE_MISMATCH', detail);
  return c.located(node, () => {
    throw typeFault(detail);
  });
}

/** Whether the node is a field of the run's input data, which is JSON and cannot hold functions. */
function isData(c: Compiler, node: Node, names: NameScope): boolean {
  if (node.kind === 'select' || node.kind === 'index') {
    const { target } = node;
    if (target.kind === 'name') return !names.find(target.name) && c.bindings.has(target.name);
    return isData(c, target, names);
  }
  return false;
}

/** Message and hint for a method call, which DataWeave does not have. */
function noMethod(c: Compiler, callee: Node): [message: string, hint: string] {
  const written = c.ast.source.slice(callee.start, callee.end);
  const [, value, method] = /^([\w.]+)\.(\w+)$/.exec(written) ?? [];
  const fn = method !== undefined && libraryFunction(c, method) ? method : 'upper';
  return [
    `'${written}' is data and cannot be called: the call returns null or fails`,
    `DataWeave has no methods; pass the value to a function, as in '${fn}(${value ?? 'context.name'})'`,
  ];
}
