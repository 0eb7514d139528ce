import { proxySinks, type Sinks } from '@temporalio/workflow';
import type { EndedSpan } from '../src/engine/trace.js';

/** What a worker that traces hears from its runs: not again when one is replayed. */
export interface SpanSinks extends Sinks {
  spans: { ended(span: EndedSpan): void };
}

/** Set by a worker that traces, when it loads the bundle. */
const { journeymanTraces } = globalThis as { journeymanTraces?: boolean };

/** Tells the worker of a span that ended; undefined where nobody traces. */
export const spanEnded = journeymanTraces ? proxySinks<SpanSinks>().spans.ended : undefined;
