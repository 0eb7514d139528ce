import { tryCoerce } from './coercion.js';
import { Fault } from './evaluation-fault.js';
import type { CompiledCode, Evaluation, VariableSlots } from './evaluation-state.js';
import { noMatchingOverload } from './library-function-overloads.js';
import type { TypeValue } from './type-values.js';
import { bitsOf, FunctionValue, isPlainArray, RangeArray, T, type Value } from './values.js';

/** Deeper nesting of closures could overflow the host's stack. */
const maxWeight = 6_000;

/** Maximum number of arguments that library functions pass to callbacks. */
const maxArguments = 3;

/** A lambda parameter with its declared type and default, if any. */
export interface CompiledParam {
  readonly type: TypeValue | null;
  readonly fallback: CompiledCode | null;
}

/** Code shared by all activations of a lambda. */
export interface LambdaCode {
  readonly name: string;
  readonly params: readonly CompiledParam[];
  readonly required: number;
  /** Ignores surplus arguments, as every lambda after an infix function does. */
  readonly padded: boolean;
  /** Has no types and no defaults: arguments go straight into the slots. */
  readonly simple: boolean;
  /** Compares two items with `<=>`, so that `orderBy` sorts by it (journey mode only). */
  readonly comparator: boolean;
  readonly body: CompiledCode;
  /** Node count of the body: the cost of one activation. */
  readonly cost: number;
  /** Nesting depth of the body: the host stack that one activation may use. */
  readonly height: number;
}

/** Returned by a body that ends in a call of itself. The arguments are in `Evaluation.pending`. */
export const tailCallPending: unique symbol = Symbol('tail call');

/** A lambda with its captured variables. */
export class Closure extends FunctionValue {
  constructor(
    readonly code: LambdaCode,
    readonly slots: VariableSlots,
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
    const slots: VariableSlots = [this.slots];
    this.fill(ev, slots, [a, b, c]);
    return this.enter(ev, slots);
  }

  apply(ev: Evaluation, args: Value[]): Value {
    const { code } = this;
    if (args.length < code.required || args.length > this.accepted)
      throw new Fault('DW_TYPE_MISMATCH', `'${code.name}' takes ${code.params.length} arguments`);
    if (++ev.depth >= ev.limits.depth)
      throw new Fault('DW_MAX_EVAL_TIME_EXCEEDED', `More than ${ev.limits.depth} nested calls`);
    const slots: VariableSlots = [this.slots];
    const count = Math.min(args.length, code.params.length);
    if (code.simple) for (let i = 0; i < count; i++) slots[i + 1] = args[i]!;
    else this.fill(ev, slots, args);
    const result = this.enter(ev, slots);
    ev.depth--;
    return result;
  }

  private enter(ev: Evaluation, first: VariableSlots): Value {
    const { code } = this;
    ev.weight += code.height;
    if (ev.weight > maxWeight) throw new Fault('DW_MAX_EVAL_TIME_EXCEEDED', 'The evaluation nests too deeply');
    let slots = first;
    for (;;) {
      ev.fuel -= code.cost;
      if (ev.fuel < 0) throw new Fault('DW_MAX_EVAL_TIME_EXCEEDED', `More than ${ev.limits.fuel} steps`);
      const result = code.body(ev, slots);
      if ((result as unknown) !== tailCallPending) {
        ev.weight -= code.height;
        return result;
      }
      const args = ev.pending!;
      ev.pending = null;
      slots = [this.slots];
      this.fill(ev, slots, args);
    }
  }

  /** Whether the arguments have the declared types, without any conversion. */
  fits(args: Value[]): boolean {
    const { params, required } = this.code;
    if (args.length < required || args.length > params.length) return false;
    return args.every((arg, i) => params[i]!.type?.accepts(arg) ?? true);
  }

  private fill(ev: Evaluation, slots: VariableSlots, args: (Value | undefined)[]): void {
    const { params } = this.code;
    // Leading defaults are used first: the given arguments belong to the last parameters.
    const skipped = args.length < params.length && params[0]!.fallback ? params.length - args.length : 0;
    for (let i = 0; i < params.length; i++) {
      const { type, fallback } = params[i]!;
      let arg = args[i - skipped];
      if (arg === undefined) {
        if (!fallback)
          throw new Fault('DW_TYPE_MISMATCH', `'${this.code.name}' requires ${this.code.required} arguments`);
        arg = fallback(ev, slots);
      } else if (type && !type.accepts(arg)) arg = this.converted(ev, arg, type, args);
      slots[i + 1] = arg;
    }
  }

  private converted(ev: Evaluation, arg: Value, type: TypeValue, args: (Value | undefined)[]): Value {
    const found = adapted(ev, arg, type);
    if (found === undefined)
      throw noMatchingOverload(
        this.code.name,
        args.filter((it) => it !== undefined),
      );
    return found;
  }

  /** Default of the second parameter, the initial value of `reduce`; undefined without one. */
  initialAccumulator(ev: Evaluation): Value | undefined {
    const fallback = this.code.params[1]?.fallback;
    return fallback ? fallback(ev, [this.slots]) : undefined;
  }
}

/** Converts an argument to the type of its parameter, or to the first member of a union that accepts it. */
function adapted(ev: Evaluation, arg: Value, type: TypeValue): Value | undefined {
  const target = type.target ?? type;
  if (arg instanceof RangeArray && target.mask === T.Array) return Array.from(arg);
  if (arg === null || (bitsOf(arg) & (T.Object | T.Function)) !== 0 || isPlainArray(arg)) return undefined;
  if (target.shape.kind === 'simple') return tryCoerce(ev, arg, target.mask);
  if (target.shape.kind !== 'union') return undefined;
  for (const member of target.shape.members) {
    const found = adapted(ev, arg, member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Functions with the same name. Calls the first whose parameters match, else the first that the arguments can be converted to. */
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
    throw noMatchingOverload(this.name, args);
  }
}
