import { createHash, randomBytes } from 'node:crypto';
import type { BegunSpan, CallTrace, EndedSpan, TraceContext, Tracer } from '../service/tracing.js';
import { exportOptions, type OtlpAttributes, OtlpExporter, type OtlpSpan } from './otlp.js';

const kinds = { internal: 1, server: 2, client: 3 } as const;

/**
 * Spans of requests, calls and runs. Those of a run have ids that follow from the run's own, so that a worker can name the span that a
 * call belongs to before it has ended, and a task that is repeated after a crash tells of the same span again.
 */
class OtlpTracer implements Tracer {
  constructor(private readonly exporter: Pick<OtlpExporter, 'add'>) {}

  arrived(from: TraceContext | undefined): BegunSpan {
    const { traceId = randomBytes(16).toString('hex'), spanId: parent, flags = '01' } = parts(from);
    return this.begun(kinds.server, traceId, parent, flags, from?.state);
  }

  calls(trace: CallTrace): BegunSpan {
    const { run, frame = '', parent, state } = trace;
    const from = parts(parent === undefined ? undefined : { parent });
    const traceId = from.traceId ?? traceIdOf(run!);
    return this.begun(
      kinds.client,
      traceId,
      run === undefined ? from.spanId : spanIdOf(run, frame),
      from.flags ?? '01',
      state,
    );
  }

  ended({ run, trace, frame, parent, name, version, kind, from, to, phase, code }: EndedSpan): void {
    const { traceId = traceIdOf(run), spanId, flags = '01' } = parts(trace);
    const around = parent === undefined ? spanId : spanIdOf(run, parent);
    this.add(flags, {
      traceId,
      spanId: spanIdOf(run, frame),
      ...(around !== undefined && { parentSpanId: around }),
      name: kind === 'subjourney' ? name : `journey ${name}`,
      kind: kinds.internal,
      from,
      to,
      attributes: {
        'journey.id': run,
        ...(kind === 'subjourney' ? {} : { 'journey.name': name, 'journey.version': version, 'journey.kind': kind }),
        'journey.phase': phase,
        ...(code !== undefined && { 'error.type': code }),
      },
      failed: phase === 'FAILED',
    });
  }

  private begun(kind: number, traceId: string, parent: string | undefined, flags: string, state?: string): BegunSpan {
    const spanId = randomBytes(8).toString('hex');
    const from = Date.now();
    return {
      context: { parent: `00-${traceId}-${spanId}-${flags}`, ...(state !== undefined && { state }) },
      end: ({ name, attributes, status, error }) => {
        const failed = error !== undefined || (status ?? 0) >= (kind === kinds.server ? 500 : 400);
        const more: OtlpAttributes = {
          ...(status !== undefined && { 'http.response.status_code': status }),
          ...(error !== undefined && { 'error.type': error }),
        };
        this.add(flags, {
          traceId,
          spanId,
          ...(parent !== undefined && { parentSpanId: parent }),
          ...(state !== undefined && { traceState: state }),
          name,
          kind,
          from,
          to: Date.now(),
          attributes: { ...attributes, ...more },
          failed,
        });
      },
    };
  }

  /** Who began the trace decides whether it is recorded. */
  private add(flags: string, span: OtlpSpan): void {
    if (Number.parseInt(flags, 16) & 1) this.exporter.add(span);
  }
}

function parts(context: TraceContext | undefined): { traceId?: string; spanId?: string; flags?: string } {
  const [, traceId, spanId, flags] = context?.parent.split('-') ?? [];
  return traceId && spanId && flags ? { traceId, spanId, flags } : {};
}

/** The trace of a run that nobody's trace led to. */
function traceIdOf(run: string): string {
  return createHash('sha256').update(`trace\n${run}`).digest('hex').slice(0, 32);
}

function spanIdOf(run: string, frame: string): string {
  return createHash('sha256').update(`span\n${run}\n${frame}`).digest('hex').slice(0, 16);
}

/** Spans of this process, and how the last of them leave it. */
export type ProcessTracer = Tracer & { close(): Promise<void> };

/** A tracer for what OpenTelemetry's variables say; undefined where they name no place to send spans to. */
export function createTracer(
  warn: (fields: object, message: string) => void,
  env: NodeJS.ProcessEnv = process.env,
): ProcessTracer | undefined {
  const options = exportOptions(env);
  if (!options) return undefined;
  const exporter = new OtlpExporter(options, warn);
  return Object.assign(new OtlpTracer(exporter), { close: () => exporter.close() });
}
