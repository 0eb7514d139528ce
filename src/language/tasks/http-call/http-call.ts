import type { Place } from '../../../base/document/placed-value.js';
import {
  describeType,
  ifDefined,
  optionalBoolean,
  optionalIdentifier,
  optionalInteger,
  optionalOneOf,
  optionalText,
} from '../../../base/document/read-fields.js';
import { fixed, mapperFields, part, shape, textOf, wholeOf, wordOf } from '../../../base/document/schema-builders.js';
import type { Json } from '../../../base/json/value.js';
import type { TimeScale } from '../../../base/time/time-scale.js';
import type { Expression, Target, Task, Template } from '../../../engine/definition/definition.js';
import { hasPlaceholder } from '../../../engine/definition/parse-template.js';
import { maxLocalActivityMs } from '../../../engine/host.js';
import { objectShape, type Shape, unionShape, withShape } from '../../../expressions/value-shape.js';
import {
  type CostRange,
  exactly,
  localActivity,
  ordinaryActivity,
  orElse,
  plus,
} from '../../analysis/cost/cost-counters.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import {
  type AuthPolicy,
  authPolicy,
  type RetryPolicy,
  readOnUncertain,
  retryPolicy,
} from '../../read/read-call-policies.js';
import { mapper, mapperIn, mapperKeys, siteIn, siteOf } from '../../read/read-expressions-and-mappers.js';
import { readTarget } from '../../read/read-mapper-target.js';
import { checkLiteral, template } from '../../read/read-templates.js';
import { type StateFlow, variable, written } from '../../states/context-reads-and-writes.js';
import { none, type ServiceCall, type TaskCredential, type TaskKind } from '../task-kind.js';
import { executeHttpCall } from './execute-http-call.js';
import { readSign, type Signing, signSchema } from './read-request-signing.js';
import { readBinding } from './read-url-or-operation.js';
import { defaultTimeoutMs, safeMethods } from './request-and-result-types.js';
import { virtualHttpEffect } from './virtual-http-effect.js';

/** An HTTP call, normalised. */
export interface HttpCallTask extends Task {
  kind: 'httpCall:v1';
  mode: 'requestResponse' | 'notify';
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute after interpolation. An operation's path keeps its `{name}` slots, filled (percent-encoded) from `path`. */
  url: Template;
  /** `<api>.<operationId>` where the call came from an operationRef; for summaries and scenario backends. */
  operation?: string;
  path: Record<string, Template>;
  query: Record<string, Template>;
  headers: Record<string, Template>;
  body?: { mapper: Expression } | { text: Template } | { json: Json };
  accept: string;
  timeoutMs: number;
  resultVar?: string;
  errorMapping?: { mapper: Expression; target: Target };
  retry?: RetryPolicy;
  authPolicy?: AuthPolicy;
  useJar?: boolean;
  sign?: Signing & { over?: Expression };
  /** Forces a local or an ordinary activity; by default the method decides. */
  run?: 'local' | 'activity';
}

