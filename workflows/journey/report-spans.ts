import { proxySinks, type Sinks } from '@temporalio/workflow';
import type { EndedSpan } from '../../src/engine/trace-context-and-run-spans.js';

/** Sinks of a worker that traces; not called during replay. */
export interface SpanSinks extends Sinks {
  spans: { ended(span: EndedSpan): void };
}

/** Set by a worker that traces, when it loads the bundle. */
const { journeymanTraces } = globalThis as { journeymanTraces?: boolean };

/** Reports an ended span to the worker. Undefined if the worker does not trace. */
export const spanEnded = journeymanTraces ? proxySinks<SpanSinks>().spans.ended : undefined;
