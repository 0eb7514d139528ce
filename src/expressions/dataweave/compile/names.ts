import type { NodeOf, Param } from '../parse/ast.js';
import type { LibraryFunction } from '../runtime/dispatch.js';
import type { Run } from '../runtime/evaluation.js';
import type { TypeValue } from '../runtime/types.js';
import { T, type Value } from '../runtime/values.js';

/** The variables of one function activation; slot 0 is the frame around it. */
export interface Frame extends Array<Value | Frame> {}

/** A compiled expression: reads its variables from the frame. */
export type Code = (run: Run, frame: Frame) => Value;

/** How many slots the activations of one function need. */
export interface FunctionScope {
  slots: number;
  readonly outer: FunctionScope | null;
}

export interface SelfCall {
  readonly slot: number;
  readonly owner: FunctionScope;
  readonly params: readonly Param[];
}

/** What a name stands for. */
export type Binding =
  | {
      kind: 'slot';
      owner: FunctionScope;
      slot: number;
      lambda: NodeOf<'lambda'> | null;
      mask: number;
      /** Declared further down: only a function, which is called later, may use it. */
      pending: boolean;
    }
  | { kind: 'library'; fn: LibraryFunction }
  | { kind: 'type'; type: TypeValue; generic?: (args: readonly TypeValue[]) => TypeValue }
  | { kind: 'constant'; value: Value }
  | { kind: 'module'; module: string };

/** Names in one block; looks outwards for the rest. */
export class Scope {
  private readonly names = new Map<string, Binding>();
  constructor(
    readonly fn: FunctionScope,
    readonly outer: Scope | null,
  ) {}

  declare(name: string, lambda: NodeOf<'lambda'> | null = null, mask: number = T.Any): number {
    const slot = this.fn.slots++;
    this.names.set(name, { kind: 'slot', owner: this.fn, slot, lambda, mask, pending: false });
    return slot;
  }

  bind(name: string, binding: Binding): void {
    this.names.set(name, binding);
  }

  own(name: string): Binding | undefined {
    return this.names.get(name);
  }

  find(name: string): Binding | undefined {
    for (let scope: Scope | null = this; scope; scope = scope.outer) {
      const found = scope.names.get(name);
      if (found) return found;
    }
    return undefined;
  }

  *all(): Iterable<string> {
    for (let scope: Scope | null = this; scope; scope = scope.outer) yield* scope.names.keys();
  }
}

/** How many frames outwards the owner of a slot is. */
export function hops(from: FunctionScope, to: FunctionScope): number {
  let count = 0;
  for (let fn: FunctionScope | null = from; fn && fn !== to; fn = fn.outer) count++;
  return count;
}
