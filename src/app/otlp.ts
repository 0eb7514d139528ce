import { refuse } from '../problems/problem.js';

export type OtlpAttributes = Readonly<Record<string, string | number>>;

/** A span that has ended; times in milliseconds. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly from: number;
  readonly to: number;
  readonly attributes: OtlpAttributes;
  readonly failed: boolean;
}

export interface ExportOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly resource: OtlpAttributes;
}

/** Where spans go, from OpenTelemetry's own variables; undefined where they name no place, or switch it off. */
export function exportOptions(env: NodeJS.ProcessEnv): ExportOptions | undefined {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '');
  const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || (base && `${base}/v1/traces`);
  if (!url || env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return undefined;
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/json';
  if (!protocol.startsWith('http/') || !URL.canParse(url)) {
    refuse('CONFIG_VALUE_INVALID', `Traces cannot be sent to ${url} by ${protocol}`, {
      hint: 'Set OTEL_EXPORTER_OTLP_ENDPOINT to the collector’s HTTP address (port 4318), and no protocol but http/json.',
    });
  }
  const timeout = Number(env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? env.OTEL_EXPORTER_OTLP_TIMEOUT ?? 10_000);
  return {
    url,
    headers: pairs(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMs: timeout > 0 ? timeout : 10_000,
    resource: {
      ...pairs(env.OTEL_RESOURCE_ATTRIBUTES),
      'service.name': env.OTEL_SERVICE_NAME || pairs(env.OTEL_RESOURCE_ATTRIBUTES)['service.name'] || 'journeyman',
    },
  };
}

/** `a=1,b=2`, percent-encoded. */
function pairs(text = ''): Record<string, string> {
  const entries = text.split(',').map((pair) => pair.split(/=(.*)/s).map((part) => part.trim()));
  return Object.fromEntries(entries.filter(([name]) => name).map(([name, value = '']) => [name, decoded(value)]));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const batch = 512;
const mostWaiting = 8_192;
const everyMs = 1_000;
/** What a process that stops has for its last spans: a collector that hangs must not keep it from stopping. */
const lastMs = 3_000;

/** Sends spans in batches as OTLP over HTTP, in its JSON form. What cannot be sent is dropped: tracing must hold nothing up. */
export class OtlpExporter {
  private waiting: OtlpSpan[] = [];
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> = Promise.resolve();
  private lost = 0;
  private readonly givenUp = new AbortController();

  constructor(
    private readonly options: ExportOptions,
    private readonly warn: (fields: object, message: string) => void,
  ) {}

  add(span: OtlpSpan): void {
    if (this.waiting.length >= mostWaiting) this.lost += 1;
    else this.waiting.push(span);
    this.timer ??= setTimeout(() => void this.flush(), everyMs).unref();
  }

  /** Resolves when everything that was added has been sent, or given up. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sending = this.sending.then(() => this.drain());
    await this.sending;
  }

  /** Sends what is left, for a moment; what has not arrived by then is lost. */
  async close(): Promise<void> {
    const patience = setTimeout(() => this.givenUp.abort(new Error('the process stops')), lastMs);
    await this.flush();
    clearTimeout(patience);
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const spans = this.waiting.splice(0, batch);
      const failure = await this.send(spans);
      if (failure !== undefined) this.lost += spans.length;
      if (failure !== undefined)
        this.warn({ reason: failure, spans: this.lost }, 'Spans could not be sent and are lost');
    }
  }

  private async send(spans: readonly OtlpSpan[]): Promise<string | undefined> {
    const { url, headers, timeoutMs, resource } = this.options;
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(exported(resource, spans)),
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), this.givenUp.signal]),
      });
      await answer.arrayBuffer();
      return answer.ok ? undefined : `The collector answered ${answer.status}.`;
    } catch (error) {
      return (error as Error).message;
    }
  }
}

function exported(resource: OtlpAttributes, spans: readonly OtlpSpan[]): object {
  const scopeSpans = [{ scope: { name: 'journeyman' }, spans: spans.map(wire) }];
  return { resourceSpans: [{ resource: { attributes: attributes(resource) }, scopeSpans }] };
}

function wire({ from, to, failed, attributes: given, ...span }: OtlpSpan): object {
  return {
    ...span,
    startTimeUnixNano: `${from}000000`,
    endTimeUnixNano: `${to}000000`,
    attributes: attributes(given),
    status: failed ? { code: 2 } : {},
  };
}

function attributes(given: OtlpAttributes): object[] {
  return Object.entries(given).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}