/** JSON Schema of `httpCall:v1`. */
const schema = {
  ...shape(
    'Calls an HTTP service and stores status, headers and body in resultVar. A failed call is data; it never ends the run.',
    {
      kind: fixed('httpCall:v1', 'The kind of task.'),
      mode: {
        ...wordOf('notify sends the request and ignores the response.', 'requestResponse', 'notify'),
        default: 'requestResponse',
      },
      operationRef: textOf('<api>.<operationId>, of an API declared in spec.apis. Excludes method and url.'),
      method: wordOf(
        'The method of a call by URL. PATCH is an extension, refused by --strict.',
        'GET',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
      ),
      url: textOf('An absolute URL; ${context.<path>} is replaced, percent-encoded except at the beginning.'),
      params: shape('Values for the operation’s parameters.', {
        path: part('texts', 'Parameters in the path.'),
        query: part('texts', 'Parameters in the query.'),
        headers: part('texts', 'Parameters in headers; they win over headers.'),
        body: { description: 'Old place of body.', deprecated: true },
      }),
      headers: part('texts', 'Request headers; they win over spec.defaults.http.headers.'),
      body: {
        description: 'A text (placeholders replaced), an object or list (sent as JSON), or a mapper.',
        type: ['string', 'object', 'array'],
      },
      accept: { ...textOf('The Accept header; application/json by default.'), default: 'application/json' },
      timeoutMs: { ...wholeOf('How long to wait for the answer; 10000 by default.'), default: defaultTimeoutMs },
      resultVar: part('identifier', 'The context variable that takes status, ok, headers, body and error.'),
      resiliencePolicyRef: textOf('A policy of spec.policies.httpResilience.'),
      onUncertain: {
        ...wordOf(
          'What follows an attempt of an unsafe call that may have taken effect: repeat (default) makes it again, by the policy or because the worker was lost; fail does not. It wins over the policy’s. An extension, refused by --strict.',
          'repeat',
          'fail',
        ),
        default: 'repeat',
      },
      auth: shape('Outbound authentication.', { policyRef: textOf('A policy of spec.policies.httpClientAuth.') }, [
        'policyRef',
      ]),
      errorMapping: shape(
        'A transform that runs only when the call was not ok; payload is the HTTP result.',
        {
          when: fixed('nonOk', 'When it runs: no answer, or one that is not 2xx.'),
          ...mapperFields,
          target: part('target'),
          resultVar: part('identifier', 'The context variable that takes the value.'),
        },
        ['when'],
      ),
      cookies: shape('Use of the run’s cookie jar.', {
        useJar: { type: 'boolean', description: 'true by default where there is a jar.', default: true },
      }),
      sign: signSchema,
      run: wordOf('Forces how the call runs; by default its method decides.', 'local', 'activity'),
    },
    [],
  ),
  oneOf: [{ required: ['operationRef'] }, { required: ['method', 'url'] }],
  examples: [
    {
      kind: 'httpCall:v1',
      operationRef: 'shop.releaseStock',
      params: { path: { reservationId: '${context.reservationId}' } },
      timeoutMs: 2000,
      resiliencePolicyRef: 'patient',
      resultVar: 'release',
    },
    {
      kind: 'httpCall:v1',
      method: 'POST',
      url: 'https://pay.example.com/charges',
      headers: { 'X-Channel': 'web' },
      body: { mapper: { lang: 'dataweave', expr: '{ amount: context.total }' } },
      accept: 'application/json',
      auth: { policyRef: 'partner' },
      sign: {
        algorithm: 'hmac-sha256',
        secretRef: 'secret://pay/signing',
        header: 'X-Signature',
        prefix: 'sha256=',
        encoding: 'hex',
        over: { mapper: { lang: 'dataweave', expr: 'request.body' } },
      },
      errorMapping: {
        when: 'nonOk',
        mapper: { lang: 'dataweave', expr: '{ code: payload.status }' },
        target: { kind: 'var' },
        resultVar: 'failure',
      },
      cookies: { useJar: false },
      run: 'activity',
      onUncertain: 'fail',
      resultVar: 'charge',
    },
    {
      kind: 'httpCall:v1',
      method: 'GET',
      url: 'https://shop.example.com/orders',
      params: { query: { page: 2 }, headers: { 'X-Channel': 'web' } },
      resultVar: 'orders',
    },
    {
      kind: 'httpCall:v1',
      mode: 'notify',
      method: 'POST',
      url: 'https://log.example.com/events',
      body: { event: 'order-paid' },
    },
  ],
};

/** An HTTP call, by URL or by OpenAPI operation. */
export const httpCall: TaskKind<HttpCallTask> = {
  kind: 'httpCall:v1',
  isExtension: false,
  impliedBy: ['operationRef', 'url'],
  schema,
  read,
  run: executeHttpCall,
  effect: virtualHttpEffect,
  cost,
  caption: ({ operation, method, url }) => operation ?? `${method} ${url.replace(/^https?:\/\//, '')}`,
  data: {
    reads: () => [],
    writes: ({ resultVar, errorMapping }) => [...variable(resultVar), ...(errorMapping ? [errorMapping.target] : [])],
    after,
  },
  call,
  credential,
  scheduledStart: none,
  stops: none,
  failures,
  scale,
};

/** Reads the task block. */
export function read(block: Place, within: GraphReading): HttpCallTask | undefined {
  const { reading } = within;
  const mode = optionalOneOf(block.at('mode'), ['requestResponse', 'notify'], 'HTTP_MODE', 'mode') ?? 'requestResponse';
  const binding = readBinding(block, within);
  const body = readBody(block, within);
  if (binding && (binding.method === 'GET' || binding.method === 'HEAD') && body)
    block
      .at(block.has('body') ? 'body' : 'params')
      .error('HTTP_BODY_ON_GET', `A ${binding.method} has no body.`, undefined, 'key');
  const resultVar = optionalIdentifier(block.at('resultVar'), 'resultVar');
  const errorMapping = block.has('errorMapping') ? readErrorMapping(block.at('errorMapping'), within) : undefined;
  checkMode(block, mode);
  const timeoutMs =
    optionalInteger(block.at('timeoutMs'), 'HTTP_TIMEOUT', 'timeoutMs') ??
    reading.defaults.timeoutMs ??
    defaultTimeoutMs;
  const accept = optionalText(block.at('accept'), 'FIELD_TYPE', 'accept') ?? 'application/json';
  const auth = readAuth(block, within);
  const useJar = readCookies(block);
  const sign = readSign(block.at('sign'), within);
  const run = optionalOneOf(block.at('run'), ['local', 'activity'], 'HTTP_RUN', 'run');
  const { onUncertain: usual, ...retry } = retryOf(block, within) ?? {};
  const onUncertain = readOnUncertain(block.at('onUncertain')) ?? usual;
  if (onUncertain === 'fail' && run === 'local')
    block.at('run').error('HTTP_RUN', 'A call with onUncertain: fail cannot be a local activity.', 'Remove run.');
  if (!binding) return undefined;
  return {
    kind: 'httpCall:v1',
    mode,
    ...binding,
    ...ifDefined('body', body),
    accept,
    timeoutMs,
    ...ifDefined('resultVar', resultVar),
    ...ifDefined('errorMapping', errorMapping),
    ...ifDefined('retry', mode === 'notify' || !('backoff' in retry) ? undefined : retry),
    ...ifDefined('onUncertain', onUncertain === 'fail' ? onUncertain : undefined),
    ...ifDefined('authPolicy', auth),
    ...ifDefined('useJar', useJar),
    ...ifDefined('sign', sign),
    ...ifDefined('run', run),
  };
}

