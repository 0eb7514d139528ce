import { randomUUID } from 'node:crypto';
import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { emptyObject, type Json } from '../base/json/value.js';
import { isProblem, type Problem, ProblemError, problem, problemJson } from '../base/problems/problem.js';
import { type Code, type CodeEntry, registry } from '../base/problems/registry.js';
import type { Definition } from '../engine/definition/definition.js';
import { defaultLimits } from '../expressions/expression-engine-interface.js';
import { compileExpression } from '../expressions/index.js';
import { declaredConfig, type Platform } from '../service/check-platform-config.js';
import { bodyTooLarge } from './request-body.js';
import { factsOf } from './request-facts.js';

/** The last handler: answers every error as application/problem+json. Unexpected errors are logged, not shown. */
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

/** The body by the journey's own error envelope, if it has one. */
async function ownBody(response: Response, it: Problem, platform: Platform): Promise<Json | undefined> {
  const { definition, id } = factsOf(response);
  return definition && (await errorEnvelope(definition, completeProblem(it, id), platform));
}

/** Problems whose details only operators see, because they name files, variables and addresses. */
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

/** Removes details that callers must not see. */
function outward(it: Problem): Problem {
  return isOperators(it) ? problem(it.code as Code) : it;
}

/** Sends a problem with the request's id as `instance`, or `body` instead. */
function sendProblem(response: Response, it: Problem, body: Json | undefined): void {
  const facts = factsOf(response);
  facts.code = it.code;
  if (it.status === 401) response.set('WWW-Authenticate', 'Bearer realm="journeyman"');
  if (it.status === 503 || it.status === 429) response.set('Retry-After', String(it.retryAfterSec ?? 1));
  response
    .status(it.status)
    .type(body === undefined ? 'application/problem+json' : 'application/json')
    .send(JSON.stringify(body === undefined ? completeProblem(it, facts.id) : body));
}

/** Adds the hint of the code and the request id to a problem. */
export function completeProblem(it: Problem, instance: string): Problem {
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
      return bodyTooLarge(Number(limit));
    case 'encoding.unsupported':
      return problem('CONTENT_TYPE_UNSUPPORTED', 'Compressed bodies are not supported.', {
        hint: 'Omit Content-Encoding.',
      });
    case 'request.aborted':
    case 'request.size.invalid':
      return problem('REQUEST_INVALID', 'The body is shorter or longer than its Content-Length.');
    default:
      return status === 400 ? problem('REQUEST_INVALID') : undefined;
  }
}

/** The error body of a journey with its own envelope. Rejects if its mapper fails. */
async function errorEnvelope(definition: Definition, it: Problem, platform: Platform): Promise<Json | undefined> {
  const mapper = definition.errors?.envelope;
  if (!mapper) return undefined;
  const { name, kind, version } = definition;
  const error = problemJson(it);
  const bindings = {
    context: emptyObject(),
    payload: error,
    error,
    platform: {
      environment: platform.environment,
      journey: { name, kind, version },
      run: null,
      config: declaredConfig(definition, platform),
    },
  };
  const compiled = compileExpression(mapper, { kind: 'error', bindings: Object.keys(bindings) });
  const env = { now: Date.now(), uuid: () => randomUUID(), random: () => Math.random() };
  return await compiled.evaluate(bindings, env, defaultLimits);
}
