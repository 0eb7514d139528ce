import { tryCoerce } from './equality.js';
import type { Evaluation } from './evaluation.js';
import { Fault, typeFault } from './fault.js';
import { bitsOf, FunctionValue, T, typeName, type Value } from './values.js';

/**
 * A parameter that is a function, called with `n` arguments. Where the real library is written in DataWeave, the function
 * must take them all; its native functions are content with one that takes only the first (`needs` 1).
 */
export function F(n: number, needs = n): number {
  return T.Function | ((n + 1) << 24) | (needs << 28);
}

function callableWith(type: number): number {
  return ((type >>> 24) & 15) - 1;
}

/** What a signature does, with as many arguments as any signature takes. */
export type Native = (ev: Evaluation, a: Value, b: Value, c: Value, d: Value) => Value;

/** One signature of a library function: the types it takes, how many it needs, and what it does. */
export interface Overload {
  readonly types: readonly number[];
  readonly min: number;
  readonly fn: Native;
}

/** What is known of a function's types before it is called. */
export interface Facts {
  /** The types it gives, or `first`: what it is given first, or a part of it. */
  readonly gives?: number | 'first';
  /** The types it takes as elements of the array it is given. */
  readonly elements?: number;
}

/** A function of the standard library: a name and its signatures, tried in order. */
export class LibraryFunction extends FunctionValue {
  readonly required: number;
  readonly accepted: number;

  constructor(
    readonly name: string,
    readonly overloads: readonly Overload[],
    readonly facts: Facts = {},
  ) {
    super();
    this.required = Math.min(...overloads.map((it) => it.min));
    this.accepted = Math.max(...overloads.map((it) => it.types.length));
  }

  /** The types it may give for arguments of these types. */
  gives(masks: readonly number[]): number {
    const { gives = T.Any } = this.facts;
    if (gives === 'first') return masks[0] ?? T.Any;
    if (gives === T.Any || masks.some((mask) => (mask & T.Any) === T.Any)) return T.Any;
    // Most give null for null; questions are answered even then.
    return gives === T.Boolean ? gives : gives | ((masks[0] ?? 0) & T.Null);
  }

  call(ev: Evaluation, a: Value, b: Value, c: Value): Value {
    // A function with one signature ignores surplus arguments; one with several has none that takes them.
    const taken = this.overloads.length > 1 ? 3 : this.accepted;
    const args = [a, b, c].filter((it) => it !== undefined).slice(0, taken);
    return dispatch(ev, this, args);
  }

  apply(ev: Evaluation, args: Value[]): Value {
    return dispatch(ev, this, args);
  }
}

function fits(arg: Value, type: number): boolean {
  if ((bitsOf(arg) & type) === 0) return false;
  return callableWith(type) < 0 || !(arg instanceof FunctionValue) || arg.required <= callableWith(type);
}

/** Calls the first signature that fits, else the first one the arguments can be converted to. */
export function dispatch(ev: Evaluation, f: LibraryFunction, args: Value[]): Value {
  const count = args.length;
  const { overloads } = f;
  next: for (let i = 0; i < overloads.length; i++) {
    const overload = overloads[i]!;
    if (count > overload.types.length || count < overload.min) continue;
    for (let j = 0; j < count; j++) if (!fits(args[j]!, overload.types[j]!)) continue next;
    return overload.fn(ev, args[0]!, args[1]!, args[2]!, args[3]!);
  }
  for (const overload of byConversions(overloads, args)) {
    const converted = convertAll(ev, args, overload.types);
    if (converted) return overload.fn(ev, converted[0]!, converted[1]!, converted[2]!, converted[3]!);
  }
  throw mismatch(f.name, args);
}

/** The signatures of the right length, those that need the fewest conversions first. */
function byConversions(overloads: readonly Overload[], args: Value[]): Overload[] {
  const missing = (it: Overload) => args.reduce<number>((n, arg, i) => n + (fits(arg, it.types[i]!) ? 0 : 1), 0);
  return overloads
    .filter((it) => args.length <= it.types.length && args.length >= it.min)
    .map((it) => ({ it, cost: missing(it) }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ it }) => it);
}

/** The fault when no signature fits; `default` rescues the call if a null may be the reason. */
export function mismatch(name: string, args: Value[]): Fault {
  const types = args.map(typeName).join(', ');
  const rescuable = args.some((it) => it === null);
  return new Fault(
    'DW_TYPE_MISMATCH',
    `'${name}' does not take (${types})`,
    rescuable,
    'UnexpectedFunctionCallTypesException',
  );
}

function convertAll(ev: Evaluation, args: Value[], types: readonly number[]): Value[] | null {
  const out: Value[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    const type = types[i]!;
    if (fits(arg, type)) out.push(arg);
    else {
      if (arg === null || (type & (type - 1)) !== 0) return null;
      const converted = tryCoerce(ev, arg, type);
      if (converted === undefined) return null;
      out.push(converted);
    }
  }
  return out;
}

/** Whether a lambda with `count` parameters, written out in a prefix call, may go where `type` is wanted. */
export function suits(type: number, count: number): boolean {
  const wanted = callableWith(type);
  return wanted < 0 || (type & T.Any) !== T.Function || count === wanted;
}

/** A typed implementation as data; the dispatcher guarantees the argument types. */
export function overload(
  types: readonly number[],
  fn: (ev: Evaluation, ...args: never[]) => Value,
  min = types.length,
): Overload {
  const needs = types.map((it) => it >>> 28);
  const native = fn as unknown as Native;
  return { types, min, fn: needs.some((it) => it > 0) ? guarding(needs, native) : native };
}

/** `fn`, with functions that take too few arguments replaced by one that fails when called. */
function guarding(needs: readonly number[], fn: Native): Native {
  const guarded = (arg: Value, i: number): Value =>
    arg instanceof FunctionValue && arg.accepted < (needs[i] ?? 0) ? new TooShort(arg.name, needs[i]!) : arg;
  return (ev, a, b, c, d) => fn(ev, guarded(a, 0), guarded(b, 1), guarded(c, 2), guarded(d, 3));
}

class TooShort extends FunctionValue {
  readonly required = 0;
  readonly accepted = 0;
  constructor(
    readonly name: string,
    private readonly given: number,
  ) {
    super();
  }
  call(): Value {
    throw typeFault(`'${this.name}' takes fewer than ${this.given} arguments`);
  }
  apply(): Value {
    return this.call();
  }
}

/** A function of a module: its name, what is known of it beforehand if anything is, and its signatures. */
export type Definition =
  | readonly [name: string, ...overloads: Overload[]]
  | readonly [name: string, facts: Facts, ...overloads: Overload[]];

function defined([name, first, ...others]: Definition): LibraryFunction {
  const overloads = others as Overload[];
  if (first === undefined || 'fn' in first) return new LibraryFunction(name, first ? [first, ...overloads] : overloads);
  return new LibraryFunction(name, overloads, first);
}

/** A module of the library. */
export function library(definitions: readonly Definition[]): ReadonlyMap<string, LibraryFunction> {
  return new Map(definitions.map((it) => [it[0], defined(it)]));
}
