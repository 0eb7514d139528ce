import { type Definition, F, mismatch, overload } from '../runtime/dispatch.js';
import type { Evaluation } from '../runtime/evaluation.js';
import { Fault } from '../runtime/fault.js';
import { truth } from '../runtime/operators.js';
import { DwObject, type FunctionValue, fieldOf, T, type Value } from '../runtime/values.js';
import { positionOf } from '../source.js';
import { none, type Obj } from './collections.js';

function raised(message: string): Fault {
  return new Fault('DW_FUNCTION_ERROR', message, false, 'UserException');
}

/** What `try` reports about a failure. The position is shown in the expression's own text, which its author knows. */
function failure(ev: Evaluation, { label, message, start, end }: Fault): DwObject {
  if (start < 0)
    return new DwObject(['kind', 'message', 'location', 'stack'], [label, message, 'Unknown location', []]);
  const { line, column } = positionOf(ev.source, start);
  const [first = ''] = ev.source.slice(start - column + 1).split('\n', 1);
  const margin = ' '.repeat(`${line}| `.length + column - 1);
  const marked = '^'.repeat(Math.max(1, Math.min(end - start, first.length - column + 1)));
  const shown = `\n${line}| ${first}\n${margin}${marked}`;
  ev.text(shown.length);
  return new DwObject(
    ['kind', 'message', 'location', 'stack'],
    [label, message, shown, [`main (anonymous:${line}:${column})`]],
  );
}

function attempt(ev: Evaluation, f: FunctionValue): DwObject {
  const { depth, weight } = ev;
  try {
    return new DwObject(['success', 'result'], [true, f.call(ev, none, none, none)]);
  } catch (error) {
    // What only this engine cannot do is no failure of the expression: in the real one it may succeed.
    const ours = error instanceof Fault && /^DW_(MAX_|UNSUPPORTED_)/.test(error.code);
    if (!(error instanceof Fault) || ours) throw error;
    ev.depth = depth;
    ev.weight = weight;
    return new DwObject(['success', 'error'], [false, failure(ev, error)]);
  }
}

/** What `try` gives: whether it succeeded, and the result or the error. */
function attempted(name: string, it: Obj): Obj {
  const success = fieldOf(it, 'success');
  const complete = success === true ? 'result' : 'error';
  if (typeof success !== 'boolean' || fieldOf(it, complete) === undefined) throw mismatch(name, [it as Value]);
  return it;
}

function orElse(ev: Evaluation, given: Obj, f: FunctionValue): Value {
  const previous = attempted('orElse', given);
  return fieldOf(previous, 'success') === true ? (fieldOf(previous, 'result') ?? null) : f.call(ev, none, none, none);
}

/** The version of the language that this engine follows. */
const languageVersion = '2.12';

/** dw::Runtime, as far as it stays inside the expression. */
export const runtimeFunctions: readonly Definition[] = [
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
      [T.Any, F(1), T.String],
      (ev: Evaluation, value: Value, f: FunctionValue, message = 'Failed') => {
        if (truth(f.call(ev, value, none, none))) throw raised(message);
        return value;
      },
      2,
    ),
  ],
  ['try', overload([F(0)], attempt)],
  ['version', overload([], () => languageVersion)],
  ['orElse', overload([T.Object, F(0)], orElse)],
  [
    'orElseTry',
    overload([T.Object, F(0)], (ev: Evaluation, previous: Obj, f: FunctionValue) =>
      fieldOf(attempted('orElseTry', previous), 'success') === true ? (previous as Value) : attempt(ev, f),
    ),
  ],
];
