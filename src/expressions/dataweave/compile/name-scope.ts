import type { NodeOf, Param } from '../parse/ast.js';
import type { LibraryFunction } from '../runtime/library-function-overloads.js';
import type { TypeValue } from '../runtime/type-values.js';
import { T, type Value } from '../runtime/values.js';

/** Number of slots in an activation of one function. */
export interface SlotLayout {
  slots: number;
  readonly outer: SlotLayout | null;
}

/** The function that a tail call would call again, so that it can loop instead of nesting. */
export interface SelfCall {
  readonly slot: number;
  readonly owner: SlotLayout;
  readonly params: readonly Param[];
}

/** Meaning of a name. */
export type NameBinding =
  | {
      kind: 'slot';
      owner: SlotLayout;
      slot: number;
      lambda: NodeOf<'lambda'> | null;
      mask: number;
      /** Declared further down: only functions, which run later, may use it. */
      pending: boolean;
    }
  | { kind: 'library'; fn: LibraryFunction }
  | { kind: 'type'; type: TypeValue; generic?: (args: readonly TypeValue[]) => TypeValue }
  | { kind: 'constant'; value: Value }
  | { kind: 'modules'; modules: string[] };

/** Names of one block, chained to the enclosing blocks. */
export class NameScope {
  private readonly known = new Map<string, NameBinding>();
  constructor(
    readonly layout: SlotLayout,
    readonly outer: NameScope | null,
  ) {}

  declare(name: string, lambda: NodeOf<'lambda'> | null = null, mask: number = T.Any): number {
    const slot = this.layout.slots++;
    this.known.set(name, { kind: 'slot', owner: this.layout, slot, lambda, mask, pending: false });
    return slot;
  }

  bind(name: string, binding: NameBinding): void {
    this.known.set(name, binding);
  }

  own(name: string): NameBinding | undefined {
    return this.known.get(name);
  }

  find(name: string): NameBinding | undefined {
    for (let names: NameScope | null = this; names; names = names.outer) {
      const found = names.known.get(name);
      if (found) return found;
    }
    return undefined;
  }

  /** Modules imported with this alias, innermost first. */
  modules(alias: string): string[] {
    const own = this.known.get(`${alias}::`);
    return [...(own?.kind === 'modules' ? own.modules : []), ...(this.outer?.modules(alias) ?? [])];
  }

  *all(): Iterable<string> {
    for (let names: NameScope | null = this; names; names = names.outer) yield* names.known.keys();
  }
}

/** Number of activations between `from` and the owner of a slot. */
export function scopeDistance(from: SlotLayout, to: SlotLayout): number {
  let count = 0;
  for (let at: SlotLayout | null = from; at && at !== to; at = at.outer) count++;
  return count;
}
