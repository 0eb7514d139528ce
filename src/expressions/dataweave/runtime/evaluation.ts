import type { Env, Limits } from '../../expression.js';
import { ZoneValue } from './dates/values.js';
import { parseZone } from './dates/zones.js';
import { Fault } from './fault.js';
import type { Value } from './values.js';

/** One evaluation: what is bound, and what is left of its limits. */
export class Evaluation {
  fuel: number;
  depth = 0;
  /** How deeply active closures nest; this bounds the host's stack whatever shape the recursion has. */
  weight = 0;
  /** Arguments of a tail call on its way to its function. */
  pending: Value[] | null = null;

  constructor(
    readonly bindings: Readonly<Record<string, unknown>>,
    readonly env: Env,
    readonly limits: Limits,
    /** The text of the expression. */
    readonly source = '',
  ) {
    this.fuel = limits.fuel;
  }

  /** Pays for `cost` steps. */
  charge(cost: number): void {
    this.fuel -= cost;
    if (this.fuel < 0) throw new Fault('DW_MAX_EVAL_TIME_EXCEEDED', `More than ${this.limits.fuel} steps`);
  }

  /** Refuses a collection that grew beyond the limit, and pays for its elements. */
  collection(size: number): void {
    if (size > this.limits.collectionSize)
      throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `More than ${this.limits.collectionSize} elements`);
    this.charge(size);
  }

  /** Refuses text that grew beyond the limit. */
  bounded(length: number): void {
    if (length > this.limits.stringLength)
      throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `More than ${this.limits.stringLength} characters`);
  }

  /** Refuses text that grew beyond the limit, and pays for it. */
  text(length: number): void {
    this.bounded(length);
    this.charge(length >> 4);
  }

  /** The zone of `now()` and of values that name none. */
  zone(): ZoneValue {
    const { timezone } = this.env;
    return (timezone === undefined ? null : parseZone(timezone)) ?? new ZoneValue('Z', 0);
  }

  binding(name: string): Value {
    return Object.hasOwn(this.bindings, name) ? ((this.bindings[name] ?? null) as Value) : null;
  }
}

/** `value`, after paying for how it was made. */
export function paid<R>(ev: Evaluation, cost: number, value: R): R {
  ev.charge(cost);
  return value;
}