function checkMode(block: Place, mode: HttpCallTask['mode']): void {
  if (mode === 'notify') {
    if (block.has('resultVar'))
      block.at('resultVar').error('NOTIFY_RESULTVAR', 'A notification has no result.', undefined, 'key');
    if (block.has('errorMapping'))
      block.at('errorMapping').error('NOTIFY_ERRORMAPPING', 'A notification has no error result.', undefined, 'key');
    if (block.has('resiliencePolicyRef'))
      block
        .at('resiliencePolicyRef')
        .warn('NOTIFY_RESILIENCE', 'A notification is sent once, whatever the policy says.', undefined, 'key');
  } else if (!block.has('resultVar'))
    block.warn('RESULT_DROPPED', 'The call has no resultVar, so its result is lost.', undefined, 'key');
}

function readBody(block: Place, within: GraphReading): HttpCallTask['body'] {
  let body = block.at('body');
  const old = block.at('params').at('body');
  if (old.value !== undefined) {
    old.compat('C4', 'The body is under params.');
    if (body.value === undefined) body = old;
  }
  if (body.value === undefined) return undefined;
  if (typeof body.value === 'string') return { text: template(body, within, true) };
  if (isComputedBody(body)) {
    const computed = mapper(body, siteIn(within, 'mapper'));
    return computed && { mapper: computed };
  }
  if (body.value !== null && typeof body.value === 'object') {
    warnPlaceholders(body);
    return { json: body.value };
  }
  body.error('HTTP_BODY', `The body must be a text, an object, a list or a mapper, not ${describeType(body.value)}.`);
  return undefined;
}

/** Whether a body is computed. One that holds `expr` and other fields, or an `expr` that is not a text, is a literal. */
function isComputedBody(body: Place): boolean {
  return body.has('mapper') || body.has('mapperRef') || isExpression(body);
}

function isExpression(place: Place): boolean {
  const isWhole = place.entries().every(([key]) => key === 'lang' || key === 'expr');
  return isWhole && typeof place.at('expr').value === 'string';
}

const computeBody = 'Compute the whole body: body: { expr: … }.';

function warnPlaceholders(place: Place, isWhole = true): void {
  if (typeof place.value === 'string' && hasPlaceholder(place.value))
    place.warn('INTERPOLATION_LITERAL', 'Inside an object body this is sent literally.');
  const hasExpression = isWhole ? place.has('expr') : isExpression(place);
  if (hasExpression)
    place.at('expr').warn('LITERAL_EXPRESSION', 'This expr is a part of a literal body.', computeBody, 'key');
  else checkLiteral(place, computeBody);
  const members = place.entries().filter(([key]) => !hasExpression || key !== 'expr');
  for (const item of [...place.items(), ...members.map(([, inner]) => inner)]) warnPlaceholders(item, false);
}

function readErrorMapping(place: Place, within: GraphReading): HttpCallTask['errorMapping'] {
  if (!place.object) {
    place.error('FIELD_TYPE', `errorMapping must be an object, not ${describeType(place.value)}.`);
    return undefined;
  }
  place.only(['when', ...mapperKeys, 'target', 'resultVar']);
  if (place.at('when').value !== 'nonOk')
    place.at('when').error('ERRMAP_WHEN', `when must be nonOk, not ${describeType(place.at('when').value)}.`);
  if (!place.at('target').has('path') && !place.has('resultVar')) {
    mapperIn(place, siteIn(within, 'mapper'));
    place.error('ERRMAP_TARGET', 'The mapping has no target for its result.', undefined, 'key');
    return undefined;
  }
  const target = readTarget(place, ['context', 'var'], place.at('resultVar'));
  const mapper = mapperIn(place, siteOf(within, target));
  return mapper && target && { mapper, target };
}

