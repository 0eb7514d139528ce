import { type Known, type Miss, type Scope, select, unknown } from '../shapes/select.js';
import { either, objectOf, over, type Shape } from '../shapes/shape.js';
import { coreFunction, journeyFunction } from './library/modules.js';
import type { Ast, Declaration, Entry, Node, NodeOf } from './parse/ast.js';
import { closest } from './parse/words.js';
import { builtinTypes } from './runtime/types.js';

/** Functions that look whether there is something, and take its absence for an answer. */
const asksWhether = new Set(['isEmpty', 'isBlank', 'sizeOf', 'typeOf']);

/** What a DataWeave expression gives, from its syntax tree alone. */
export function dataWeaveShape({ declarations, body, mode }: Ast, scope: Scope, misses: Miss[]): Shape {
  const reader = new Reader(misses, mode === 'journey' ? scope.get('context') : undefined);
  return reader.read(body, reader.declare(declarations, scope), false).shape;
}

class Reader {
  constructor(
    private readonly misses: Miss[],
    /** What names that nothing declares are read from. */
    private readonly context: Known | undefined,
  ) {}

  declare(declarations: readonly Declaration[], scope: Scope): Scope {
    const inner = new Map(scope);
    for (const it of declarations) {
      if (it.kind === 'var') inner.set(it.name, this.read(it.value, inner, false));
      else if (it.kind === 'fun') {
        inner.set(it.name, unknown);
        this.read(it.lambda, inner, false);
      } else if (it.kind === 'import')
        for (const { name, alias } of it.names ?? []) inner.set(alias === '' ? name : alias, unknown);
    }
    return inner;
  }

  /** `guarded`: the expression around it says what happens where there is nothing. */
  read(node: Node, scope: Scope, guarded: boolean): Known {
    switch (node.kind) {
      case 'null':
        return { shape: 'nothing' };
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
        return { shape: either(this.read(node.yes, scope, guarded).shape, this.read(node.no, scope, guarded).shape) };
      case 'default':
        return { shape: either(this.read(node.left, scope, true).shape, this.read(node.right, scope, guarded).shape) };
      case 'do':
        return this.read(node.body, this.declare(node.declarations, scope), guarded);
      case 'binary':
        return this.binary(node, scope, guarded);
      case 'exists':
        this.read(node.target, scope, true);
        return unknown;
      case 'assert':
        return this.read(node.target, scope, false);
      case 'lambda':
        this.read(node.body, withNames(scope, ...node.params.map(({ name }) => name)), false);
        return unknown;
      default:
        this.parts(node, scope, guarded);
        return unknown;
    }
  }

  /** Everything else gives something of which nothing is known; what stands inside it is read all the same. */
  private parts(node: Node, scope: Scope, guarded: boolean): void {
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

  private name({ name, start }: NodeOf<'name'>, scope: Scope, guarded: boolean): Known {
    const known = scope.get(name);
    if (known) return known;
    if (!this.context || name.startsWith('$')) return unknown;
    if (coreFunction(name) || journeyFunction(name) || builtinTypes.has(name)) return unknown;
    // The compiler has a word for a misspelt binding.
    if (closest(name, scope.keys()) !== undefined) return unknown;
    return select(this.context, name, start, guarded, this.misses);
  }

  private select({ target, op, key }: NodeOf<'select'>, scope: Scope, guarded: boolean): Known {
    const from = this.read(target, scope, guarded);
    if (key && key.kind !== 'string') this.read(key, scope, false);
    if (op !== '.' || key?.kind !== 'string') return unknown;
    return select(from, key.value, key.start, guarded, this.misses);
  }

  private index({ target, op, index }: NodeOf<'index'>, scope: Scope, guarded: boolean): Known {
    const from = this.read(target, scope, guarded);
    if (op === '' && index.kind === 'string') return select(from, index.value, index.start + 1, guarded, this.misses);
    this.read(index, scope, false);
    return unknown;
  }

  private object(entries: readonly Entry[], scope: Scope): Shape {
    let shape: Shape = objectOf([]);
    for (const entry of entries) {
      if (entry.kind === 'spread') {
        shape = over(shape, this.read(entry.value, scope, false).shape);
        continue;
      }
      const value = this.read(entry.value, scope, false).shape;
      if (entry.attributes) this.read(entry.attributes, scope, false);
      if (entry.condition) this.read(entry.condition, scope, true);
      if (entry.key.kind === 'string') shape = over(shape, objectOf([[entry.key.value, value]]));
      else {
        this.read(entry.key, scope, false);
        shape = over(shape, objectOf([], 'any'));
      }
    }
    return shape;
  }

  private binary({ op, left, right }: NodeOf<'binary'>, scope: Scope, guarded: boolean): Known {
    const compared = op === '==' || op === '!=';
    const a = this.read(left, scope, guarded || (compared && right.kind === 'null'));
    const b = this.read(right, scope, guarded || (compared && left.kind === 'null'));
    if (op === '++') return { shape: over(a.shape, b.shape) };
    // Fields may be taken away, but what is taken away in one run may be there in another.
    return op === '-' || op === '--' ? { shape: a.shape } : unknown;
  }

  private call({ callee, args }: NodeOf<'call'>, scope: Scope, guarded: boolean): void {
    const name = callee.kind === 'name' ? callee.name : undefined;
    if (name === undefined) this.read(callee, scope, false);
    for (const arg of args) this.read(arg, scope, guarded || (name !== undefined && asksWhether.has(name)));
  }

  private match({ value, cases }: NodeOf<'match'>, scope: Scope): void {
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

function withNames(scope: Scope, ...names: (string | null)[]): Scope {
  return new Map([...scope, ...names.flatMap((name) => (name === null ? [] : [[name, unknown] as const]))]);
}
