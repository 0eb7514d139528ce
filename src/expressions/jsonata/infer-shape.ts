import {
  checkTypes,
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
import type { JsonataNode } from './static-checks.js';

type Tree = JsonataNode & Record<string, unknown>;

/** Infers the shape of a JSONata expression from its syntax tree. */
export function jsonataShape(ast: unknown, scope: ShapeScope, faults: ShapeFaults): Shape {
  if (hides(ast, scope)) return 'anything';
  return new Reader(scope, faults).read(ast as Tree, true, false).shape;
}

/** Whether a variable or parameter of the expression shadows a binding. */
function hides(it: unknown, scope: ShapeScope): boolean {
  if (Array.isArray(it)) return it.some((inner) => hides(inner, scope));
  if (!isTree(it)) return false;
  const names = it.type === 'bind' ? [it.lhs] : it.type === 'lambda' ? (it.arguments as Tree[]) : [];
  if (names.some((name) => isTree(name) && scope.has(String(name.value)))) return true;
  return Object.entries(it).some(([key, child]) => !sideways.has(key) && hides(child, scope));
}

function isTree(it: unknown): it is Tree {
  return typeof it === 'object' && it !== null && !(it instanceof RegExp);
}

class Reader {
  constructor(
    private readonly scope: ShapeScope,
    private readonly faults: ShapeFaults,
  ) {}

  /** `atRoot`: names refer to bindings here, not to fields of the current item. */
  read(node: Tree, atRoot: boolean, guarded: boolean): KnownValue {
    if (hasStages(node)) {
      this.inside(node, atRoot, guarded);
      return unknownValue;
    }
    switch (node.type) {
      case 'path':
        return this.path(node, atRoot, guarded);
      case 'variable':
        return this.scope.get(String(node.value)) ?? unknownValue;
      case 'value':
        return node.value === null ? { shape: 'nothing' } : { shape: 'boolean' };
      case 'string':
        return { shape: 'text' };
      case 'number':
        return { shape: 'number' };
      case 'binary':
        return this.binary(node, atRoot, guarded);
      case 'unary':
        if (node.value === '{') return { shape: this.object(node.lhs as [Tree, Tree][], atRoot) };
        break;
      case 'condition':
        return this.condition(node, atRoot, guarded);
      case 'block':
        return (node.expressions as Tree[]).map((it) => this.read(it, atRoot, guarded)).at(-1) ?? unknownValue;
      default:
    }
    this.inside(node, atRoot, guarded || asksWhether(node));
    return unknownValue;
  }

  private path(node: Tree, atRoot: boolean, guarded: boolean): KnownValue {
    const [first, ...rest] = node.steps as Tree[];
    let known = this.start(first!, atRoot, guarded);
    for (const step of rest) {
      if (step.type === 'name' && known !== unknownValue) {
        const name = String(step.value);
        known = selectShape(known, name, (step.position ?? name.length) - name.length, guarded, this.faults.misses);
      } else {
        this.read(step, false, guarded);
        known = unknownValue;
      }
      this.stages(step);
      if (hasStages(step)) known = unknownValue;
    }
    if (node.group) this.inside({ type: 'group', group: node.group } as Tree, false, false);
    return known;
  }

  private start(first: Tree, atRoot: boolean, guarded: boolean): KnownValue {
    this.stages(first);
    if (hasStages(first)) return unknownValue;
    if (first.type === 'name') return (atRoot && this.scope.get(String(first.value))) || unknownValue;
    return this.read(first, atRoot, guarded);
  }

  private stages(step: Tree): void {
    for (const key of ['stages', 'predicate'])
      if (Array.isArray(step[key])) this.inside({ type: 'stages', all: step[key] } as Tree, false, false);
  }

  private binary(node: Tree, atRoot: boolean, guarded: boolean): KnownValue {
    const op = String(node.value);
    const left = this.read(node.lhs as Tree, atRoot, guarded);
    const right = this.read(node.rhs as Tree, atRoot, guarded);
    const offset = (node.position ?? op.length) - op.length;
    checkTypes({ op, left, right, join: '&', offset }, this.faults.mismatches);
    return op === '&' ? { shape: 'text' } : unknownValue;
  }

  private object(pairs: [Tree, Tree][], atRoot: boolean): Shape {
    let shape: Shape = objectShape([]);
    for (const [key, value] of pairs) {
      const inner = this.read(value, atRoot, false).shape;
      if (key.type === 'string') shape = mergeShapes(shape, objectShape([[String(key.value), inner]]));
      else {
        this.read(key, atRoot, false);
        shape = mergeShapes(shape, objectShape([], 'any'));
      }
    }
    return shape;
  }

  private condition(node: Tree, atRoot: boolean, guarded: boolean): KnownValue {
    this.read(node.condition as Tree, atRoot, true);
    const yes = this.read(node.then as Tree, atRoot, guarded).shape;
    const no = node.else ? this.read(node.else as Tree, atRoot, guarded).shape : 'nothing';
    return { shape: unionShape(yes, no) };
  }

  /** Visits the parts of a node with an unknown shape. Where items are visited, names no longer refer to bindings. */
  private inside(node: Tree, atRoot: boolean, guarded: boolean): void {
    for (const [key, child] of Object.entries(node)) {
      if (sideways.has(key)) continue;
      const at = atRoot && !itemwise.has(key) && node.type !== 'transform';
      for (const it of Array.isArray(child) ? child.flat(2) : [child])
        if (!isTree(it)) continue;
        else if (typeof it.type === 'string') this.read(it, at, guarded);
        else this.inside(it, at, guarded);
    }
  }
}

/** Whether items of the value are filtered or grouped, which makes its shape unknown. */
function hasStages(node: Tree): boolean {
  return Boolean(node.stages ?? node.predicate ?? node.focus ?? node.index ?? (node.type !== 'path' && node.group));
}

function asksWhether(node: Tree): boolean {
  const { procedure } = node as { procedure?: JsonataNode };
  return (
    node.type === 'function' &&
    procedure?.type === 'variable' &&
    ['exists', 'not', 'count'].includes(String(procedure.value))
  );
}

/** Fields of a node that point to its parents or siblings. */
const sideways = new Set(['ancestor', 'seekingParent', 'slot', 'tuple']);

/** Parts of a node that are evaluated for each item. */
const itemwise = new Set(['stages', 'predicate', 'group', 'terms', 'pattern', 'update', 'delete']);
