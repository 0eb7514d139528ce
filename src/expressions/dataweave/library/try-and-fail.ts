import { Fault } from '../runtime/evaluation-fault.js';
import type { Evaluation } from '../runtime/evaluation-state.js';
import {
  type FunctionDefinition,
  functionType,
  noMatchingOverload,
  overload,
} from '../runtime/library-function-overloads.js';
import { truth } from '../runtime/operators.js';
import { DwObject, type FunctionValue, fieldOf, T, type Value } from '../runtime/values.js';
import { positionOf } from '../source-position.js';
import { absent, type Obj } from './core-collections.js';

function raised(message: string): Fault {
  return new Fault('DW_FUNCTION_ERROR', message, false, 'UserException');
}

/** Error in the result of `try`. It shows the position in the expression's own text, which its author knows. */
function failure(ev: Evaluation, { label, message, start, end }: Fault): DwObject {
  if (start < 0)
    return new DwObject(['kind', 'message', 'location', 'stack'], [label, message, 'Unknown location', []]);
  const { line, column } = positionOf(ev.source, start);
  const [first = ''] = ev.source.slice(start - column + 1).split('\n', 1);
  const margin = ' '.repeat(`${line}| `.length + column - 1);
  const marked = '^'.repeat(Math.max(1, Math.min(end - start, first.length - column + 1)));
  const shown = `\n${line}| ${first}\n${margin}${marked}`;
  ev.chargeText(shown.length);
  return new DwObject(
    ['kind', 'message', 'location', 'stack'],
    [label, message, shown, [`main (anonymous:${line}:${column})`]],
  );
}

function attempt(ev: Evaluation, f: FunctionValue): DwObject {
  const { depth, weight } = ev;
  try {
    return new DwObject(['success', 'result'], [true, f.call(ev, absent, absent, absent)]);
  } catch (error) {
    // Limits of this engine are not failures of the expression: the reference engine may succeed.
    const ours = error instanceof Fault && /^DW_(MAX_|UNSUPPORTED_)/.test(error.code);
    if (!(error instanceof Fault) || ours) throw error;
    ev.depth = depth;
    ev.weight = weight;
    return new DwObject(['success', 'error'], [false, failure(ev, error)]);
  }
}

/** Result of `try`: the success flag, and the result or the error. */
function attempted(name: string, it: Obj): Obj {
  const success = fieldOf(it, 'success');
  const complete = success === true ? 'result' : 'error';
  if (typeof success !== 'boolean' || fieldOf(it, complete) === undefined)
    throw noMatchingOverload(name, [it as Value]);
  return it;
}

function orElse(ev: Evaluation, given: Obj, f: FunctionValue): Value {
  const previous = attempted('orElse', given);
  return fieldOf(previous, 'success') === true
    ? (fieldOf(previous, 'result') ?? null)
    : f.call(ev, absent, absent, absent);
}

/** Supported language version. */
const languageVersion = '2.12';

/** Functions of dw::Runtime that stay inside the expression. */
export const runtimeFunctions: readonly FunctionDefinition[] = [
  [
    'fail',
    overload(
      [T.String],
      (_ev: Evaluation, message = 'Error') => {
        throw raised(message);
      },
      0,
    ),
  ],
  [
    'failIf',
    overload(
      [T.Any, functionType(1), T.String],
      (ev: Evaluation, value: Value, f: FunctionValue, message = 'Failed') => {
        if (truth(f.call(ev, value, absent, absent))) throw raised(message);
        return value;
      },
      2,
    ),
  ],
  ['try', overload([functionType(0)], attempt)],
  ['version', overload([], () => languageVersion)],
  ['orElse', overload([T.Object, functionType(0)], orElse)],
  [
    'orElseTry',
    overload([T.Object, functionType(0)], (ev: Evaluation, previous: Obj, f: FunctionValue) =>
      fieldOf(attempted('orElseTry', previous), 'success') === true ? (previous as Value) : attempt(ev, f),
    ),
  ],
];
