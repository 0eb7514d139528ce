import type { Definition } from './definition/definition.js';
import { uniqueRunId } from './definition/keyed-run-id.js';
import type { Frame } from './frame.js';
import type { Outcome } from './outcome.js';
import type { Run } from './run.js';

/** The W3C Trace Context of a run's caller, as received or with one of our spans as parent. */
export interface TraceContext {
  /** A valid `traceparent`. */
  readonly parent: string;
  /** The `tracestate` that came with it. */
  readonly state?: string;
}

/** The trace context that a call propagates. Without a run, no spans are recorded and the context is propagated unchanged. */
export type CallTrace = Partial<TraceContext> & {
  readonly run?: string;
  /** The frame whose span the call belongs to; empty for the run's own. */
  readonly frame?: string;
  /** The state that calls. */
  readonly at?: string;
};

/** The span of an ended run or subjourney. Contains names and positions only, never values. */
export interface EndedSpan {
  /** Its unique id, from which the ids of spans are derived. */
  readonly run: string;
  readonly trace?: TraceContext;
  /** The frame it ran in; empty for the run itself. */
  readonly frame: string;
  /** The frame whose span it belongs to; absent for the run itself. */
  readonly parent?: string;
  /** The journey's name, or the subjourney's. */
  readonly name: string;
  readonly version: string;
  /** Absent for a subjourney. */
  readonly kind?: Definition['kind'];
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly phase: Outcome['phase'];
  readonly code?: string;
  /** The journey ended in a `fail` state: the code was written by its author, or computed. */
  readonly isAuthored?: boolean;
}

/** Tracks which frames of a run have an open span. */
export class OpenSpans {
  private readonly open = new Set<string>();

  begin({ id }: Frame): void {
    this.open.add(id);
  }

  end({ id }: Frame): void {
    this.open.delete(id);
  }

  /** The nearest enclosing frame with a span, this one included; empty for the run's own. */
  around(id: string): string {
    for (let at = id; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) if (this.open.has(at)) return at;
    return '';
  }
}

const valid = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Reads the trace context of a request; undefined if it is not valid. */
export function parseTraceContext(headers: Readonly<Record<string, unknown>>): TraceContext | undefined {
  const { traceparent: parent, tracestate: state } = headers;
  if (typeof parent !== 'string' || !valid.test(parent)) return undefined;
  return { parent, ...(typeof state === 'string' && state !== '' && state.length <= 512 && { state }) };
}

/** The error of a span. An internal error is reported by its cause. */
export function spanError({ error, terminationKind }: Pick<Outcome, 'error' | 'terminationKind'>) {
  return error ? { code: String(error.cause ?? error.code), isAuthored: terminationKind === 'Fail' } : {};
}

/** The span of a whole run. */
export function runSpan({ info, definition, host }: Run, outcome: Outcome): EndedSpan {
  const { name, version, kind } = definition;
  return {
    run: uniqueRunId(info),
    ...(info.trace && { trace: info.trace }),
    frame: '',
    name,
    version,
    kind,
    from: info.startedAt,
    to: host.now(),
    phase: outcome.phase,
    ...spanError(outcome),
  };
}
