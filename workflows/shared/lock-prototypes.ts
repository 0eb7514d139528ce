/**
 * All runs of a worker share one realm: a property that one of them adds to an intrinsic prototype is visible to all others. So the prototypes
 * are made non-extensible; not frozen, because frozen ones would make `error.name = …` throw and fail every workflow task for ever.
 */
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
 * The SDK records the stack of every promise of a workflow, and an interpreter creates many. Three frames are enough to find an error, and
 * cost a third of the default ten.
 */
Error.stackTraceLimit = 3;