function readAuth(block: Place, within: GraphReading): HttpCallTask['authPolicy'] {
  const auth = block.at('auth');
  if (auth.value === undefined) return undefined;
  auth.only(['policyRef']);
  return authPolicy(auth.at('policyRef'), within.reading.policies);
}

function readCookies(block: Place): boolean | undefined {
  const cookies = block.at('cookies');
  if (cookies.value !== undefined && !cookies.object)
    cookies.error('COOKIES_TYPE', `cookies must be an object, not ${describeType(cookies.value)}.`);
  cookies.only(['useJar']);
  return optionalBoolean(cookies.at('useJar'), 'COOKIES_TYPE', 'cookies.useJar');
}

/** The task's own policy, or the document's default for tasks, or the default of `spec.policies`. */
function retryOf(block: Place, within: GraphReading): RetryPolicy | undefined {
  const { policies, defaults } = within.reading;
  if (block.has('resiliencePolicyRef')) return retryPolicy(block.at('resiliencePolicyRef'), policies, 'error');
  const ref = defaults.resiliencePolicyRef ?? policies.retryDefault;
  return typeof ref?.value === 'string' ? policies.retry.get(ref.value) : undefined;
}

/** The failures of the result; none for a call that keeps no result, or whose error mapping replaces it. */
function failures({ mode, resultVar, errorMapping }: HttpCallTask): readonly string[] | undefined {
  const target = errorMapping?.target;
  const replaced = target?.kind === 'path' ? target.path[0] : target?.kind === 'var' ? target.name : undefined;
  if (mode === 'notify' || resultVar === undefined || replaced === resultVar) return undefined;
  return ['HTTP_4XX', 'HTTP_5XX', 'TIMEOUT', 'NETWORK'];
}

function cost({ method, run, timeoutMs, onUncertain }: HttpCallTask, contended: boolean): CostRange {
  return plus(exactly({ calls: 1 }), activity());

  function activity(): CostRange {
    if (timeoutMs > maxLocalActivityMs || onUncertain === 'fail') return ordinaryActivity;
    if (run !== undefined) return run === 'local' ? localActivity : ordinaryActivity;
    if (!safeMethods.has(method)) return ordinaryActivity;
    return contended ? orElse(localActivity, ordinaryActivity) : localActivity;
  }
}

/** The context after a call: with its result and, if the call may have failed, the mapped error. */
function after(task: HttpCallTask, context: Shape, flow: StateFlow): Shape {
  if (task.mode === 'notify') return context;
  const result = resultShape(task, flow);
  const answered = variable(task.resultVar).reduce((shape: Shape, to) => written(to, shape, result), context);
  if (!task.errorMapping) return answered;
  const mapped = flow.result('task/errorMapping', answered, { payload: result });
  return unionShape(answered, written(task.errorMapping.target, answered, mapped));
}

/** The result of a call, as its `resultVar` holds it. */
function resultShape({ operation }: HttpCallTask, flow: StateFlow): Shape {
  const fields = (...names: string[]) => objectShape(names.map((name) => [name, 'anything'] as const));
  const body = operation === undefined ? 'anything' : flow.answer(operation);
  const types = objectShape([
    ['status', 'number'],
    ['ok', 'boolean'],
    ['headers', 'anything'],
  ]);
  const result = withShape(types, ['body'], body);
  return withShape(withShape(result, ['uncertain'], 'anything'), ['error'], fields('type', 'message', 'code'));
}

function call({ method, url, operation, timeoutMs, mode, headers }: HttpCallTask): ServiceCall {
  const keyed = Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key');
  const repeatsOrder = (method === 'POST' || method === 'PATCH') && mode !== 'notify' && !keyed;
  return { ...ifDefined('operation', operation), http: { method, url, timeoutMs, repeatsOrder } };
}

/** The answer of a token endpoint is a credential. */
function credential({ operation, url, resultVar }: HttpCallTask): TaskCredential | undefined {
  return resultVar !== undefined && /oauth|token/i.test(operation ?? url) ? { variable: resultVar } : undefined;
}

function scale(task: HttpCallTask, { factor, longestCallMs }: TimeScale): HttpCallTask {
  const { retry } = task;
  const backoff = retry && {
    ...retry.backoff,
    baseDelayMs: retry.backoff.baseDelayMs / factor,
    maxDelayMs: retry.backoff.maxDelayMs / factor,
  };
  return {
    ...task,
    ...(longestCallMs !== undefined && { timeoutMs: Math.min(task.timeoutMs, longestCallMs) }),
    ...(retry && backoff && { retry: { ...retry, backoff } }),
  };
}
