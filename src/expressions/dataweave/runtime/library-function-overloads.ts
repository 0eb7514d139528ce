import { tryCoerce } from './coercion.js';
import { Fault, typeFault } from './evaluation-fault.js';
import type { Evaluation } from './evaluation-state.js';
import { bitsOf, FunctionValue, T, typeName, type Value } from './values.js';

/**
 * Type of a parameter that is a function called with `n` arguments. Where the reference library is written in DataWeave, the function must
 * accept all of them; native functions also accept one that takes only the first (`needs` 1).
 */
export function functionType(n: number, needs = n): number {
  return T.Function | ((n + 1) << 24) | (needs << 28);
}

function callableWith(type: number): number {
  return ((type >>> 24) & 15) - 1;
}

/** Implementation of a signature, with the maximum number of arguments of any signature. */
export type Native = (ev: Evaluation, a: Value, b: Value, c: Value, d: Value) => Value;

/** A signature of a library function: parameter types, required arguments and implementation. */
export interface Overload {
  readonly types: readonly number[];
  readonly min: number;
  readonly fn: Native;
}

/** Static type facts about a function. */
export interface CallFacts {
  /** Result types, or `first`: the type of the first argument or of a part of it. */
  readonly gives?: number | 'first';
  /** Accepted element types of the array argument. */
  readonly elements?: number;
}

/** A standard library function: a name and its signatures, tried in order. */
export class LibraryFunction extends FunctionValue {
  readonly required: number;
  readonly accepted: number;

  constructor(
    readonly name: string,
    readonly overloads: readonly Overload[],
    readonly facts: CallFacts = {},
  ) {
    super();
    this.required = Math.min(...overloads.map((it) => it.min));
    this.accepted = Math.max(...overloads.map((it) => it.types.length));
  }

  /** Possible result types for these argument types. */
  gives(masks: readonly number[]): number {
    const { gives = T.Any } = this.facts;
    if (gives === 'first') return masks[0] ?? T.Any;
    if (gives === T.Any || masks.some((mask) => (mask & T.Any) === T.Any)) return T.Any;
    // Most functions return null for null; predicates do not.
    return gives === T.Boolean ? gives : gives | ((masks[0] ?? 0) & T.Null);
  }

  call(ev: Evaluation, a: Value, b: Value, c: Value): Value {
    // A function with a single signature ignores surplus arguments; with several, none accepts them.
    const taken = this.overloads.length > 1 ? 3 : this.accepted;
    const args = [a, b, c].filter((it) => it !== undefined).slice(0, taken);
    return callLibraryFunction(ev, this, args);
  }

  apply(ev: Evaluation, args: Value[]): Value {
    return callLibraryFunction(ev, this, args);
  }
}

function fits(arg: Value, type: number): boolean {
  if ((bitsOf(arg) & type) === 0) return false;
  return callableWith(type) < 0 || !(arg instanceof FunctionValue) || arg.required <= callableWith(type);
}

/** Calls the first matching signature, else the first that the arguments can be converted to. */
export function callLibraryFunction(ev: Evaluation, f: LibraryFunction, args: Value[]): Value {
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
  throw noMatchingOverload(f.name, args);
}

/** Signatures with the right number of parameters, fewest conversions first. */
function byConversions(overloads: readonly Overload[], args: Value[]): Overload[] {
  const missing = (it: Overload) => args.reduce<number>((n, arg, i) => n + (fits(arg, it.types[i]!) ? 0 : 1), 0);
  return overloads
    .filter((it) => args.length <= it.types.length && args.length >= it.min)
    .map((it) => ({ it, cost: missing(it) }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ it }) => it);
}

/** Fault for a call without a matching signature. `default` rescues it if a null argument may be the reason. */
export function noMatchingOverload(name: string, args: Value[]): Fault {
  const types = args.map(typeName).join(', ');
  const rescuable = args.some((it) => it === null);
  return new Fault(
    'DW_TYPE_MISMATCH',
    `'${name}' does not accept (${types})`,
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

/** Whether a lambda with `count` parameters, written in a prefix call, matches `type`. */
export function acceptsParameterCount(type: number, count: number): boolean {
  const wanted = callableWith(type);
  return wanted < 0 || (type & T.Any) !== T.Function || count === wanted;
}

/** Defines a signature. The argument types are checked before the call. */
export function overload(
  types: readonly number[],
  fn: (ev: Evaluation, ...args: never[]) => Value,
  min = types.length,
): Overload {
  const needs = types.map((it) => it >>> 28);
  const native = fn as unknown as Native;
  return { types, min, fn: needs.some((it) => it > 0) ? guarding(needs, native) : native };
}

/** Wraps `fn` so that callbacks with too few parameters fail when called. */
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

/** A library function: its name, optional static facts, and its signatures. */
export type FunctionDefinition =
  | readonly [name: string, ...overloads: Overload[]]
  | readonly [name: string, facts: CallFacts, ...overloads: Overload[]];

function defined([name, first, ...others]: FunctionDefinition): LibraryFunction {
  const overloads = others as Overload[];
  if (first === undefined || 'fn' in first) return new LibraryFunction(name, first ? [first, ...overloads] : overloads);
  return new LibraryFunction(name, overloads, first);
}

/** Builds the functions of a module. */
export function defineFunctions(definitions: readonly FunctionDefinition[]): ReadonlyMap<string, LibraryFunction> {
  return new Map(definitions.map((it) => [it[0], defined(it)]));
}
