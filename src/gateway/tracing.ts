import type { RequestHandler } from 'express';
import { type Tracer, traceOf } from '../service/tracing.js';
import { factsOf } from './request.js';

/** Reads the trace that a request belongs to; where spans are recorded, the request has one, and what it starts belongs to that. */
export function tracing(tracer: Tracer | undefined): RequestHandler {
  return (request, response, next) => {
    const from = traceOf(request.headers);
    const span = tracer?.arrived(from);
    const context = span?.context ?? from;
    if (context) factsOf(response).trace = context;
    if (span)
      response.once('close', () => {
        const { run } = factsOf(response);
        const route = (request.route as { path?: string } | undefined)?.path;
        span.end({
          name: route === undefined ? request.method : `${request.method} ${route}`,
          attributes: {
            'http.request.method': request.method,
            ...(route !== undefined && { 'http.route': route }),
            ...(run !== undefined && { 'journey.id': run }),
          },
          status: response.statusCode,
        });
      });
    next();
  };
}
