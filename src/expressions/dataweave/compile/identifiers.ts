import { coreFunction, coreNames, journeyFunction, moduleNamed } from '../library/module-registry.js';
import type { NodeOf } from '../parse/ast.js';
import { closest } from '../parse/reserved-words.js';
import { Fault } from '../runtime/evaluation-fault.js';
import type { CompiledCode, VariableSlots } from '../runtime/evaluation-state.js';
import type { LibraryFunction } from '../runtime/library-function-overloads.js';
import { builtinTypes } from '../runtime/type-values.js';
import { fieldOf, isObjectValue, T, type Value } from '../runtime/values.js';
import type { Compiler } from './compiler.js';
import { type NameBinding, type NameScope, scopeDistance } from './name-scope.js';
import { type TypedCode, typed } from './typed-code.js';

/** Compiles a reference to a variable, function or type. */
export function compileIdentifier(
  c: Compiler,
  node: NodeOf<'name'> | NodeOf<'qualified'>,
  names: NameScope,
): TypedCode {
  if (node.kind === 'qualified') {
    const fn = qualifiedFunction(c, node, names);
    return typed(() => fn);
  }
  const { name } = node;
  const local = names.find(name);
  refuseUseBeforeDeclaration(c, node, local, names);
  if (local) return typed(readBinding(local, names, name), local.kind === 'slot' ? local.mask : T.Any);
  if (c.bindings.has(name)) return typed((ev) => ev.binding(name));
  const fn = libraryFunction(c, name);
  if (fn) return typed(() => fn);
  const type = builtinTypes.get(name);
  if (type) return typed(() => type);
  if (c.journey && !name.startsWith('$') && c.bindings.has('context')) {
    c.lint('DW-D14', node.start, `'${name}' is not bound here and is read from the context`, instead(c, node));
    return typed((ev) => {
      const context = ev.binding('context');
      return isObjectValue(context) ? (fieldOf(context, name) ?? null) : null;
    });
  }
  throw unknownName(c, node, names);
}

/** Suggested spelling for a name that falls back to the context: the nearest binding with the rest of the path, else `context.name`. */
function instead({ bindings, ast: { source } }: Compiler, { name, end }: NodeOf<'name'>): string {
  const near = closest(name, bindings);
  const rest = near && /^(\.[A-Za-z_]\w*)*/.exec(source.slice(end))![0];
  return near ? `did you mean '${near}${rest}'?` : `write 'context.${name}'`;
}

/** Rejects a name that is declared further down and has no value yet. Functions may use it, because they run later. */
export function refuseUseBeforeDeclaration(
  c: Compiler,
  node: NodeOf<'name'>,
  binding: NameBinding | undefined,
  names: NameScope,
): void {
  if (binding?.kind === 'slot' && binding.pending && binding.owner === names.layout)
    throw c.error(
      node,
      'DW_UNKNOWN_VARIABLE',
      `'${node.name}' is used before it is declared`,
      'declare it above the variable that uses it',
    );
}

function unknownName(c: Compiler, node: NodeOf<'name'>, names: NameScope): Error {
  const { name } = node;
  if (name.startsWith('$'))
    return c.error(
      node,
      'DW_UNKNOWN_VARIABLE',
      `'${name}' is not bound here`,
      "it is the parameter of an infix function such as 'map'; escape it in text as \\$",
    );
  const near = closest(name, [...names.all(), ...c.bindings, ...coreNames()]);
  return c.error(node, 'DW_UNKNOWN_VARIABLE', `Unknown name '${name}'`, near && `did you mean '${near}'?`);
}

function readBinding(binding: NameBinding, names: NameScope, name: string): CompiledCode {
  if (binding.kind === 'library') return () => binding.fn;
  if (binding.kind === 'type') return () => binding.type;
  if (binding.kind === 'constant') return () => binding.value;
  if (binding.kind === 'modules') return () => null;
  return readSlot(binding.slot, scopeDistance(names.layout, binding.owner), name);
}

function checked(value: Value | VariableSlots | undefined, name: string): Value {
  if (value === undefined) throw new Fault('DW_UNKNOWN_VARIABLE', `'${name}' is used before it has a value`);
  return value as Value;
}

function readSlot(slot: number, distance: number, name: string): CompiledCode {
  if (distance === 0) return (_ev, slots) => checked(slots[slot], name);
  if (distance === 1) return (_ev, slots) => checked((slots[0] as VariableSlots)[slot], name);
  return (_ev, slots) => {
    let at = slots;
    for (let i = 0; i < distance; i++) at = at[0] as VariableSlots;
    return checked(at[slot], name);
  };
}

/** The library function that a bare name refers to, if any. */
export function libraryFunction(c: Compiler, name: string): LibraryFunction | undefined {
  return coreFunction(name) ?? (c.journey ? journeyFunction(name) : undefined);
}

/** The function behind `Module::name`. */
export function qualifiedFunction(c: Compiler, node: NodeOf<'qualified'>, names: NameScope): LibraryFunction {
  const imported = names.modules(node.module);
  const paths = imported.length > 0 ? imported : [node.module];
  const found = paths.map((path) => moduleNamed(path)?.functions);
  const fn = found.find((it) => it?.has(node.name))?.get(node.name);
  if (fn) return fn;
  if (!found[0]) throw c.error(node, 'DW_UNSUPPORTED_SYNTAX', `Unknown module '${paths[0]}'`);
  const near = closest(
    node.name,
    found.flatMap((it) => [...(it?.keys() ?? [])]),
  );
  throw c.error(
    node,
    'DW_UNKNOWN_VARIABLE',
    `Module '${paths[0]}' has no '${node.name}'`,
    near && `did you mean '${near}'?`,
  );
}

/** Problem for a call of an unknown function, with the nearest name. */
export function unknownFunction(c: Compiler, node: NodeOf<'name'>, names: NameScope): Error {
  const near = closest(node.name, [...names.all(), ...coreNames()]);
  return c.error(
    node,
    'DW_UNKNOWN_VARIABLE',
    `Unknown function '${node.name}'`,
    near ? `did you mean '${near}'?` : 'functions outside dw::Core must be imported',
  );
}
