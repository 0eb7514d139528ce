import { moduleNamed, moduleNames } from '../library/modules.js';
import type { Declaration } from '../parse/ast.js';
import { closest } from '../parse/words.js';
import { type Closure, OverloadedClosure } from '../runtime/closure.js';
import type { Code } from '../runtime/slots.js';
import { builtinTypes, TypeValue } from '../runtime/types.js';
import type { Compiler } from './compiler.js';
import { compileLambda } from './lambda.js';
import { Names } from './names.js';
import { checkDeclared, resolveType } from './type.js';
import { typed } from './typed.js';

const anyType = builtinTypes.get('Any')!;

/** Declares the names of a header or a `do` block; returns the code that computes its variables, in order. */
export function compileDeclarations(c: Compiler, declarations: readonly Declaration[], names: Names): Code | null {
  for (const it of declarations) {
    if (it.kind === 'import') declareImport(c, it, names);
    else if (it.kind === 'typedef') declareType(c, it, names);
  }
  const functions = new Map<string, Extract<Declaration, { kind: 'fun' }>[]>();
  for (const it of declarations) {
    if (it.kind !== 'fun') continue;
    const known = functions.get(it.name);
    if (known) known.push(it);
    else functions.set(it.name, [it]);
  }
  for (const [name, group] of functions) names.declare(name, group.length === 1 ? group[0]!.lambda : null);
  for (const it of declarations) {
    if (it.kind !== 'var') continue;
    if (names.own(it.name)?.kind === 'slot') throw c.error(it, 'DW_PARSE_ERROR', `'${it.name}' is declared twice`);
    names.declare(it.name, it.value.kind === 'lambda' && !it.type ? it.value : null);
  }
  const steps: Code[] = [];
  for (const it of declarations) setPending(names, it, true);
  for (const [name, group] of functions) steps.push(compileFunctions(c, name, group, names));
  for (const it of declarations) {
    if (it.kind !== 'var') {
      setPending(names, it, false);
      continue;
    }
    const binding = names.own(it.name)!;
    if (binding.kind !== 'slot') continue;
    const { slot } = binding;
    const { code: computed, mask } =
      it.value.kind === 'lambda'
        ? typed(compileLambda(c, it.value, names, { name: it.name, slot, result: null }))
        : c.compile(it.value, names, null, true);
    if (it.type) checkDeclared(c, it.type, it.value, mask, names);
    else binding.mask = mask;
    binding.pending = false;
    steps.push((ev, slots) => {
      slots[slot] = computed(ev, slots);
      return null;
    });
  }
  if (steps.length === 0) return null;
  return (ev, slots) => {
    for (const step of steps) step(ev, slots);
    return null;
  };
}

function setPending(names: Names, it: Declaration, pending: boolean): void {
  const binding = it.kind === 'var' || it.kind === 'fun' ? names.own(it.name) : undefined;
  if (binding?.kind === 'slot') binding.pending = pending;
}

function compileFunctions(
  c: Compiler,
  name: string,
  group: Extract<Declaration, { kind: 'fun' }>[],
  names: Names,
): Code {
  const binding = names.own(name)!;
  if (binding.kind !== 'slot') throw c.error(group[0]!, 'DW_PARSE_ERROR', `'${name}' is declared twice`);
  const { slot } = binding;
  const only = group.length === 1 ? slot : null;
  const members = group.map(({ lambda, result }) => compileLambda(c, lambda, names, { name, slot: only, result }));
  if (members.length === 1) {
    const make = members[0]!;
    return (ev, slots) => {
      slots[slot] = make(ev, slots);
      return null;
    };
  }
  return (ev, slots) => {
    slots[slot] = new OverloadedClosure(
      name,
      members.map((make) => make(ev, slots) as Closure),
    );
    return null;
  };
}

function declareType(c: Compiler, it: Extract<Declaration, { kind: 'typedef' }>, names: Names): void {
  const instance = (args: readonly TypeValue[]) => {
    const inner = new Names(names.layout, names);
    for (const [i, name] of it.parameters.entries()) inner.bind(name, { kind: 'type', type: args[i] ?? anyType });
    const target = resolveType(c, it.type, inner);
    return new TypeValue(it.name, target.mask, target.shape, [], target.options, target);
  };
  const generic = it.parameters.length > 0 ? { generic: instance } : {};
  names.bind(it.name, { kind: 'type', type: instance([]), ...generic });
}

function declareImport(c: Compiler, it: Extract<Declaration, { kind: 'import' }>, names: Names): void {
  const module = moduleNamed(it.module);
  if (!module) {
    const near = closest(it.module, moduleNames());
    throw c.error(
      it,
      'DW_UNSUPPORTED_SYNTAX',
      `There is no module '${it.module}' here`,
      near && `did you mean '${near}'?`,
    );
  }
  if (it.all) for (const [name, fn] of module.functions) names.bind(name, { kind: 'library', fn });
  if (it.all) for (const [name, type] of module.types) names.bind(name, { kind: 'type', type });
  if (it.all) for (const [name, value] of module.constants) names.bind(name, { kind: 'constant', value });
  if (it.alias !== null) names.bind(`${it.alias}::`, { kind: 'module', module: it.module });
  for (const { name, alias } of it.names ?? []) {
    const fn = module.functions.get(name);
    const type = module.types.get(name);
    if (fn) names.bind(alias, { kind: 'library', fn });
    else if (type) names.bind(alias, { kind: 'type', type });
    else if (module.constants.has(name)) names.bind(alias, { kind: 'constant', value: module.constants.get(name)! });
    else {
      const near = closest(name, module.functions.keys());
      throw c.error(
        it,
        'DW_UNKNOWN_VARIABLE',
        `Module '${it.module}' has no '${name}'`,
        near && `did you mean '${near}'?`,
      );
    }
  }
}
