/**
 * All runs of a worker share one realm. What one of them added to an intrinsic prototype, every other would see. So the prototypes are made
 * non-extensible; not frozen, because frozen ones would make `error.name = …` throw and fail every workflow task for ever.
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
 * The SDK records the stack of every promise a workflow makes, and an interpreter makes many. The nearest frames are enough to find a
 * fault, and cost a third of the default ten.
 */
Error.stackTraceLimit = 3;
