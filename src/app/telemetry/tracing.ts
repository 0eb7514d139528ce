import { createHash } from 'node:crypto';
import {
  type Context,
  createTraceState,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { BasicTracerProvider, IdGenerator, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { refuse } from '../../base/problems/problem.js';
import type { BegunSpan, CallTrace, EndedSpan, TraceContext, Tracer } from '../../service/tracer-interface.js';
import { settlesWithin } from '../run-until-stopped.js';

/** The tracer of this process; `close` sends the last spans. */
export type ProcessTracer = Tracer & { close(): Promise<void> };

/** Logs what tracing could not do. */
type TracingLog = (fields: object, message: string) => void;

/** Creates a tracer as OpenTelemetry's variables configure it; undefined if they do not set an endpoint, or disable tracing. */
export async function createTracer(warn: TracingLog): Promise<ProcessTracer | undefined> {
  if (!isTraced(process.env)) return undefined;
  // Loaded only here: most processes do not trace.
  const [{ OTLPTraceExporter }, { defaultResource, detectResources, envDetector, resourceFromAttributes }, sdk] =
    await Promise.all([
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace-base'),
    ]);
  logProblems(warn);
  const ids = new ChosenIds(new sdk.RandomIdGenerator());
  const provider = new sdk.BasicTracerProvider({
    idGenerator: ids,
    spanProcessors: [new sdk.BatchSpanProcessor(new LoggedExporter(new OTLPTraceExporter(), warn))],
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'journeyman' }))
      .merge(detectResources({ detectors: [envDetector] })),
  });
  return new OtlpTracer(provider, ids, warn);
}

function isTraced({ OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER, ...env }: NodeJS.ProcessEnv): boolean {
  const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!url || OTEL_SDK_DISABLED?.toLowerCase() === 'true' || OTEL_TRACES_EXPORTER === 'none') return false;
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/json';
  if (!protocol.startsWith('http/') || !URL.canParse(url)) {
    refuse('CONFIG_VALUE_INVALID', `Traces cannot be sent to ${url} by ${protocol}`, {
      hint: 'Set OTEL_EXPORTER_OTLP_ENDPOINT to the collector’s HTTP address (port 4318), and the protocol, if set, to http/json.',
    });
  }
  return true;
}

