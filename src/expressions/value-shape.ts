/** Statically known structure of a value. `anything`: unknown. `nothing`: null, so that the other alternative of a union decides. */
export type Shape = 'anything' | 'nothing' | Scalar | ObjectShape;

/** Types of values without parts. */
export type Scalar = 'text' | 'number' | 'boolean';

/** An object with its known fields, and whether it may have others. */
export interface ObjectShape {
  readonly fields: ReadonlyMap<string, Shape>;
  /**
   * Other fields. `none`: excluded. `undeclared`: a schema lists the fields but does not forbid others. `unsaid`: nothing declares the
   * fields. `any`: possible.
   */
  readonly others: (typeof degrees)[number];
}

const degrees = ['none', 'undeclared', 'unsaid', 'any'] as const;

/** Maximum depth and number of fields of a shape. Beyond them it is unknown, so that data that grows in a loop terminates. */
const deepest = 6;
const mostFields = 300;

/** Shape of an object with exactly these fields. */
export function objectShape(fields: Iterable<readonly [string, Shape]>, others: ObjectShape['others'] = 'none'): Shape {
  return { fields: new Map(fields), others };
}

/** Whether a shape is that of an object. */
export function isObjectShape(shape: Shape): shape is ObjectShape {
  return typeof shape === 'object';
}

/** Whether a shape is that of a text, a number or a boolean. */
export function isScalarShape(shape: Shape): shape is Scalar {
  return shape === 'text' || shape === 'number' || shape === 'boolean';
}

/** Shape of a value that is either of two: it may have the fields of both. */
export function unionShape(a: Shape, b: Shape): Shape {
  if (a === b || b === 'nothing') return a;
  if (a === 'nothing') return b;
  if (!isObjectShape(a) || !isObjectShape(b)) return 'anything';
  const fields = new Map(a.fields);
  let same = a.others === b.others;
  for (const [name, shape] of b.fields) {
    const known = fields.get(name);
    const both = known === undefined ? shape : unionShape(known, shape);
    if (both !== known) same = false;
    fields.set(name, both);
  }
  return same ? a : { fields, others: looser(a.others, b.others) };
}

/** Shape of one object's fields merged over another's. */
export function mergeShapes(below: Shape, above: Shape): Shape {
  if (above === 'nothing') return below;
  if (below === 'nothing') return above;
  if (!isObjectShape(below) || !isObjectShape(above)) return 'anything';
  return { fields: new Map([...below.fields, ...above.fields]), others: looser(below.others, above.others) };
}

/** Sets the shape at a path, replacing other values on the way. */
export function withShape(shape: Shape, path: readonly string[], value: Shape): Shape {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (shape === 'anything') return shape;
  const base = isObjectShape(shape) ? shape : { fields: new Map<string, Shape>(), others: 'none' as const };
  const inner = rest.length === 0 ? value : withShape(base.fields.get(name) ?? 'nothing', rest, value);
  return { fields: new Map(base.fields).set(name, inner), others: base.others };
}

/** Removes a field. */
export function withoutShape(shape: Shape, name: string): Shape {
  if (!isObjectShape(shape) || !shape.fields.has(name)) return shape;
  const fields = new Map(shape.fields);
  fields.delete(name);
  return { fields, others: shape.others };
}

/** Limits a shape: beyond the maximum depth and number of fields it is unknown. */
export function limitShape(shape: Shape, depth = deepest): Shape {
  if (!isObjectShape(shape)) return shape;
  if (depth === 0 || shape.fields.size > mostFields) return 'anything';
  let changed = false;
  const fields = new Map<string, Shape>();
  for (const [name, inner] of shape.fields) {
    const less = limitShape(inner, depth - 1);
    if (less !== inner) changed = true;
    fields.set(name, less);
  }
  return changed ? { fields, others: shape.others } : shape;
}

/** Whether two shapes are equal. */
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

/** Access to a field that cannot exist. */
export interface MissingField {
  /** Full path, starting at the binding: `context`, `watr`. */
  readonly path: readonly string[];
  /** Shape of the object that was accessed. */
  readonly from: ObjectShape;
  /** Offset of the field name in the expression. */
  readonly offset: number;
  /** Whether the expression handles a missing field (`default`, `?`). */
  readonly guarded: boolean;
}

/** An operator whose operands have types that do not fit together. */
export interface TypeMismatch {
  readonly op: string;
  readonly left: KnownValue;
  readonly right: KnownValue;
  /** Operator that joins texts in the language of the expression. */
  readonly join: string;
  /** Offset of the left operand in the expression. */
  readonly offset: number;
}

/** Faults found while the shape of an expression is inferred. */
export interface ShapeFaults {
  readonly misses: MissingField[];
  readonly mismatches: TypeMismatch[];
}

/** Statically known value of an expression, with its origin. */
export interface KnownValue {
  readonly shape: Shape;
  /** Set for a plain path from a binding. */
  readonly path?: readonly string[];
}

/** A value of unknown shape. */
export const unknownValue: KnownValue = { shape: 'anything' };

/** Known values of the names in an expression. */
export type ShapeScope = ReadonlyMap<string, KnownValue>;

/** Selects a field, and records it if the value cannot have it. */
export function selectShape(
  { shape, path }: KnownValue,
  name: string,
  offset: number,
  guarded: boolean,
  misses: MissingField[],
): KnownValue {
  const further = path && [...path, name];
  if (!isObjectShape(shape)) return { shape: 'anything', ...(further && { path: further }) };
  const inner = shape.fields.get(name);
  if (inner !== undefined) return { shape: inner, ...(further && { path: further }) };
  if (shape.others !== 'any' && further) misses.push({ path: further, from: shape, offset, guarded });
  return { shape: 'anything', ...(further && { path: further }) };
}

const comparisons = new Set(['==', '=', '!=', '<', '>', '<=', '>=']);

/** Records an operator whose operands have known types that do not fit: a sum with a text, a comparison of a number with a text. */
export function checkTypes(mismatch: TypeMismatch, mismatches: TypeMismatch[]): void {
  const { op, left, right } = mismatch;
  const known = isScalarShape(left.shape) && isScalarShape(right.shape);
  // An unknown left operand may be a list, to which + appends; a text from elsewhere may be a date, to which it adds a period.
  const literal = left.shape === 'text' && !left.path && right.path;
  const adds = op === '+' && (literal || (known && (left.shape === 'text' || right.shape === 'text')));
  if (adds || (comparisons.has(op) && known && left.shape !== right.shape)) mismatches.push(mismatch);
}
