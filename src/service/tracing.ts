import type { CallTrace, EndedSpan, TraceContext } from '../engine/trace.js';

export { type CallTrace, type EndedSpan, type TraceContext, traceOf } from '../engine/trace.js';

/** A request of ours to somebody, or of somebody to us, that has begun. */
export interface BegunSpan {
  /** What the next one in the trace is told. */
  readonly context: TraceContext;
  /** Once. `status` is the HTTP status; `error` what went wrong, in a word. */
  end(about: {
    name: string;
    attributes: Readonly<Record<string, string | number>>;
    status?: number;
    error?: string;
  }): void;
}

/** Records spans. A process that does not trace has none. */
export interface Tracer {
  /** A request that came in. */
  arrived(from: TraceContext | undefined): BegunSpan;
  /** A call that goes out. */
  calls(trace: CallTrace): BegunSpan;
  /** A run, or a subjourney of one, that ended. */
  ended(span: EndedSpan): void;
}
