/**
 * What is known of a value before anything runs: the fields it may have. `anything`: nothing is known. `nothing`: it is null, so that
 * whatever else it may be decides.
 */
export type Shape = 'anything' | 'nothing' | ObjectShape;

/** An object: its known fields, and whether there may be others. */
export interface ObjectShape {
  readonly fields: ReadonlyMap<string, Shape>;
  /**
   * `none`: surely not. `undeclared`: a schema names what there is, and does not forbid more. `unsaid`: nobody said what there is.
   * `any`: there may be.
   */
  readonly others: (typeof degrees)[number];
}

const degrees = ['none', 'undeclared', 'unsaid', 'any'] as const;

/** Deeper than this, or with more fields, a shape says nothing: data that grows in a loop must come to an end. */
const deepest = 6;
const mostFields = 300;

/** An object with exactly these fields. */
export function objectOf(fields: Iterable<readonly [string, Shape]>, others: ObjectShape['others'] = 'none'): Shape {
  return { fields: new Map(fields), others };
}

/** Whether a shape knows anything. */
export function isObjectShape(shape: Shape): shape is ObjectShape {
  return typeof shape === 'object';
}

/** A value that is one or the other: it may have the fields of both. */
export function either(a: Shape, b: Shape): Shape {
  if (a === b || b === 'nothing') return a;
  if (a === 'nothing') return b;
  if (a === 'anything' || b === 'anything') return 'anything';
  const fields = new Map(a.fields);
  let same = a.others === b.others;
  for (const [name, shape] of b.fields) {
    const known = fields.get(name);
    const both = known === undefined ? shape : either(known, shape);
    if (both !== known) same = false;
    fields.set(name, both);
  }
  return same ? a : { fields, others: looser(a.others, b.others) };
}

/** One object's fields laid over another's. */
export function over(below: Shape, above: Shape): Shape {
  if (above === 'nothing') return below;
  if (below === 'nothing') return above;
  if (below === 'anything' || above === 'anything') return 'anything';
  return { fields: new Map([...below.fields, ...above.fields]), others: looser(below.others, above.others) };
}

/** The object with a value at a path; what stands in the way is replaced. */
export function withShape(shape: Shape, path: readonly string[], value: Shape): Shape {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (shape === 'anything') return shape;
  const base = shape === 'nothing' ? { fields: new Map<string, Shape>(), others: 'none' as const } : shape;
  const inner = rest.length === 0 ? value : withShape(base.fields.get(name) ?? 'nothing', rest, value);
  return { fields: new Map(base.fields).set(name, inner), others: base.others };
}

/** The object without one of its fields. */
export function withoutShape(shape: Shape, name: string): Shape {
  if (!isObjectShape(shape) || !shape.fields.has(name)) return shape;
  const fields = new Map(shape.fields);
  fields.delete(name);
  return { fields, others: shape.others };
}

/** The shape with an end to it: beyond a depth and a number of fields it may be anything. */
export function bounded(shape: Shape, depth = deepest): Shape {
  if (!isObjectShape(shape)) return shape;
  if (depth === 0 || shape.fields.size > mostFields) return 'anything';
  let changed = false;
  const fields = new Map<string, Shape>();
  for (const [name, inner] of shape.fields) {
    const less = bounded(inner, depth - 1);
    if (less !== inner) changed = true;
    fields.set(name, less);
  }
  return changed ? { fields, others: shape.others } : shape;
}

/** Whether two shapes say the same. */
export function sameShape(a: Shape, b: Shape): boolean {
  if (a === b) return true;
  if (!isObjectShape(a) || !isObjectShape(b)) return false;
  if (a.others !== b.others || a.fields.size !== b.fields.size) return false;
  for (const [name, shape] of a.fields) {
    const other = b.fields.get(name);
    if (other === undefined || !sameShape(shape, other)) return false;
  }
  return true;
}

function looser(a: ObjectShape['others'], b: ObjectShape['others']): ObjectShape['others'] {
  return degrees[Math.max(degrees.indexOf(a), degrees.indexOf(b))]!;
}
