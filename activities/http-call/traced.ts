import type { Tracer } from '../../src/service/tracing.js';
import type { HttpRequest, HttpResult } from '../../src/tasks/http-call/request.js';
import type { Destination } from './exchange.js';

/**
 * A request with the trace it belongs to in its headers, unless the author put another there. Where spans are recorded it has one of its
 * own, from now until `end`: the method, whom it asks and the status, never a path or a value.
 */
export function traced(
  request: HttpRequest,
  { origin }: Destination,
  tracer: Tracer | undefined,
): { request: HttpRequest; end(result: HttpResult): void } {
  const { trace, method, operation } = request;
  if (!trace) return { request, end: () => undefined };
  const span = trace.run === undefined ? undefined : tracer?.calls(trace);
  const context = span?.context ?? trace;
  const headers = {
    ...(context.parent !== undefined && { traceparent: context.parent }),
    ...(context.state !== undefined && { tracestate: context.state }),
  };
  const kept = request.headers.traceparent === undefined ? { ...headers, ...request.headers } : request.headers;
  return {
    request: { ...request, headers: kept },
    end: ({ status, error }) => {
      const { hostname, port, protocol } = new URL(origin);
      span?.end({
        name: operation === undefined ? method : `${method} ${operation}`,
        attributes: {
          'http.request.method': method,
          'server.address': hostname,
          'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
          ...(trace.at !== undefined && { 'journey.state': trace.at }),
          ...(trace.run !== undefined && { 'journey.id': trace.run }),
        },
        ...(status !== undefined && { status }),
        ...(error && { error: error.type }),
      });
    },
  };
}
