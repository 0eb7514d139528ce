import { didYouMean } from '../../base/document/did-you-mean.js';
import type { Place } from '../../base/document/placed-value.js';
import {
  describeType,
  headerName,
  ifDefined,
  isBlock,
  list,
  oneOf,
  optionalText,
  text,
} from '../../base/document/read-fields.js';
import { apiBase, fullPath, reservedSegment, routePathFault } from '../../engine/definition/api-routes.js';
import type { ApiResponseRule, ApiStatus, HttpBinding, InboundBinding } from '../../engine/definition/definition.js';
import type { Reading } from '../read/document-reading-state.js';
import {
  conditionKeys,
  expression,
  expressionOrRef,
  hasCondition,
  predicateIn,
} from '../read/read-expressions-and-mappers.js';

/** Reads `spec.bindings`. Only `http` and `cli` are supported; the experimental transports are refused. */
export function readBindings(spec: Place, reading: Reading, steps: ReadonlySet<string>): HttpBinding {
  const place = spec.at('bindings');
  isBlock(place, 'BINDING_SHAPE', 'bindings');
  for (const [id, binding] of place.entries()) if (id !== 'http') checkTransport(id, binding, reading.kind);
  return readHttp(place.at('http'), reading, steps);
}

function readHttp(place: Place, reading: Reading, steps: ReadonlySet<string>): HttpBinding {
  if (isBlock(place, 'BINDING_SHAPE', 'bindings.http'))
    place.only(
      ['route', 'start', 'steps', 'apiResponses'],
      // An error: if `security` were ignored with a warning, the author would believe that the journey is protected.
      (key) => (key === 'security' ? 'error' : 'warning'),
      (key) => (key === 'security' ? 'Callers are authenticated by task states such as jwtValidate:v1.' : undefined),
    );
  const route = readRoute(place.at('route'), reading.kind);
  const out: HttpBinding = {
    start: { ...readInbound(place.at('start'), ['pathToContext']), ...readPath(place, route) },
    steps: Object.create(null) as Record<string, InboundBinding>,
    ...ifDefined('route', route),
    ...ifDefined('apiResponses', readApiResponses(place.at('apiResponses'), reading)),
  };
  checkSteps(place.at('steps'), steps);
  for (const [id, step] of place.at('steps').entries()) out.steps[id] = readInbound(step);
  return out;
}

function readRoute(place: Place, kind: Reading['kind']): HttpBinding['route'] {
  if (place.value === undefined) return undefined;
  if (kind === 'Journey')
    place.error('ROUTE_ON_JOURNEY', 'A journey is reached through the journeys API.', undefined, 'key');
  if (!isBlock(place, 'ROUTE_PATH', 'route')) return undefined;
  place.only(['path', 'method'], 'warning');
  const method = place.at('method');
  if (method.value !== undefined && method.value !== 'POST' && method.value !== 'GET')
    method.error('ROUTE_METHOD', `method must be POST or GET, not ${describeType(method.value)}.`);
  if (method.value === 'GET' && !method.report.compat) method.error('ROUTE_EXTENSION', 'The language has POST only.');
  const path = optionalText(place.at('path'), 'ROUTE_PATH', 'route.path');
  if (path === undefined) return undefined;
  const fault = routePathFault(path);
  if (fault) place.at('path').error('ROUTE_PATH', fault.why, fault.hint);
  const own = reservedSegment(fullPath(path));
  if (own !== undefined)
    place.at('path').error('ROUTE_RESERVED', `Paths below ${apiBase}/${own} are the gateway’s own.`);
  return { path, method: method.value === 'GET' ? 'GET' : 'POST' };
}

