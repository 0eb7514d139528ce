/**
 * Loaded once per workflow thread, not once per run: the interpreter's modules, which have no state, and compiled expressions and
 * patterns, which all runs share. Modules that use the SDK's workflow library belong to one run each.
 */
import { defaultFailureConverter, type FailureConverter } from '@temporalio/common';
import encoded from './shared/encrypt-failure-messages.cjs';
import '../src/engine/run.js';
import '../src/engine/run-status.js';
import '../src/engine/step-submissions.js';
import '../src/expressions/index.js';
import '../src/json-schema/validate.js';
import '../src/base/json/size.js';
import '../src/language/state-types-and-task-kinds.js';
import '../src/language/states/compact-definition.js';
import '../src/language/states/state-queries.js';
import '../src/schedules/bindings/binding-record.js';
import '../src/engine/definition/response-fields-and-projection.js';
import '../src/base/json/depth-and-number-limits.js';
import '../src/engine/compensation.js';
import '../src/engine/definition/duration-limits.js';
import '../src/language/states/check-migration.js';
import '../src/language/states/error-code-for-telemetry.js';
import '../src/language/states/graph-traversal.js';
import '../src/language/tasks/effect-interface.js';
import '../src/schedules/jobs/output-to-channel-text.js';
import './dispatch/workflow-contract.js';
import './journey/build-engine-input.js';
import './journey/build-workflow-input.js';
import './journey/history-budget.js';
import './journey/workflow-contract.js';
import './pipeline/workflow-contract.js';
import './shared/run-search-attributes.js';
import '../src/engine/trace-context-and-run-spans.js';
import '../src/engine/run-tags-and-attributes.js';
import '../src/pipelines/read-producer-schedule.js';
import '../src/pipelines/handler-run-ids.js';
import '../src/pipelines/reduce-and-evaluate.js';
import '../src/pipelines/read-incoming-messages.js';
import '../src/pipelines/snapshot.js';
import '../src/pipelines/view.js';
import '../src/schedules/cadence/detect-coalesced-slot.js';

/** Set by a worker that encrypts, when it loads the bundle. */
const { journeymanEncrypts } = globalThis as { journeymanEncrypts?: boolean };

/** Converts failures that leave a workflow; the bundler finds it here. */
export const failureConverter: FailureConverter = journeymanEncrypts
  ? encoded.failureConverter
  : defaultFailureConverter;

/**
 * All runs of a thread share one realm: a property that one of them adds to an intrinsic prototype is visible to all others. So the prototypes
 * are made non-extensible after the imports; not frozen, because frozen ones would make `error.name = …` throw and fail every workflow task for ever.
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
