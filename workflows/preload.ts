/**
 * Loaded once per worker, not once per run: the interpreter's modules, which hold no state, and compiled expressions and
 * patterns, which all runs share. It ends by closing the intrinsic prototypes, because every other run on the worker would
 * see what one run added to them. They are made non-extensible, not frozen: frozen ones would make `error.name = …` throw
 * and fail every workflow task for ever.
 */
import '../src/engine/run.js';
import '../src/engine/status.js';
import '../src/engine/submissions.js';
import '../src/expressions/index.js';
import '../src/json-schema/validate.js';
import '../src/json/size.js';
import '../src/language/vocabulary.js';
import '../src/states/graphs.js';
import '../src/scheduling/bindings/occurrences.js';
import '../src/scheduling/bindings/record.js';
import '../src/definition/reserved.js';
import './failure-converter.js';
import '../src/engine/trace.js';

const intrinsics = [
  Object,
  Function,
  Array,
  String,
  Number,
  Boolean,
  Symbol,
  BigInt,
  Date,
  RegExp,
  Promise,
  Map,
  Set,
  WeakMap,
  WeakSet,
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  ArrayBuffer,
  Uint8Array,
];

for (const intrinsic of intrinsics) Object.preventExtensions(intrinsic.prototype);

/**
 * The SDK records the stack of every promise a workflow makes, and an interpreter makes many. The nearest frames are enough to find a
 * fault, and cost a third of the default ten.
 */
Error.stackTraceLimit = 3;
