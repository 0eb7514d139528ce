import './unreadable-signals.js';

/** What the bundle of an orchestrator's workers exports: the one name that Temporal knows there. */
export { dispatch as 'journeyman.dispatch' } from './dispatch.js';
