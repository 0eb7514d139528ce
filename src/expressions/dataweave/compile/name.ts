import { coreFunction, coreNames, journeyFunction, moduleNamed } from '../library/modules.js';
import type { NodeOf } from '../parse/ast.js';
import { closest } from '../parse/words.js';
import type { LibraryFunction } from '../runtime/dispatch.js';
import { Fault } from '../runtime/fault.js';
import type { Code, Slots } from '../runtime/slots.js';
import { builtinTypes } from '../runtime/types.js';
import { fieldOf, isObjectValue, T, type Value } from '../runtime/values.js';
import type { Compiler } from './compiler.js';
import { type Binding, hops, type Names } from './names.js';
import { type Typed, typed } from './typed.js';

/** Reads a variable. */
export function compileName(c: Compiler, node: NodeOf<'name'> | NodeOf<'qualified'>, names: Names): Typed {
  if (node.kind === 'qualified') {
    const fn = qualifiedFunction(c, node, names);
    return typed(() => fn);
  }
  const { name } = node;
  const local = names.find(name);
  refuseEarly(c, node, local, names);
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

/** What to write for a name that is read from the context: a misspelt binding with what follows it, else the name in the context. */
function instead({ bindings, ast: { source } }: Compiler, { name, end }: NodeOf<'name'>): string {
  const near = closest(name, bindings);
  const rest = near && /^(\.[A-Za-z_]\w*)*/.exec(source.slice(end))![0];
  return near ? `did you mean '${near}${rest}'?` : `write 'context.${name}'`;
}

/** Refuses a name that is declared further down and has no value yet; a function, which is called later, may use it. */
export function refuseEarly(c: Compiler, node: NodeOf<'name'>, binding: Binding | undefined, names: Names): void {
  if (binding?.kind === 'slot' && binding.pending && binding.owner === names.layout)
    throw c.error(
      node,
      'DW_UNKNOWN_VARIABLE',
      `'${node.name}' is used before it is declared`,
      'declare it above the variable that uses it',
    );
}

function unknownName(c: Compiler, node: NodeOf<'name'>, names: Names): Error {
  const { name } = node;
  if (name.startsWith('$'))
    return c.error(
      node,
      'DW_UNKNOWN_VARIABLE',
      `'${name}' is not bound here`,
      "it is the parameter of an infix function such as 'map'; escape it in text as \\$",
    );
  const near = closest(name, [...names.all(), ...c.bindings, ...coreNames()]);
  return c.error(node, 'DW_UNKNOWN_VARIABLE', `There is nothing called '${name}'`, near && `did you mean '${near}'?`);
}

function readBinding(binding: Binding, names: Names, name: string): Code {
  if (binding.kind === 'library') return () => binding.fn;
  if (binding.kind === 'type') return () => binding.type;
  if (binding.kind === 'constant') return () => binding.value;
  if (binding.kind === 'module') return () => null;
  return readSlot(binding.slot, hops(names.layout, binding.owner), name);
}

function checked(value: Value | Slots | undefined, name: string): Value {
  if (value === undefined) throw new Fault('DW_UNKNOWN_VARIABLE', `'${name}' is used before it has a value`);
  return value as Value;
}

function readSlot(slot: number, distance: number, name: string): Code {
  if (distance === 0) return (_ev, slots) => checked(slots[slot], name);
  if (distance === 1) return (_ev, slots) => checked((slots[0] as Slots)[slot], name);
  return (_ev, slots) => {
    let at = slots;
    for (let i = 0; i < distance; i++) at = at[0] as Slots;
    return checked(at[slot], name);
  };
}

/** The library function a bare name means, if it means one. */
export function libraryFunction(c: Compiler, name: string): LibraryFunction | undefined {
  return coreFunction(name) ?? (c.journey ? journeyFunction(name) : undefined);
}

/** The function behind `Module::name`. */
export function qualifiedFunction(c: Compiler, node: NodeOf<'qualified'>, names: Names): LibraryFunction {
  const alias = names.find(`${node.module}::`);
  const path = alias?.kind === 'module' ? alias.module : node.module;
  const module = moduleNamed(path);
  if (!module) throw c.error(node, 'DW_UNSUPPORTED_SYNTAX', `There is no module '${path}' here`);
  const fn = module.functions.get(node.name);
  if (fn) return fn;
  const near = closest(node.name, module.functions.keys());
  throw c.error(
    node,
    'DW_UNKNOWN_VARIABLE',
    `Module '${path}' has no '${node.name}'`,
    near && `did you mean '${near}'?`,
  );
}

/** The problem of calling something unknown, with the nearest name. */
export function unknownFunction(c: Compiler, node: NodeOf<'name'>, names: Names): Error {
  const near = closest(node.name, [...names.all(), ...coreNames()]);
  return c.error(
    node,
    'DW_UNKNOWN_VARIABLE',
    `There is no function called '${node.name}'`,
    near ? `did you mean '${near}'?` : 'functions outside dw::Core need an import',
  );
}
