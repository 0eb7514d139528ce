import type { Evaluation } from './evaluation.js';
import type { Value } from './values.js';

/** The variables of one function activation; slot 0 holds the slots of the function around it. */
export interface Slots extends Array<Value | Slots> {}

/** A compiled expression: reads its variables from the slots. */
export type Code = (ev: Evaluation, slots: Slots) => Value;
