import { moduleNamed, moduleNames } from '../library/module-registry.js';
import type { Declaration } from '../parse/ast.js';
import { closest } from '../parse/reserved-words.js';
import { type Closure, OverloadedClosure } from '../runtime/closures.js';
import type { CompiledCode } from '../runtime/evaluation-state.js';
import { builtinTypes, TypeValue } from '../runtime/type-values.js';
import type { Compiler } from './compiler.js';
import { compileLambda } from './lambdas.js';
import { type NameBinding, NameScope } from './name-scope.js';
import { checkDeclared, resolveType } from './type-expressions.js';
import { typed } from './typed-code.js';

const anyType = builtinTypes.get('Any')!;

/** Declares the names of a header or a `do` block and returns the code that computes its variables, in order. */
export function compileDeclarations(
  c: Compiler,
  declarations: readonly Declaration[],
  names: NameScope,
): CompiledCode | null {
  for (const it of declarations) if (it.kind === 'import') declareImport(c, it, names);
  for (const it of declarations) if (it.kind === 'typedef') declareType(c, it, names);
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
  const steps: CompiledCode[] = [];
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

function setPending(names: NameScope, it: Declaration, pending: boolean): void {
  const binding = it.kind === 'var' || it.kind === 'fun' ? names.own(it.name) : undefined;
  if (binding?.kind === 'slot') binding.pending = pending;
}

function compileFunctions(
  c: Compiler,
  name: string,
  group: Extract<Declaration, { kind: 'fun' }>[],
  names: NameScope,
): CompiledCode {
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

function declareType(c: Compiler, it: Extract<Declaration, { kind: 'typedef' }>, names: NameScope): void {
  const instance = (args: readonly TypeValue[]) => {
    const inner = new NameScope(names.layout, names);
    for (const [i, name] of it.parameters.entries()) inner.bind(name, { kind: 'type', type: args[i] ?? anyType });
    const target = resolveType(c, it.type, inner);
    return new TypeValue(it.name, target.mask, target.shape, [], target.options, target);
  };
  const generic = it.parameters.length > 0 ? { generic: instance } : {};
  names.bind(it.name, { kind: 'type', type: instance([]), ...generic });
}

/** Declares the names of an import. Of several imports of one name, the first wins. */
function declareImport(c: Compiler, it: Extract<Declaration, { kind: 'import' }>, names: NameScope): void {
  const module = moduleNamed(it.module);
  if (!module) {
    const near = closest(it.module, moduleNames());
    throw c.error(it, 'DW_UNSUPPORTED_SYNTAX', `Unknown module '${it.module}'`, near && `did you mean '${near}'?`);
  }
  const bind = (name: string, binding: NameBinding) => {
    if (!names.own(name)) names.bind(name, binding);
  };
  if (it.all) for (const [name, fn] of module.functions) bind(name, { kind: 'library', fn });
  if (it.all) for (const [name, type] of module.types) bind(name, { kind: 'type', type });
  if (it.all) for (const [name, value] of module.constants) bind(name, { kind: 'constant', value });
  if (it.alias !== null) {
    const own = names.own(`${it.alias}::`);
    if (own?.kind === 'modules') own.modules.push(it.module);
    else names.bind(`${it.alias}::`, { kind: 'modules', modules: [it.module] });
  }
  for (const { name, alias } of it.names ?? []) {
    const fn = module.functions.get(name);
    const type = module.types.get(name);
    if (fn) bind(alias, { kind: 'library', fn });
    else if (type) bind(alias, { kind: 'type', type });
    else if (module.constants.has(name)) bind(alias, { kind: 'constant', value: module.constants.get(name)! });
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
