/** What the workers of orchestrators load once, not once per run. */
import '../src/scheduling/jobs/text.js';
import './dispatch-input.js';
import './failure-converter.js';
import './search-attributes.js';
// The last: nothing may be added to the prototypes after it.
import './shared-realm.js';
