import type { Evaluation } from './evaluation.js';
import type { Value } from './values.js';

/** The variables of one function activation; slot 0 is the frame around it. */
export interface Frame extends Array<Value | Frame> {}

/** A compiled expression: reads its variables from the frame. */
export type Code = (ev: Evaluation, frame: Frame) => Value;
