/** What the worker's bundle exports: the names that Temporal knows. */
export { journey } from './journey.js';
export { maintenance } from './maintenance.js';
export { runNow } from './run-now.js';
