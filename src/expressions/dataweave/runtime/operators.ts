import type { BinaryOp } from '../parse/ast.js';
import { dispatch, type LibraryFunction } from './dispatch.js';
import { compareValues, equalValues, similarValues } from './equality.js';
import type { Evaluation } from './evaluation.js';
import { coercionFault, Fault } from './fault.js';
import { add, divide, multiply, type Num, subtract } from './numbers.js';
import { operatorFunctions } from './operator-functions.js';
import { toText } from './text.js';
import { bitsOf, isDec, T, typeName, type Value } from './values.js';

/** What a binary operator does with the values of its operands. */
export type Operator = (ev: Evaluation, a: Value, b: Value) => Value;

function viaLibrary(name: string, fast: (ev: Evaluation, a: Num, b: Num) => Num): Operator {
  const slow: LibraryFunction = operatorFunctions.get(name)!;
  return (ev, a, b) => {
    if ((typeof a === 'number' || isDec(a)) && (typeof b === 'number' || isDec(b))) return fast(ev, a, b);
    return dispatch(ev, slow, [a, b]);
  };
}

function general(name: string): Operator {
  const slow = operatorFunctions.get(name)!;
  return (ev, a, b) => dispatch(ev, slow, [a, b]);
}

const append = general('++');

/** Joins text and simple values without trying the signatures, which would give the same. */
function appended(ev: Evaluation, a: Value, b: Value): Value {
  const [left, right] = [typeof a, typeof b];
  if ((left === 'string' && (right === 'string' || right === 'number')) || (left === 'number' && right === 'string')) {
    const text = toText(a) + toText(b);
    ev.text(text.length);
    return text;
  }
  return append(ev, a, b);
}

/** What each binary operator does. */
export const operators: Readonly<Record<BinaryOp, Operator>> = {
  '+': viaLibrary('+', add),
  '-': viaLibrary('-', subtract),
  '*': viaLibrary('*', multiply),
  '/': viaLibrary('/', divide),
  '<<': general('<<'),
  '>>': general('>>'),
  '++': appended,
  '--': general('--'),
  '<': (ev, a, b) => compareValues(ev, a, b) < 0,
  '>': (ev, a, b) => compareValues(ev, a, b) > 0,
  '<=': (ev, a, b) => compareValues(ev, a, b) <= 0,
  '>=': (ev, a, b) => compareValues(ev, a, b) >= 0,
  '<=>': (ev, a, b) => compareValues(ev, a, b),
  '==': equalValues,
  '!=': (ev, a, b) => !equalValues(ev, a, b),
  '~=': (ev, a, b) => similarValues(ev, a, b),
};

/** A Boolean where one is needed; the texts `true` and `false` count as one. */
export function truth(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    if (/^true$/i.test(value)) return true;
    if (/^false$/i.test(value)) return false;
  }
  throw coercionFault(typeName(value), 'Boolean');
}

/** The condition of an `if`, which `default` does not rescue. */
export function condition(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if ((bitsOf(value) & T.String) !== 0) {
    if (/^true$/i.test(value as string)) return true;
    if (/^false$/i.test(value as string)) return false;
  }
  throw new Fault(
    'DW_TYPE_MISMATCH',
    `A condition must be Boolean, not ${typeName(value)}`,
    false,
    'InvalidIfConditionException',
  );
}
