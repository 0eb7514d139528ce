/** Modules that workers of orchestrators load once, not once per run. */
import '../src/schedules/jobs/output-to-channel-text.js';
import './dispatch/workflow-contract.js';
import './shared/failure-converter.js';
import './shared/run-search-attributes.js';
// Must be last: it locks the prototypes.
import './shared/lock-prototypes.js';
