import {
  checkTypes,
  isObjectShape,
  type KnownValue,
  mergeShapes,
  objectShape,
  type Shape,
  type ShapeFaults,
  type ShapeScope,
  selectShape,
  unionShape,
  unknownValue,
} from '../value-shape.js';
import { coreFunction, journeyFunction } from './library/module-registry.js';
import type { Ast, Declaration, Entry, Node, NodeOf } from './parse/ast.js';
import { closest } from './parse/reserved-words.js';
import { builtinTypes } from './runtime/type-values.js';

/** Types of the results of nodes that always have the same. */
const resultTypes: Partial<Record<Node['kind'], Shape>> = {
  template: 'text',
  and: 'boolean',
  or: 'boolean',
  not: 'boolean',
  exists: 'boolean',
  is: 'boolean',
};

const compares: ReadonlySet<string> = new Set(['==', '!=', '~=', '<', '>', '<=', '>=']);

/** Functions that test for existence, so that a missing field is a valid argument. */
const asksWhether = new Set(['isEmpty', 'isBlank', 'sizeOf', 'typeOf']);

/** Infers the shape of a DataWeave expression from its syntax tree. */
export function dataWeaveShape({ declarations, body, mode }: Ast, scope: ShapeScope, faults: ShapeFaults): Shape {
  const reader = new Reader(faults, mode === 'journey' ? scope.get('context') : undefined);
  return reader.read(body, reader.declare(declarations, scope), false).shape;
}

class Reader {
  constructor(
    private readonly faults: ShapeFaults,
    /** Source of undeclared names. */
    private readonly context: KnownValue | undefined,
  ) {}

  declare(declarations: readonly Declaration[], scope: ShapeScope): ShapeScope {
    const inner = new Map(scope);
    for (const it of declarations) {
      if (it.kind === 'var') inner.set(it.name, this.read(it.value, inner, false));
      else if (it.kind === 'fun') {
        inner.set(it.name, unknownValue);
        this.read(it.lambda, inner, false);
      } else if (it.kind === 'import')
        for (const { name, alias } of it.names ?? []) inner.set(alias === '' ? name : alias, unknownValue);
    }
    return inner;
  }

  /** `guarded`: the surrounding expression handles a missing value. */
  read(node: Node, scope: ShapeScope, guarded: boolean): KnownValue {
    switch (node.kind) {
      case 'null':
        return { shape: 'nothing' };
      case 'string':
        return { shape: 'text' };
      case 'number':
        return { shape: 'number' };
      case 'boolean':
        return { shape: 'boolean' };
      case 'group':
        return this.read(node.inner, scope, guarded);
      case 'name':
        return this.name(node, scope, guarded);
      case 'select':
        return this.select(node, scope, guarded);
      case 'index':
        return this.index(node, scope, guarded);
      case 'object':
        return { shape: this.object(node.entries, scope) };
      case 'if':
        this.read(node.condition, scope, true);
        return {
          shape: unionShape(this.read(node.yes, scope, guarded).shape, this.read(node.no, scope, guarded).shape),
        };
      case 'default':
        return {
          shape: unionShape(this.read(node.left, scope, true).shape, this.read(node.right, scope, guarded).shape),
        };
      case 'do':
        return this.read(node.body, this.declare(node.declarations, scope), guarded);
      case 'binary':
        return this.binary(node, scope, guarded);
      case 'exists':
        this.read(node.target, scope, true);
        return unknownValue;
      case 'assert':
        return this.read(node.target, scope, false);
      case 'lambda':
        this.read(node.body, withNames(scope, ...node.params.map(({ name }) => name)), false);
        return unknownValue;
      default:
        this.parts(node, scope, guarded);
        return { shape: resultTypes[node.kind] ?? 'anything' };
    }
  }

  /** Visits the parts of a node with an unknown shape. */
  private parts(node: Node, scope: ShapeScope, guarded: boolean): void {
    switch (node.kind) {
      case 'template':
        for (const part of node.parts) this.read(part, scope, guarded);
        return;
      case 'array':
        for (const { value, condition } of node.items) {
          this.read(value, scope, false);
          if (condition) this.read(condition, scope, false);
        }
        return;
      case 'annotation':
        this.read(node.target, scope, guarded);
        return;
      case 'where':
        this.read(node.target, scope, guarded);
        this.read(node.condition, withNames(scope, '$', '$$'), false);
        return;
      case 'call':
        this.call(node, scope, guarded);
        return;
      case 'and':
      case 'or':
        this.read(node.left, scope, guarded);
        this.read(node.right, scope, guarded);
        return;
      case 'not':
      case 'negate':
        this.read(node.operand, scope, guarded);
        return;
      case 'as':
      case 'is':
        this.read(node.value, scope, guarded);
        return;
      case 'match':
        this.match(node, scope);
        return;
      case 'update':
        this.read(node.value, scope, guarded);
        for (const { name, condition, body } of node.cases) {
          const inner = withNames(scope, '$', name);
          if (condition) this.read(condition, inner, false);
          this.read(body, inner, false);
        }
        return;
      default:
    }
  }

