import type { BinaryOp } from '../parse/ast.js';
import { compareValues, equalValues, similarValues } from './equality-and-order.js';
import { coercionFault, Fault } from './evaluation-fault.js';
import type { Evaluation } from './evaluation-state.js';
import { callLibraryFunction, type LibraryFunction } from './library-function-overloads.js';
import { operatorFunctions } from './non-numeric-operators.js';
import { add, divide, multiply, type Num, subtract } from './numbers.js';
import { toText } from './text-encodings.js';
import { bitsOf, isDec, Key, T, typeName, type Value } from './values.js';

/** Implementation of a binary operator. */
export type Operator = (ev: Evaluation, a: Value, b: Value) => Value;

function viaLibrary(name: string, fast: (ev: Evaluation, a: Num, b: Num) => Num): Operator {
  const slow: LibraryFunction = operatorFunctions.get(name)!;
  return (ev, a, b) => {
    if ((typeof a === 'number' || isDec(a)) && (typeof b === 'number' || isDec(b))) return fast(ev, a, b);
    return callLibraryFunction(ev, slow, [a, b]);
  };
}

function general(name: string): Operator {
  const slow = operatorFunctions.get(name)!;
  return (ev, a, b) => callLibraryFunction(ev, slow, [a, b]);
}

const append = general('++');

/** Concatenates text and simple values without trying the signatures, which would return the same. */
function appended(ev: Evaluation, a: Value, b: Value): Value {
  const [left, right] = [typeof a, typeof b];
  if ((left === 'string' && (right === 'string' || right === 'number')) || (left === 'number' && right === 'string')) {
    const text = toText(a) + toText(b);
    ev.chargeText(text.length);
    return text;
  }
  return append(ev, a, b);
}

/** Implementations of the binary operators. */
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

/** Converts to a Boolean where one is required; the texts and keys `true` and `false` are accepted. */
export function truth(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  const text = value instanceof Key ? value.name : value;
  if (typeof text === 'string') {
    if (/^true$/i.test(text)) return true;
    if (/^false$/i.test(text)) return false;
  }
  throw coercionFault(typeName(value), 'Boolean');
}

/** Evaluates the condition of an `if`, which `default` does not rescue. */
export function condition(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if ((bitsOf(value) & T.String) !== 0) {
    if (/^true$/i.test(value as string)) return true;
    if (/^false$/i.test(value as string)) return false;
  }
  throw new Fault(
    'DW_TYPE_MISMATCH',
    `A condition must be a Boolean, not ${typeName(value)}`,
    false,
    'InvalidIfConditionException',
  );
}
