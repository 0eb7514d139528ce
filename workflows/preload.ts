/**
 * Loaded once per worker, not once per run: the interpreter's modules, which have no state, and compiled expressions and
 * patterns, which all runs share. Modules that use the SDK's workflow library belong to one run each.
 */
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
import './journey/build-engine-input.js';
import './journey/build-workflow-input.js';
import './journey/history-budget.js';
import './journey/workflow-contract.js';
import './pipeline/workflow-contract.js';
import './shared/failure-converter.js';
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
// Must be last: it locks the prototypes.
import './shared/lock-prototypes.js';
