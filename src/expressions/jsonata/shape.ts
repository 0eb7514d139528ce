import { type Known, type Miss, type Scope, select, unknown } from '../shapes/select.js';
import { either, objectOf, over, type Shape } from '../shapes/shape.js';
import type { Node } from './check.js';

type Tree = Node & Record<string, unknown>;

/** What a JSONata expression gives, from its syntax tree alone. */
export function jsonataShape(ast: unknown, scope: Scope, misses: Miss[]): Shape {
  if (hides(ast, scope)) return 'anything';
  return new Reader(scope, misses).read(ast as Tree, true, false).shape;
}

/** Whether a variable or parameter of the expression takes the name of a binding. */
function hides(it: unknown, scope: Scope): boolean {
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
    private readonly scope: Scope,
    private readonly misses: Miss[],
  ) {}

  /** `atRoot`: names are read from the bindings here, not from an item that is being looked at. */
  read(node: Tree, atRoot: boolean, guarded: boolean): Known {
    if (hasStages(node)) {
      this.inside(node, atRoot, guarded);
      return unknown;
    }
    switch (node.type) {
      case 'path':
        return this.path(node, atRoot, guarded);
      case 'variable':
        return this.scope.get(String(node.value)) ?? unknown;
      case 'value':
        return node.value === null ? { shape: 'nothing' } : unknown;
      case 'unary':
        if (node.value === '{') return { shape: this.object(node.lhs as [Tree, Tree][], atRoot) };
        break;
      case 'condition':
        return this.condition(node, atRoot, guarded);
      case 'block':
        return (node.expressions as Tree[]).map((it) => this.read(it, atRoot, guarded)).at(-1) ?? unknown;
      default:
    }
    this.inside(node, atRoot, guarded || asksWhether(node));
    return unknown;
  }

  private path(node: Tree, atRoot: boolean, guarded: boolean): Known {
    const [first, ...rest] = node.steps as Tree[];
    let known = this.start(first!, atRoot, guarded);
    for (const step of rest) {
      if (step.type === 'name' && known !== unknown) {
        const name = String(step.value);
        known = select(known, name, (step.position ?? name.length) - name.length, guarded, this.misses);
      } else {
        this.read(step, false, guarded);
        known = unknown;
      }
      this.stages(step);
      if (hasStages(step)) known = unknown;
    }
    if (node.group) this.inside({ type: 'group', group: node.group } as Tree, false, false);
    return known;
  }

  private start(first: Tree, atRoot: boolean, guarded: boolean): Known {
    this.stages(first);
    if (hasStages(first)) return unknown;
    if (first.type === 'name') return (atRoot && this.scope.get(String(first.value))) || unknown;
    return this.read(first, atRoot, guarded);
  }

  private stages(step: Tree): void {
    for (const key of ['stages', 'predicate'])
      if (Array.isArray(step[key])) this.inside({ type: 'stages', all: step[key] } as Tree, false, false);
  }

  private object(pairs: [Tree, Tree][], atRoot: boolean): Shape {
    let shape: Shape = objectOf([]);
    for (const [key, value] of pairs) {
      const inner = this.read(value, atRoot, false).shape;
      if (key.type === 'string') shape = over(shape, objectOf([[String(key.value), inner]]));
      else {
        this.read(key, atRoot, false);
        shape = over(shape, objectOf([], 'any'));
      }
    }
    return shape;
  }

  private condition(node: Tree, atRoot: boolean, guarded: boolean): Known {
    this.read(node.condition as Tree, atRoot, true);
    const yes = this.read(node.then as Tree, atRoot, guarded).shape;
    const no = node.else ? this.read(node.else as Tree, atRoot, guarded).shape : 'nothing';
    return { shape: either(yes, no) };
  }

  /** The parts of a node of which nothing is known; where items are looked at, names are no longer ours. */
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

/** Whether items of the value are picked or grouped, so that it may be anything. */
function hasStages(node: Tree): boolean {
  return Boolean(node.stages ?? node.predicate ?? node.focus ?? node.index ?? (node.type !== 'path' && node.group));
}

function asksWhether(node: Tree): boolean {
  const { procedure } = node as { procedure?: Node };
  return (
    node.type === 'function' &&
    procedure?.type === 'variable' &&
    ['exists', 'not', 'count'].includes(String(procedure.value))
  );
}

/** Fields of a node that point back up or sideways. */
const sideways = new Set(['ancestor', 'seekingParent', 'slot', 'tuple']);

/** Parts of a node that are looked at for each item. */
const itemwise = new Set(['stages', 'predicate', 'group', 'terms', 'pattern', 'update', 'delete']);
