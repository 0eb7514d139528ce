import { tryCoerce } from './equality.js';
import { Fault } from './fault.js';
import type { Run } from './run.js';
import { bitsOf, FunctionValue, T, typeName, type Value } from './values.js';

/** A function parameter that is called with up to `n` arguments. */
export function F(n: number): number {
  return T.Function | (n << 24);
}

export type Native = (run: Run, a: Value, b: Value, c: Value, d: Value) => Value;

/** One signature of a library function: the types it takes, how many it needs, and what it does. */
export interface Overload {
  readonly types: readonly number[];
  readonly min: number;
  readonly fn: Native;
}

/** A function of the standard library: a name and its signatures, tried in order. */
export class LibraryFunction extends FunctionValue {
  readonly required: number;
  readonly accepted: number;

  constructor(
    readonly name: string,
    readonly overloads: readonly Overload[],
  ) {
    super();
    this.required = Math.min(...overloads.map((it) => it.min));
    this.accepted = Math.max(...overloads.map((it) => it.types.length));
  }

  call(run: Run, a: Value, b: Value, c: Value): Value {
    const args = [a, b, c].filter((it) => it !== undefined).slice(0, this.accepted);
    return dispatch(run, this, args);
  }

  apply(run: Run, args: Value[]): Value {
    return dispatch(run, this, args);
  }
}

function fits(arg: Value, type: number): boolean {
  if ((bitsOf(arg) & type) === 0) return false;
  return type >>> 24 === 0 || !(arg instanceof FunctionValue) || arg.required <= type >>> 24;
}

/** Calls the first signature that fits, else the first one the arguments can be converted to. */
export function dispatch(run: Run, f: LibraryFunction, args: Value[]): Value {
  const count = args.length;
  const { overloads } = f;
  next: for (let i = 0; i < overloads.length; i++) {
    const overload = overloads[i]!;
    if (count > overload.types.length || count < overload.min) continue;
    for (let j = 0; j < count; j++) if (!fits(args[j]!, overload.types[j]!)) continue next;
    return overload.fn(run, args[0]!, args[1]!, args[2]!, args[3]!);
  }
  for (const overload of byConversions(overloads, args)) {
    const converted = convertAll(run, args, overload.types);
    if (converted) return overload.fn(run, converted[0]!, converted[1]!, converted[2]!, converted[3]!);
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

/** Nothing fits. `default` rescues the call if the reason may be a null. */
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

function convertAll(run: Run, args: Value[], types: readonly number[]): Value[] | null {
  const out: Value[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    const type = types[i]!;
    if (fits(arg, type)) out.push(arg);
    else {
      if (arg === null || (type & (type - 1)) !== 0) return null;
      const converted = tryCoerce(run, arg, type);
      if (converted === undefined) return null;
      out.push(converted);
    }
  }
  return out;
}

/** A typed implementation as data; the dispatcher guarantees the argument types. */
export function overload(
  types: readonly number[],
  fn: (run: Run, ...args: never[]) => Value,
  min = types.length,
): Overload {
  return { types, min, fn: fn as unknown as Native };
}

export type Definition = readonly [name: string, ...overloads: Overload[]];

/** A module of the library. */
export function library(definitions: readonly Definition[]): ReadonlyMap<string, LibraryFunction> {
  return new Map(definitions.map(([name, ...overloads]) => [name, new LibraryFunction(name, overloads)]));
}
