/**
 * Loaded once per worker, not once per run: the interpreter's modules, which hold no state, and compiled expressions and
 * patterns, which all runs share.
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
import '../src/engine/instance-metadata.js';
import '../src/pipelines/cadence.js';
import '../src/pipelines/child-id.js';
import '../src/pipelines/evaluate.js';
import '../src/pipelines/incoming.js';
import '../src/pipelines/snapshot.js';
import '../src/pipelines/view.js';
import '../src/scheduling/cadence/coalesced.js';
// The last: nothing may be added to the prototypes after it.
import './shared-realm.js';
