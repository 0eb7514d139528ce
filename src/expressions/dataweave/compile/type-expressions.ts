import { defaultLimits } from '../../expression-engine-interface.js';
import type { Node, NodeOf, TypeNode } from '../parse/ast.js';
import { closest } from '../parse/reserved-words.js';
import { convert, readOptions } from '../runtime/coercion.js';
import { Evaluation } from '../runtime/evaluation-state.js';
import { builtinTypes, genericTypes, TypeValue } from '../runtime/type-values.js';
import { Annotated, bitsOf, DwObject, T, typeName, type Value } from '../runtime/values.js';
import type { Compiler } from './compiler.js';
import type { NameScope } from './name-scope.js';
import { type TypedCode, typed } from './typed-code.js';

const anyType = builtinTypes.get('Any')!;

/** Resolves a type expression; declared names are looked up like variables. */
export function resolveType(c: Compiler, node: TypeNode, names: NameScope): TypeValue {
  switch (node.kind) {
    case 'named':
      return named(c, node, names);
    case 'literal': {
      const value = constant(c, node.value, names);
      return new TypeValue(typeName(value), bitsOf(value), { kind: 'literal', value });
    }
    case 'union':
    case 'intersection': {
      const members = node.members.map((it) => resolveType(c, it, names));
      const mask =
        node.kind === 'union'
          ? members.reduce((bits, it) => bits | it.mask, 0)
          : members.reduce<number>((bits, it) => bits & it.mask, T.Any);
      const name = members.join(node.kind === 'union' ? ' | ' : ' & ');
      return new TypeValue(name, mask, { kind: node.kind, members });
    }
    case 'objectOf': {
      const fields = node.fields.map((it) => ({ ...it, type: resolveType(c, it.type, names) }));
      return new TypeValue('Object', T.Object, { kind: 'object', fields, closed: node.closed });
    }
    case 'functionOf': {
      const params = node.parameters.map((it, i) => ({
        name: it.name || `param_${i}`,
        optional: it.optional,
        type: resolveType(c, it.type, names),
      }));
      const shape = { kind: 'function' as const, params, result: resolveType(c, node.result, names) };
      return new TypeValue('Function', T.Function, shape);
    }
    case 'member':
      return member(c, resolveType(c, node.of, names), node);
  }
}

function constant(c: Compiler, node: Node, names: NameScope): Value {
  const code = c.code(node, names);
  return code(new Evaluation({}, { now: 0, uuid: () => '', random: () => 0 }, defaultLimits), [null]);
}

function named(c: Compiler, node: Extract<TypeNode, { kind: 'named' }>, names: NameScope): TypeValue {
  const declared = names.find(node.name);
  const own = declared?.kind === 'type' ? declared : undefined;
  let type = own?.type ?? builtinTypes.get(node.name);
  if (!type) {
    if (/^[A-Z]$/.test(node.name)) return anyType;
    const near = closest(node.name, builtinTypes.keys());
    throw c.error(node, 'DW_UNKNOWN_VARIABLE', `Unknown type '${node.name}'`, near && `did you mean '${near}'?`);
  }
  if (node.args.length > 0) {
    const args = node.args.map((it) => referenced(resolveType(c, it, names)));
    type = own?.generic?.(args) ?? genericTypes.get(node.name)?.(args) ?? type;
    type = new TypeValue(type.name, type.mask, type.shape, args, type.options, type.target);
  }
  if (!node.options) return type;
  return new TypeValue(type.name, type.mask, type.shape, type.args, constant(c, node.options, names), type.target);
}

function referenced(type: TypeValue): TypeValue {
  if (!type.target) return type;
  return new TypeValue(type.name, type.mask, type.shape, type.args, type.options, type.target, true);
}

function member(c: Compiler, type: TypeValue, node: Extract<TypeNode, { kind: 'member' }>): TypeValue {
  const { shape } = type;
  if (shape.kind === 'union') {
    const members = shape.members.map((it) => member(c, it, node));
    return new TypeValue(
      members.join(' | '),
      members.reduce((bits, it) => bits | it.mask, 0),
      { kind: 'union', members },
    );
  }
  const field = shape.kind === 'object' ? shape.fields.find((it) => it.name === node.name) : undefined;
  if (!field) throw c.error(node, 'DW_UNKNOWN_VARIABLE', `The type has no field '${node.name}'`);
  return field.type;
}

/**
 * Rejects a value, of types `mask`, that cannot be of its declared type. Nothing is checked at evaluation. Types with constants (literals,
 * options) reject nothing, so that journeys that used to load still do.
 */
export function checkDeclared(c: Compiler, node: TypeNode, value: Node, mask: number, names: NameScope): void {
  const { made: type, cost: constants } = c.measured(() => resolveType(c, node, names));
  if (constants === 0 && type.mask !== 0 && (mask & type.mask) === 0)
    throw c.error(value, 'DW_TYPE_MISMATCH', `The value is not of the declared type ${type.name}`);
}

/** Compiles `value as Type {…}`. */
export function compileConversion(c: Compiler, node: NodeOf<'as'>, names: NameScope): TypedCode {
  const value = c.code(node.value, names);
  const type = resolveType(c, node.type, names);
  const options = node.options ? c.code(node.options, names) : null;
  const code = c.ast.annotates
    ? c.located(node, (ev, slots) => {
        const given = options ? options(ev, slots) : type.options;
        const converted = convert(ev, value(ev, slots), type, options ? readOptions(given) : {});
        return given instanceof DwObject ? new Annotated(converted, null, given) : converted;
      })
    : c.located(node, (ev, slots) =>
        convert(ev, value(ev, slots), type, options ? readOptions(options(ev, slots)) : {}),
      );
  return typed(code, type.mask);
}

/** Compiles `value is Type`. */
export function compileTypeTest(c: Compiler, node: NodeOf<'is'>, names: NameScope): TypedCode {
  const value = c.code(node.value, names, null, true);
  const type = resolveType(c, node.type, names);
  return typed((ev, slots) => type.accepts(value(ev, slots)), T.Boolean);
}
