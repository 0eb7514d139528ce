import { mismatch } from './dispatch.js';
import { tryCoerce } from './equality.js';
import type { Evaluation } from './evaluation.js';
import { Fault } from './fault.js';
import type { Code, Slots } from './slots.js';
import type { TypeValue } from './types.js';
import { bitsOf, FunctionValue, RangeArray, T, type Value } from './values.js';

/** If closures nested deeper than this, the host's own stack would be at risk. */
const maxWeight = 6_000;

/** The most arguments that library functions give their callbacks. */
const maxArguments = 3;

/** A parameter of a lambda: its declared type and its default, where it has them. */
export interface CompiledParam {
  readonly type: TypeValue | null;
  readonly fallback: Code | null;
}

/** What all activations of one lambda share. */
export interface LambdaCode {
  readonly name: string;
  readonly params: readonly CompiledParam[];
  readonly required: number;
  /** Arguments beyond the parameters are ignored, as for every lambda after an infix function. */
  readonly padded: boolean;
  /** No types and no fallbacks: arguments go straight into the slots. */
  readonly simple: boolean;
  /** Compares two items with `<=>`, so that `orderBy` sorts by it (journey mode only). */
  readonly comparator: boolean;
  readonly body: Code;
  /** Nodes of the body: what one activation costs. */
  readonly cost: number;
  /** How deep the body nests: how much host stack one activation may use. */
  readonly height: number;
}

/** Returned by a body whose last act is to call itself: the arguments wait in the evaluation. */
export const again: unique symbol = Symbol('again');

/** A lambda with the variables around it. */
export class Closure extends FunctionValue {
  constructor(
    readonly code: LambdaCode,
    readonly slots: Slots,
  ) {
    super();
  }
  get name(): string {
    return this.code.name;
  }
  get required(): number {
    return this.code.required;
  }
  get accepted(): number {
    return this.code.padded ? maxArguments : this.code.params.length;
  }

  call(ev: Evaluation, a: Value, b: Value, c: Value): Value {
    const { code } = this;
    if (code.simple) {
      const count = code.params.length;
      if (count === 1) return this.enter(ev, [this.slots, a]);
      return this.enter(ev, count === 2 ? [this.slots, a, b] : [this.slots, a, b, c]);
    }
    const slots: Slots = [this.slots];
    this.fill(ev, slots, [a, b, c]);
    return this.enter(ev, slots);
  }

  apply(ev: Evaluation, args: Value[]): Value {
    const { code } = this;
    if (args.length < code.required || args.length > this.accepted)
      throw new Fault('DW_TYPE_MISMATCH', `'${code.name}' takes ${code.params.length} arguments`);
    if (++ev.depth >= ev.limits.depth)
      throw new Fault('DW_MAX_EVAL_TIME_EXCEEDED', `More than ${ev.limits.depth} calls inside each other`);
    const slots: Slots = [this.slots];
    const count = Math.min(args.length, code.params.length);
    if (code.simple) for (let i = 0; i < count; i++) slots[i + 1] = args[i]!;
    else this.fill(ev, slots, args);
    const result = this.enter(ev, slots);
    ev.depth--;
    return result;
  }

  private enter(ev: Evaluation, first: Slots): Value {
    const { code } = this;
    ev.weight += code.height;
    if (ev.weight > maxWeight) throw new Fault('DW_MAX_EVAL_TIME_EXCEEDED', 'The evaluation nests too deeply');
    let slots = first;
    for (;;) {
      ev.fuel -= code.cost;
      if (ev.fuel < 0) throw new Fault('DW_MAX_EVAL_TIME_EXCEEDED', `More than ${ev.limits.fuel} steps`);
      const result = code.body(ev, slots);
      if ((result as unknown) !== again) {
        ev.weight -= code.height;
        return result;
      }
      const args = ev.pending!;
      ev.pending = null;
      slots = [this.slots];
      this.fill(ev, slots, args);
    }
  }

  /** Whether the arguments are of the declared types, without converting any. */
  fits(args: Value[]): boolean {
    const { params, required } = this.code;
    if (args.length < required || args.length > params.length) return false;
    return args.every((arg, i) => params[i]!.type?.accepts(arg) ?? true);
  }

  private fill(ev: Evaluation, slots: Slots, args: (Value | undefined)[]): void {
    const { params } = this.code;
    // Leading defaults are used first: the given arguments belong to the last parameters.
    const skipped = args.length < params.length && params[0]!.fallback ? params.length - args.length : 0;
    for (let i = 0; i < params.length; i++) {
      const { type, fallback } = params[i]!;
      let arg = args[i - skipped];
      if (arg === undefined) {
        if (!fallback) throw new Fault('DW_TYPE_MISMATCH', `'${this.code.name}' needs ${this.code.required} arguments`);
        arg = fallback(ev, slots);
      } else if (type && !type.accepts(arg)) arg = this.converted(ev, arg, type, args);
      slots[i + 1] = arg;
    }
  }

  private converted(ev: Evaluation, arg: Value, type: TypeValue, args: (Value | undefined)[]): Value {
    const found = adapted(ev, arg, type);
    if (found === undefined)
      throw mismatch(
        this.code.name,
        args.filter((it) => it !== undefined),
      );
    return found;
  }

  /** The default of the second parameter, which `reduce` starts with; undefined if there is none. */
  initial(ev: Evaluation): Value | undefined {
    const fallback = this.code.params[1]?.fallback;
    return fallback ? fallback(ev, [this.slots]) : undefined;
  }
}

/** An argument made to fit the type of its parameter, or the first of several types it can be made to fit. */
function adapted(ev: Evaluation, arg: Value, type: TypeValue): Value | undefined {
  const target = type.target ?? type;
  if (arg instanceof RangeArray && target.mask === T.Array) return Array.from(arg);
  if (arg === null || (bitsOf(arg) & (T.Array | T.Object | T.Function)) !== 0) return undefined;
  if (target.shape.kind === 'simple') return tryCoerce(ev, arg, target.mask);
  if (target.shape.kind !== 'union') return undefined;
  for (const member of target.shape.members) {
    const found = adapted(ev, arg, member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Several functions of one name: the first whose parameters fit is called, else the first that can be made to fit. */
export class OverloadedClosure extends FunctionValue {
  readonly required: number;
  readonly accepted: number;
  constructor(
    readonly name: string,
    readonly members: readonly Closure[],
  ) {
    super();
    this.required = Math.min(...members.map((it) => it.required));
    this.accepted = Math.max(...members.map((it) => it.accepted));
  }
  call(ev: Evaluation, a: Value, b: Value, c: Value): Value {
    return this.apply(ev, [a, b, c].filter((it) => it !== undefined).slice(0, this.accepted));
  }
  apply(ev: Evaluation, args: Value[]): Value {
    const exact = this.members.find((it) => it.fits(args));
    if (exact) return exact.apply(ev, args);
    for (const member of this.members) {
      if (args.length < member.required || args.length > member.accepted) continue;
      const converted = args.map((arg, i) => {
        const type = member.code.params[i]!.type;
        return !type || type.accepts(arg) ? arg : adapted(ev, arg, type);
      });
      if (converted.every((it) => it !== undefined)) return member.apply(ev, converted as Value[]);
    }
    throw mismatch(this.name, args);
  }
}
