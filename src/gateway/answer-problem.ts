import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { Json } from '../json/value.js';
import { isProblem, type Problem, ProblemError, problem } from '../problems/problem.js';
import { type Code, type CodeEntry, registry } from '../problems/registry.js';
import { enveloped } from '../service/envelope.js';
import type { Platform } from '../service/platform.js';
import { factsOf } from './request.js';

/** The last handler: whatever was thrown leaves as application/problem+json; unforeseen errors are logged, not shown. */
export function problemHandler(log: Logger, platform: Platform): ErrorRequestHandler {
  return async (error: unknown, _request, response, _next) => {
    const known = foreseen(error);
    const { id: requestId } = factsOf(response);
    if (known === undefined) log.error({ requestId, err: error }, 'Unexpected error');
    else if (isOperators(known)) log.error({ requestId, problem: known }, known.title);
    if (response.headersSent) return void response.destroy();
    const it = outward(known ?? problem('INTERNAL'));
    const body = await ownBody(response, it, platform).catch((err) => {
      log.error({ requestId, err }, 'The mapper of an error envelope failed');
      return undefined;
    });
    sendProblem(response, it, body);
  };
}

/** The body in the journey's own words, where it has some. */
async function ownBody(response: Response, it: Problem, platform: Platform): Promise<Json | undefined> {
  const { definition, id } = factsOf(response);
  return definition && (await enveloped(definition, complete(it, id), platform));
}

/** Problems that only the operator should see in full: the details name files, variables and addresses. */
const operators: readonly string[] = [
  'SECRET_UNKNOWN',
  'SECRET_UNAVAILABLE',
  'PAYLOAD_KEY_UNKNOWN',
  'PAYLOAD_UNREADABLE',
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

/** Answers with a problem whose `instance` is the request's id, or with `body` in its place. */
function sendProblem(response: Response, it: Problem, body: Json | undefined): void {
  const facts = factsOf(response);
  facts.code = it.code;
  if (it.status === 401) response.set('WWW-Authenticate', 'Bearer realm="journeyman"');
  if (it.status === 503 || it.status === 429) response.set('Retry-After', String(it.retryAfterSec ?? 1));
  response
    .status(it.status)
    .type(body === undefined ? 'application/problem+json' : 'application/json')
    .send(JSON.stringify(body === undefined ? complete(it, facts.id) : body));
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
