import type { CallTrace, EndedSpan, TraceContext } from '../engine/trace-context-and-run-spans.js';

export {
  type CallTrace,
  type EndedSpan,
  parseTraceContext,
  type TraceContext,
} from '../engine/trace-context-and-run-spans.js';

/** A started span of an incoming request or an outgoing call. */
export interface BegunSpan {
  /** The context for the next span in the trace. */
  readonly context: TraceContext;
  /** Ends the span, once. `status` is the HTTP status; `error` a short code. */
  end(about: {
    name: string;
    attributes: Readonly<Record<string, string | number>>;
    status?: number;
    error?: string;
  }): void;
}

/** Records spans, in a process with tracing. */
export interface Tracer {
  /** Starts the span of an incoming request. */
  arrived(from: TraceContext | undefined): BegunSpan;
  /** Starts the span of an outgoing call. */
  calls(trace: CallTrace): BegunSpan;
  /** Records the span of an ended run or subjourney. */
  ended(span: EndedSpan): void;
}