  private name({ name, start }: NodeOf<'name'>, scope: ShapeScope, guarded: boolean): KnownValue {
    const known = scope.get(name);
    if (known) return known;
    if (!this.context || name.startsWith('$')) return unknownValue;
    if (coreFunction(name) || journeyFunction(name) || builtinTypes.has(name)) return unknownValue;
    // The compiler already reports misspelt bindings.
    if (closest(name, scope.keys()) !== undefined) return unknownValue;
    return selectShape(this.context, name, start, guarded, this.faults.misses);
  }

  private select({ target, op, key }: NodeOf<'select'>, scope: ShapeScope, guarded: boolean): KnownValue {
    const from = this.read(target, scope, guarded);
    if (key && key.kind !== 'string') this.read(key, scope, false);
    if (op !== '.' || key?.kind !== 'string') return unknownValue;
    return selectShape(from, key.value, key.start, guarded, this.faults.misses);
  }

  private index({ target, op, index }: NodeOf<'index'>, scope: ShapeScope, guarded: boolean): KnownValue {
    const from = this.read(target, scope, guarded);
    if (op === '' && index.kind === 'string')
      return selectShape(from, index.value, index.start + 1, guarded, this.faults.misses);
    this.read(index, scope, false);
    return unknownValue;
  }

  private object(entries: readonly Entry[], scope: ShapeScope): Shape {
    let shape: Shape = objectShape([]);
    for (const entry of entries) {
      if (entry.kind === 'spread') {
        shape = mergeShapes(shape, this.read(entry.value, scope, false).shape);
        continue;
      }
      const value = this.read(entry.value, scope, false).shape;
      if (entry.attributes) this.read(entry.attributes, scope, false);
      if (entry.condition) this.read(entry.condition, scope, true);
      if (entry.key.kind === 'string') shape = mergeShapes(shape, objectShape([[entry.key.value, value]]));
      else {
        this.read(entry.key, scope, false);
        shape = mergeShapes(shape, objectShape([], 'any'));
      }
    }
    return shape;
  }

  private binary({ op, left, right, start }: NodeOf<'binary'>, scope: ShapeScope, guarded: boolean): KnownValue {
    const compared = op === '==' || op === '!=';
    const a = this.read(left, scope, guarded || (compared && right.kind === 'null'));
    const b = this.read(right, scope, guarded || (compared && left.kind === 'null'));
    checkTypes({ op, left: a, right: b, join: '++', offset: start }, this.faults.mismatches);
    if (op === '++')
      return { shape: a.shape === 'text' || b.shape === 'text' ? 'text' : mergeShapes(a.shape, b.shape) };
    if (compares.has(op)) return { shape: 'boolean' };
    // Removed fields are kept: a field removed in one run may exist in another.
    return (op === '-' || op === '--') && isObjectShape(a.shape) ? { shape: a.shape } : unknownValue;
  }

  private call({ callee, args }: NodeOf<'call'>, scope: ShapeScope, guarded: boolean): void {
    const name = callee.kind === 'name' ? callee.name : undefined;
    if (name === undefined) this.read(callee, scope, false);
    for (const arg of args) this.read(arg, scope, guarded || (name !== undefined && asksWhether.has(name)));
  }

  private match({ value, cases }: NodeOf<'match'>, scope: ShapeScope): void {
    this.read(value, scope, true);
    for (const { pattern, body } of cases) {
      const inner = withNames(scope, '$', '$$', ...patternNames(pattern));
      if (pattern.kind === 'literal') this.read(pattern.value, scope, false);
      if (pattern.kind === 'guard') this.read(pattern.condition, inner, false);
      this.read(body, inner, false);
    }
  }
}

function patternNames(pattern: NodeOf<'match'>['cases'][number]['pattern']): (string | null)[] {
  if (pattern.kind === 'headArray') return [pattern.head, pattern.tail];
  if (pattern.kind === 'headObject') return [pattern.key, pattern.value, pattern.tail];
  return 'name' in pattern ? [pattern.name] : [];
}

function withNames(scope: ShapeScope, ...names: (string | null)[]): ShapeScope {
  return new Map([...scope, ...names.flatMap((name) => (name === null ? [] : [[name, unknownValue] as const]))]);
}
