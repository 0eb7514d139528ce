import './shared/check-external-payloads.js';

/** The workflow of an orchestrator's workers, under its workflow type. */
export { dispatch as 'journeyman.dispatch' } from './dispatch/dispatch.js';
