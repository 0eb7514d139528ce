import type { Env, Limits } from '../../expression-engine-interface.js';
import { ZoneValue } from './dates/date-values.js';
import { parseZone } from './dates/zone-offsets.js';
import { Fault } from './evaluation-fault.js';
import type { Value } from './values.js';

/** Variables of one function activation; slot 0 holds those of the enclosing function. */
export interface VariableSlots extends Array<Value | VariableSlots> {}

/** A compiled expression, which reads its variables from the slots. */
export type CompiledCode = (ev: Evaluation, slots: VariableSlots) => Value;

/** State of one evaluation: bindings and remaining budget. */
export class Evaluation {
  fuel: number;
  depth = 0;
  /** Nesting of active closures. Its limit protects the host's stack whatever shape the recursion has. */
  weight = 0;
  /** Arguments of a pending tail call. */
  pending: Value[] | null = null;

  constructor(
    readonly bindings: Readonly<Record<string, unknown>>,
    readonly env: Env,
    readonly limits: Limits,
    /** Text of the expression. */
    readonly source = '',
  ) {
    this.fuel = limits.fuel;
  }

  /** Consumes fuel for `cost` steps. */
  charge(cost: number): void {
    this.fuel -= cost;
    if (this.fuel < 0) throw new Fault('DW_MAX_EVAL_TIME_EXCEEDED', `More than ${this.limits.fuel} steps`);
  }

  /** Rejects a collection beyond the limit and consumes fuel for its elements. */
  chargeCollection(size: number): void {
    if (size > this.limits.collectionSize)
      throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `More than ${this.limits.collectionSize} elements`);
    this.charge(size);
  }

  /** Rejects text beyond the limit. */
  checkLength(length: number): void {
    if (length > this.limits.stringLength)
      throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `More than ${this.limits.stringLength} characters`);
  }

  /** Rejects text beyond the limit and consumes fuel for it. */
  chargeText(length: number): void {
    this.checkLength(length);
    this.charge(length >> 4);
  }

  /** Zone of `now()` and of values without one. */
  zone(): ZoneValue {
    const { timezone } = this.env;
    return (timezone === undefined ? null : parseZone(timezone)) ?? new ZoneValue('Z', 0);
  }

  binding(name: string): Value {
    return Object.hasOwn(this.bindings, name) ? ((this.bindings[name] ?? null) as Value) : null;
  }
}

/** Returns `value` after consuming the fuel for its computation. */
export function chargeFor<R>(ev: Evaluation, cost: number, value: R): R {
  ev.charge(cost);
  return value;
}