/** Reads the path parameters of an Api. In the path of a GET, braces without an entry in pathToContext are an error: the value would be lost. */
function readPath(http: Place, route: HttpBinding['route']): Pick<InboundBinding, 'pathToContext'> {
  const place = http.at('start').at('pathToContext');
  const inPath = new Set([...(route?.path ?? '').matchAll(/(?<=\/)\{([^/{}]+)\}(?=\/|$)/g)].map((match) => match[1]!));
  const out = names(place, false);
  if (place.value !== undefined && !place.report.compat)
    place.error('ROUTE_EXTENSION', 'The language has no parameters in a path.', undefined, 'key');
  const colons = new Set((route?.path ?? '').split('/'));
  for (const name of Object.keys(out)) {
    if (inPath.has(name)) continue;
    const hint = colons.has(`:${name}`) ? `Write {${name}} instead of :${name}.` : didYouMean(name, inPath);
    place.at(name).error('ROUTE_PARAMETER', `route.path has no part {${name}}.`, hint, 'key');
  }
  for (const name of route?.method === 'GET' ? inPath : [])
    if (!Object.hasOwn(out, name))
      http.at('route').at('path').error('ROUTE_PARAMETER', `pathToContext has no entry for {${name}}.`);
  return place.value === undefined ? {} : { pathToContext: out };
}

function readInbound(place: Place, more: readonly string[] = []): InboundBinding {
  if (isBlock(place, 'BINDING_SHAPE', 'The binding'))
    place.only(['headersToContext', 'queryToContext', 'headersPassthrough', ...more], 'warning');
  const passthrough = list(place.at('headersPassthrough'), 'BINDING_SHAPE', 'headersPassthrough').flatMap((item) => {
    item.only(['from', 'to'], 'warning');
    const from = text(item.at('from'), 'BINDING_SHAPE', 'from');
    const to = text(item.at('to'), 'BINDING_SHAPE', 'to');
    return from !== undefined && to !== undefined ? [{ from, to }] : [];
  });
  return {
    headersToContext: names(place.at('headersToContext'), true),
    queryToContext: names(place.at('queryToContext'), false),
    headersPassthrough: passthrough,
  };
}

function names(place: Place, headers: boolean): Record<string, string> {
  const out = Object.create(null) as Record<string, string>;
  isBlock(place, 'BINDING_SHAPE', 'The binding');
  for (const [name, field] of place.entries()) {
    if (headers && !headerName(name)) field.error('BINDING_SHAPE', `"${name}" is not a header name.`, undefined, 'key');
    const to = text(field, 'BINDING_SHAPE', 'The context field');
    if (to?.split('.').includes('')) field.error('PATH_SYNTAX', `The context field is not a dot path: "${to}".`);
    if (to !== undefined) out[name] = to;
  }
  return out;
}

function readApiResponses(place: Place, reading: Reading): HttpBinding['apiResponses'] {
  if (place.value === undefined) return undefined;
  if (reading.kind === 'Journey')
    place.error('APIRESP_ON_JOURNEY', 'A journey answers with its own envelopes.', undefined, 'key');
  if (!isBlock(place, 'APIRESP_STATUS', 'apiResponses')) return undefined;
  place.only(['rules', 'default'], 'warning');
  const rules = list(place.at('rules'), 'APIRESP_STATUS', 'rules').flatMap((rule) => readRule(rule, reading) ?? []);
  const fallback = place.at('default');
  if (isBlock(fallback, 'APIRESP_DEFAULT', 'default', 'Write default: { SUCCEEDED: 200, FAILED: 500 }.'))
    fallback.only(['SUCCEEDED', 'FAILED'], 'warning');
  const succeeded = defaultStatus(fallback.at('SUCCEEDED'), reading);
  const failed =
    fallback.at('FAILED').value === 'fromProblemStatus' ? undefined : defaultStatus(fallback.at('FAILED'), reading);
  const both = { ...ifDefined('SUCCEEDED', succeeded), ...ifDefined('FAILED', failed) };
  return { rules, ...(Object.keys(both).length > 0 ? { default: both } : {}) };
}

