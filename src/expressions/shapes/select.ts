import { isObjectShape, type ObjectShape, type Shape } from './shape.js';

/** A field that is read where none can be. */
export interface Miss {
  /** The whole path, from the binding on: `context`, `watr`. */
  readonly path: readonly string[];
  /** What was selected from. */
  readonly from: ObjectShape;
  /** Where in the expression's text the field's name begins. */
  readonly offset: number;
  /** The expression says itself what to do without it (`default`, `?`). */
  readonly guarded: boolean;
}

/** What an expression is known to give, and where that came from. */
export interface Known {
  readonly shape: Shape;
  /** Set for a plain path from a binding. */
  readonly path?: readonly string[];
}

/** Nothing is known of it. */
export const unknown: Known = { shape: 'anything' };

/** What the names of an expression stand for. */
export type Scope = ReadonlyMap<string, Known>;

/** Selects a field, and notes it where the value cannot have one of that name. */
export function select({ shape, path }: Known, name: string, offset: number, guarded: boolean, misses: Miss[]): Known {
  const further = path && [...path, name];
  if (!isObjectShape(shape)) return { shape: 'anything', ...(further && { path: further }) };
  const inner = shape.fields.get(name);
  if (inner !== undefined) return { shape: inner, ...(further && { path: further }) };
  if (shape.others !== 'any' && further) misses.push({ path: further, from: shape, offset, guarded });
  return unknown;
}
