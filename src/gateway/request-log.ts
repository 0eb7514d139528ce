import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { factsOf } from './request.js';

/** Writes one line when the request is over: no body, no header, no query, because these may hold what must not be kept. */
export function logRequest(log: Logger, request: Request, response: Response): void {
  const began = performance.now();
  const { method, path } = request;
  response.once('close', () => {
    const { id, address, principal, run, code } = factsOf(response);
    const status = response.statusCode;
    const line = {
      requestId: id,
      method,
      path,
      status,
      ms: Math.round(performance.now() - began),
      caller: principal.id,
      address,
      ...(run === undefined ? {} : { run }),
      ...(code === undefined ? {} : { code }),
      ...(response.writableFinished ? {} : { aborted: true }),
    };
    if (status >= 500) log.error(line, 'request');
    else if (path === '/healthz' || path === '/readyz') log.debug(line, 'request');
    else log.info(line, 'request');
  });
}
