import type { NodeOf, Param } from '../parse/ast.js';
import type { LibraryFunction } from '../runtime/dispatch.js';
import type { TypeValue } from '../runtime/types.js';
import { T, type Value } from '../runtime/values.js';

/** How many slots the activations of one function need. */
export interface SlotLayout {
  slots: number;
  readonly outer: SlotLayout | null;
}

/** Which function a call in last position calls again, so that it need not nest. */
export interface SelfCall {
  readonly slot: number;
  readonly owner: SlotLayout;
  readonly params: readonly Param[];
}

/** What a name stands for. */
export type Binding =
  | {
      kind: 'slot';
      owner: SlotLayout;
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

/** The names of one block; looks in the blocks around it for the rest. */
export class Names {
  private readonly known = new Map<string, Binding>();
  constructor(
    readonly layout: SlotLayout,
    readonly outer: Names | null,
  ) {}

  declare(name: string, lambda: NodeOf<'lambda'> | null = null, mask: number = T.Any): number {
    const slot = this.layout.slots++;
    this.known.set(name, { kind: 'slot', owner: this.layout, slot, lambda, mask, pending: false });
    return slot;
  }

  bind(name: string, binding: Binding): void {
    this.known.set(name, binding);
  }

  own(name: string): Binding | undefined {
    return this.known.get(name);
  }

  find(name: string): Binding | undefined {
    for (let names: Names | null = this; names; names = names.outer) {
      const found = names.known.get(name);
      if (found) return found;
    }
    return undefined;
  }

  *all(): Iterable<string> {
    for (let names: Names | null = this; names; names = names.outer) yield* names.known.keys();
  }
}

/** How many frames out from `from` the owner of a slot is. */
export function hops(from: SlotLayout, to: SlotLayout): number {
  let count = 0;
  for (let at: SlotLayout | null = from; at && at !== to; at = at.outer) count++;
  return count;
}
