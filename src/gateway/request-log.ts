import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.js';
import { factsOf } from './request.js';

/** What machines ask all the time. */
const quiet = new Set(['/healthz', '/readyz', '/metrics']);

/** Counts the request and writes one line when it is over: no body, no header, no query, because these may hold what must not be kept. */
export function logRequest(log: Logger, metrics: Metrics, request: Request, response: Response): void {
  const began = performance.now();
  const { method, path } = request;
  response.once('close', () => {
    const { id, address, principal, run, code } = factsOf(response);
    const status = response.statusCode;
    const ms = performance.now() - began;
    metrics.answered(method, status, ms / 1000);
    const line = {
      requestId: id,
      method,
      path,
      status,
      ms: Math.round(ms),
      caller: principal.id,
      address,
      ...(run === undefined ? {} : { run }),
      ...(code === undefined ? {} : { code }),
      ...(response.writableFinished ? {} : { aborted: true }),
    };
    if (status >= 500) log.error(line, 'request');
    else if (quiet.has(path)) log.debug(line, 'request');
    else log.info(line, 'request');
  });
}
