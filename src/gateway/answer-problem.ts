import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { isProblem, type Problem, ProblemError, problem } from '../problems/problem.js';
import { type Code, type CodeEntry, registry } from '../problems/registry.js';
import { factsOf } from './request.js';

/** The last handler: whatever was thrown leaves as application/problem+json; unforeseen errors are logged, not shown. */
export function problemHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const known = foreseen(error);
    const { id: requestId } = factsOf(response);
    if (known === undefined) log.error({ requestId, err: error }, 'Unexpected error');
    else if (isOperators(known)) log.error({ requestId, problem: known }, known.title);
    if (response.headersSent) response.destroy();
    else sendProblem(response, outward(known ?? problem('INTERNAL')));
  };
}

/** Problems that only the operator should see in full: the details name files, variables and addresses. */
const operators: readonly string[] = [
  'SECRET_UNKNOWN',
  'SECRET_UNAVAILABLE',
  'TEMPORAL_UNREACHABLE',
  'TEMPORAL_NAMESPACE_UNKNOWN',
] satisfies Code[];

function isOperators({ code }: Problem): boolean {
  return operators.includes(code);
}

/** A problem as a caller may see it. */
function outward(it: Problem): Problem {
  return isOperators(it) ? problem(it.code as Code) : it;
}

/** Answers with a problem whose `instance` is the request's id. */
export function sendProblem(response: Response, it: Problem): void {
  const facts = factsOf(response);
  facts.code = it.code;
  if (it.status === 401) response.set('WWW-Authenticate', 'Bearer realm="journeyman"');
  if (it.status === 503 || it.status === 429) response.set('Retry-After', String(it.retryAfterSec ?? 1));
  response
    .status(it.status)
    .type('application/problem+json')
    .send(JSON.stringify(complete(it, facts.id)));
}

/** A problem with the hint its code has and the request it belongs to. */
export function complete(it: Problem, instance: string): Problem {
  const entry: CodeEntry | undefined = Object.hasOwn(registry, it.code) ? registry[it.code as Code] : undefined;
  return { ...(entry?.hint === undefined ? {} : { hint: entry.hint }), ...it, instance };
}

function foreseen(error: unknown): Problem | undefined {
  if (error instanceof ProblemError) return error.problem;
  const { problem: carried, type, status, limit } = (error ?? {}) as Record<string, unknown>;
  if (isProblem(carried)) return carried;
  if (error instanceof URIError) return problem('URL_INVALID');
  switch (type) {
    case 'entity.too.large':
      return problem('BODY_TOO_LARGE', `The limit is ${String(limit)} bytes.`, {
        hint: 'Send less, or raise gateway.bodyLimit in the configuration.',
      });
    case 'encoding.unsupported':
      return problem('CONTENT_TYPE_UNSUPPORTED', 'Compressed bodies are not read.', {
        hint: 'Leave Content-Encoding out.',
      });
    case 'request.aborted':
    case 'request.size.invalid':
      return problem('REQUEST_INVALID', 'The body is shorter or longer than its Content-Length.');
    default:
      return status === 400 ? problem('REQUEST_INVALID') : undefined;
  }
}
