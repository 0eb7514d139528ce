/** What the worker's bundle exports: the names that Temporal knows. */
export { journey } from './journey.js';
export { runNow } from './run-now.js';