function readRule(place: Place, reading: Reading): ApiResponseRule | undefined {
  place.only(['when', 'status', 'statusExpr'], 'warning');
  const when = place.at('when');
  when.only(['phase', 'errorType', ...conditionKeys], 'warning');
  const phase = when.object
    ? oneOf(when.at('phase'), ['SUCCEEDED', 'FAILED'], 'APIRESP_PHASE', 'when.phase')
    : undefined;
  if (!when.object) place.error('APIRESP_PHASE', 'The rule needs when with a phase.', undefined, 'key');
  const errorType = optionalText(when.at('errorType'), 'APIRESP_PHASE', 'when.errorType');
  if (errorType !== undefined && phase === 'SUCCEEDED')
    when.at('errorType').error('APIRESP_PHASE', 'A success has no errorType.', undefined, 'key');
  const site = { kind: 'predicate' as const, reading, bindings: ['output'] };
  const matches = when.object && hasCondition(when) ? predicateIn(when, site) : undefined;
  const answer = readStatus(place, reading);
  return (
    answer && {
      ...ifDefined('phase', phase),
      ...ifDefined('errorType', errorType),
      ...ifDefined('predicate', matches),
      ...answer,
    }
  );
}

function readStatus(place: Place, reading: Reading): ApiStatus | undefined {
  if (place.has('status') === place.has('statusExpr')) {
    place.error('APIRESP_STATUS', 'The rule needs exactly one of status and statusExpr.', undefined, 'key');
    return undefined;
  }
  if (place.has('status')) return statusCode(place.at('status'), 'APIRESP_STATUS');
  const site = { kind: 'statusExpr' as const, reading, bindings: ['output'] };
  const statusExpr = expressionOrRef(place.at('statusExpr'), site);
  return statusExpr && { statusExpr };
}

function defaultStatus(place: Place, reading: Reading): ApiStatus | undefined {
  if (place.value === undefined) return undefined;
  if (!place.object) return statusCode(place, 'APIRESP_DEFAULT');
  const statusExpr = expression(place, { kind: 'statusExpr', reading, bindings: ['output'] });
  return statusExpr && { statusExpr };
}

function statusCode(place: Place, code: 'APIRESP_STATUS' | 'APIRESP_DEFAULT'): ApiStatus | undefined {
  const { value } = place;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 599) {
    if (value < 200) place.warn(code, 'A 1xx status is not a final response: the Api would answer 500.');
    return { status: value };
  }
  place.error(code, `A status is a whole number from 100 to 599, not ${describeType(value)}.`);
  return undefined;
}

/** Inbound transports that are part of the language but not supported, with the only kind that may have each, if there is one. */
const transports: ReadonlyMap<string, Reading['kind'] | undefined> = new Map([
  ['websocket', 'Journey'],
  ['queue', 'Journey'],
  ['grpc', 'Api'],
  ['function', undefined],
]);

/** Checks a binding other than HTTP. `cli` is accepted and has no fields; the others are refused. */
function checkTransport(id: string, place: Place, kind: Reading['kind']): void {
  if (id === 'cli') {
    if (isBlock(place, 'BINDING_SHAPE', 'bindings.cli')) place.only([], 'error');
    return;
  }
  if (!transports.has(id)) {
    const hint = didYouMean(id, ['http', 'cli', ...transports.keys()]);
    place.error('BINDING_UNSUPPORTED', `There is no binding "${id}".`, hint, 'key');
    return;
  }
  const only = transports.get(id) ?? kind;
  if (only !== kind) place.error('BINDING_KIND', `${id} is for kind ${only} only.`, undefined, 'key');
  else place.error('BINDING_UNSUPPORTED', `This release does not serve ${id}.`, undefined, 'key');
}

/** Checks that the steps named in a binding are steps of the journey. */
function checkSteps(place: Place, steps: ReadonlySet<string>): void {
  isBlock(place, 'BINDING_SHAPE', 'steps');
  for (const [id, step] of place.entries())
    if (!steps.has(id))
      step.error('BINDING_STEP_UNKNOWN', `There is no wait or webhook state "${id}".`, didYouMean(id, steps), 'key');
}