/** Logs values of variables that the libraries cannot use, and spans dropped from a full queue. */
function logProblems(warn: TracingLog): void {
  const say = (message: string, ...details: unknown[]) =>
    warn(details.length > 0 ? { details } : {}, `OpenTelemetry: ${message}`);
  const logger = { error: say, warn: say, info: say, debug: say, verbose: say };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** The time a stopping process has for its last spans: a hanging collector must not delay it. */
const lastMs = 3_000;

/**
 * Spans of requests, calls and runs, by OpenTelemetry's SDK. Span ids of a run derive from the run's id, so that a worker knows the parent of a
 * call before it has ended, and a task repeated after a crash reports the same span.
 */
class OtlpTracer implements ProcessTracer {
  constructor(
    private readonly provider: Pick<BasicTracerProvider, 'getTracer' | 'shutdown'>,
    private readonly ids: ChosenIds,
    private readonly warn: TracingLog,
  ) {}

  arrived(from: TraceContext | undefined): BegunSpan {
    return this.begun(SpanKind.SERVER, from && remote(from), from?.state);
  }

  calls({ run, frame = '', parent, state }: CallTrace): BegunSpan {
    const caller = parent === undefined ? undefined : remote({ parent, ...(state !== undefined && { state }) });
    const around = run === undefined ? caller : this.within(run, frame, caller);
    return this.begun(SpanKind.CLIENT, around, state);
  }

  ended({ run, trace: from, frame, parent, name, version, kind, from: startTime, to, phase, code }: EndedSpan): void {
    const caller = from && remote(from);
    const span = this.start(
      kind === undefined ? name : `journey ${name}`,
      SpanKind.INTERNAL,
      parent === undefined ? caller : this.within(run, parent, caller),
      { spanId: spanIdOf(run, frame), traceId: traceIdOf(run) },
      startTime,
    );
    span.setAttributes({
      // Without the suffix that distinguishes runs with the same key.
      'journey.id': run.split('/').slice(0, 2).join('/'),
      ...(kind === undefined ? {} : { 'journey.name': name, 'journey.version': version, 'journey.kind': kind }),
      'journey.phase': phase,
    });
    finish(span, phase === 'FAILED', code, to);
  }

  async close(): Promise<void> {
    const sent = this.provider.shutdown().catch((error) => this.warn({ err: error }, 'Tracing did not stop cleanly'));
    if (!(await settlesWithin(lastMs, sent))) this.warn({}, 'The last spans could not be sent in time and may be lost');
    diag.disable();
  }

  private begun(kind: SpanKind, parent: SpanContext | undefined, state: string | undefined): BegunSpan {
    const span = this.start('request', kind, parent);
    const { traceId, spanId, traceFlags } = span.spanContext();
    const context = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
    return {
      context: { parent: context, ...(state !== undefined && { state }) },
      end: ({ name, attributes, status, error }) => {
        const failed = error !== undefined || (status ?? 0) >= (kind === SpanKind.SERVER ? 500 : 400);
        span.updateName(name).setAttributes(attributes);
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        finish(span, failed, error);
      },
    };
  }

  /** The span of a run or subjourney that has not ended: its ids, and whether its trace is recorded. */
  private within(run: string, frame: string, caller: SpanContext | undefined): SpanContext {
    const spanId = spanIdOf(run, frame);
    if (caller) return { ...caller, spanId };
    // The sampler decides by the trace id, so here as it will when the run has ended.
    const root = { traceId: traceIdOf(run), spanId: spanIdOf(run, '') };
    const span = this.start('journey', SpanKind.INTERNAL, undefined, root);
    return { ...span.spanContext(), spanId, isRemote: true };
  }

  private start(name: string, kind: SpanKind, parent?: SpanContext, ids?: SpanIds, startTime?: number): Span {
    const context: Context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    const tracer = this.provider.getTracer('journeyman');
    const options = { kind, ...(startTime !== undefined && { startTime }) };
    return this.ids.by(ids, () => tracer.startSpan(name, options, context));
  }
}

function finish(span: Span, failed: boolean, code: string | undefined, at?: number): void {
  if (code !== undefined) span.setAttribute('error.type', code);
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(at);
}

function remote({ parent, state }: TraceContext): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = parent.split('-');
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(state !== undefined && { traceState: createTraceState(state) }),
  };
}

/** The trace of a run that was started without one. */
function traceIdOf(run: string): string {
  return createHash('sha256').update(`trace\n${run}`).digest('hex').slice(0, 32);
}

function spanIdOf(run: string, frame: string): string {
  return createHash('sha256').update(`span\n${run}\n${frame}`).digest('hex').slice(0, 16);
}

interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** Random ids, or those chosen for the span that is just being started. */
class ChosenIds implements IdGenerator {
  private chosen: SpanIds | undefined;

  constructor(private readonly random: IdGenerator) {}

  by(ids: SpanIds | undefined, start: () => Span): Span {
    this.chosen = ids;
    const span = start();
    this.chosen = undefined;
    return span;
  }

  generateTraceId(): string {
    return this.chosen?.traceId ?? this.random.generateTraceId();
  }

  generateSpanId(): string {
    return this.chosen?.spanId ?? this.random.generateSpanId();
  }
}

/** Logs each batch that could not be sent, and its number of spans; it is then dropped. */
class LoggedExporter implements SpanExporter {
  private lost = 0;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly warn: TracingLog,
  ) {}

  export(...[spans, done]: Parameters<SpanExporter['export']>): void {
    this.exporter.export(spans, (result) => {
      if (result.code !== success) {
        this.lost += spans.length;
        const reason = result.error?.message || 'The collector did not accept them.';
        this.warn({ reason, spans: this.lost }, 'Spans could not be sent and are lost');
      }
      // The SDK would only log the failure again.
      done({ code: success });
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }
}

/** `ExportResultCode.SUCCESS` of OpenTelemetry's core. */
const success = 0;
