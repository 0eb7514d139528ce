import type { Frame } from './frame.js';
import type { Outcome } from './outcome.js';
import type { Run } from './run.js';

/** Where a run stands in the traces of those who called it: W3C Trace Context, as it came or with a span of ours in its place. */
export interface TraceContext {
  /** A valid `traceparent`. */
  readonly parent: string;
  /** The `tracestate` that came with it. */
  readonly state?: string;
}

/** What a call takes along of its run's trace. Without a run, nobody records spans, and the context is passed on as it came. */
export type CallTrace = Partial<TraceContext> & {
  readonly run?: string;
  /** The frame whose span the call belongs to; empty for the run's own. */
  readonly frame?: string;
  /** The state that calls. */
  readonly at?: string;
};

/** A run or a subjourney that has ended, as its span. Names and places only: never a value. */
export interface EndedSpan {
  readonly run: string;
  readonly trace?: TraceContext;
  /** The frame it ran in; empty for the run itself. */
  readonly frame: string;
  /** The frame whose span it belongs to; absent for the run itself. */
  readonly parent?: string;
  /** The journey's name, or the subjourney's. */
  readonly name: string;
  readonly version: string;
  readonly kind: 'Journey' | 'Api' | 'subjourney';
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly phase: Outcome['phase'];
  readonly code?: string;
  /** The journey failed by itself: the code is its author's, or computed. */
  readonly isAuthored?: boolean;
}

/** Which frames of a run have a span that has not ended. */
export class OpenSpans {
  private readonly open = new Set<string>();

  begin({ id }: Frame): void {
    this.open.add(id);
  }

  end({ id }: Frame): void {
    this.open.delete(id);
  }

  /** The nearest frame with a span that this one stands in, itself included; the run's own is empty. */
  around(id: string): string {
    for (let at = id; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) if (this.open.has(at)) return at;
    return '';
  }
}

const valid = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The context that a request brought, if it is one. */
export function traceOf(headers: Readonly<Record<string, unknown>>): TraceContext | undefined {
  const { traceparent: parent, tracestate: state } = headers;
  if (typeof parent !== 'string' || !valid.test(parent)) return undefined;
  return { parent, ...(typeof state === 'string' && state !== '' && state.length <= 512 && { state }) };
}

/** The error of a span. One that must not happen counts as its cause. */
export function errorOf({ error, terminationKind }: Pick<Outcome, 'error' | 'terminationKind'>) {
  return error ? { code: String(error.cause ?? error.code), isAuthored: terminationKind === 'Fail' } : {};
}

/** The span of a whole run. */
export function runSpan({ info, definition, host }: Run, outcome: Outcome): EndedSpan {
  const { name, version, kind } = definition;
  return {
    run: info.id,
    ...(info.trace && { trace: info.trace }),
    frame: '',
    name,
    version,
    kind,
    from: info.startedAt,
    to: host.now(),
    phase: outcome.phase,
    ...errorOf(outcome),
  };
}
