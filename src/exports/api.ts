import { apiBase, apiMethod, urlPath } from '../definition/api-path.js';
import type { ApiResponseRule, ApiStatus, Definition } from '../definition/definition.js';
import type { Json, JsonObject } from '../json/value.js';
import { operationOf, responseOf } from './document.js';
import { envelopedResponses } from './errors.js';
import { declarations, type Surface, type SurfaceOptions, startBody } from './journey.js';
import { credentialsAfter, requestParameters } from './parameters.js';
import { anyOf } from './schemas.js';

type Phase = 'SUCCEEDED' | 'FAILED';

const failure = 'The Api failed, and its rules chose this status.';
const serverFault = /^5/;

/** The one operation of a `kind: Api`, at its own route. */
export function apiSurface(definition: Definition, { base, prefix, root }: SurfaceOptions): Surface {
  const { schemas, declare } = declarations(definition.name, prefix);
  const template = operationOf(base, `${apiBase}/apis/{name}`, 'post');
  const { 200: _, ...refusals } = template.responses as JsonObject;
  const output = definition.output?.schema === undefined ? true : declare('output', definition.output.schema);
  const failures = statusesOf(definition, 'FAILED');
  const errors = Object.fromEntries(failures.map((status) => [status, failing(status)]));
  const plain: JsonObject = { ...refusals, ...errors };
  const responses = definition.errors?.envelope ? envelopedResponses(plain, base, failures) : plain;
  for (const status of statusesOf(definition, 'SUCCEEDED')) responses[status] = succeeding(responses[status], output);
  const value: JsonObject = {
    ...template,
    operationId: `${prefix}_call`,
    tags: [definition.name],
    summary: `Call ${definition.name}`,
    description: [definition.description, 'One request, one answer, no instance.'].filter(Boolean).join('\n\n'),
    parameters: requestParameters(definition.http.start, credentialsAfter(definition)),
    responses: withoutBodies(responses),
  };
  const method = apiMethod(definition) === 'GET' ? 'get' : 'post';
  if (method === 'post') value.requestBody = startBody(definition, declare);
  else delete value.requestBody;
  const path = `${root}${urlPath(definition).slice(apiBase.length)}`;
  return { operations: [{ path, method, value }], schemas };

  /** A failure of the Api, beside what the same status may also mean. */
  function failing(status: string): Json {
    if (status === 'default' || serverFault.test(status)) return refusals[status] ?? refusals.default!;
    const also = refusals[status];
    const it = responseOf(base, also ?? refusals.default!);
    return { ...it, description: also ? `${failure} Or: ${String(it.description)}` : failure };
  }

  /** A success beside what the same status may also mean. */
  function succeeding(also: Json | undefined, schema: Json): JsonObject {
    if (also === undefined) return { description: 'The Api’s output.', content: { 'application/json': { schema } } };
    const it = responseOf(base, also);
    const content = it.content as JsonObject;
    const same = (content['application/json'] as JsonObject | undefined)?.schema;
    const json = same === undefined ? schema : anyOf([schema, same]);
    return {
      ...it,
      description: `The Api’s output, or: ${String(it.description)}`,
      content: { ...content, 'application/json': { schema: json } },
    };
  }
}

/** The statuses that an end of this phase can have; `default` where an expression chooses. */
function statusesOf({ http, execution }: Definition, phase: Phase): string[] {
  const { rules = [], default: fallback } = http.apiResponses ?? {};
  const found = new Set<string>();
  // A rule that cannot be evaluated is a fault of the Api.
  if (phase === 'FAILED') found.add('500');
  for (const rule of rules) {
    if (!canMatch(rule, phase)) continue;
    found.add(statusOf(rule));
    if (!rule.predicate && rule.errorType === undefined) return [...found];
  }
  const last = fallback?.[phase];
  if (last) found.add(statusOf(last));
  else if (phase === 'SUCCEEDED') found.add('200');
  else if (execution) found.add('504');
  return [...found];
}

function canMatch(rule: ApiResponseRule, phase: Phase): boolean {
  if (rule.phase !== undefined && rule.phase !== phase) return false;
  return phase === 'FAILED' || rule.errorType === undefined;
}

function statusOf(rule: ApiStatus): string {
  if (!('status' in rule)) return 'default';
  return rule.status < 200 ? '500' : String(rule.status);
}

/** Answers that HTTP sends without a body. */
function withoutBodies(responses: JsonObject): JsonObject {
  for (const [status, response] of Object.entries(responses)) {
    if (!/^(204|205|304)$/.test(status)) continue;
    const { content: _, ...rest } = response as JsonObject;
    responses[status] = rest;
  }
  return responses;
}
