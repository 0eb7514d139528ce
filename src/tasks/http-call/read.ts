import type { HttpCallTask, RetryPolicy } from '../../definition/definition.js';
import {
  describe,
  given,
  optionalBoolean,
  optionalIdentifier,
  optionalInteger,
  optionalOneOf,
  optionalText,
} from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { hasMapper, mapperIn, siteIn } from '../../reading/expressions.js';
import { authPolicy, retryPolicy } from '../../reading/policies.js';
import type { Scope } from '../../reading/reading.js';
import { readTarget } from '../../reading/target.js';
import { template } from '../../reading/template.js';
import { fieldsOf, type TaskKind } from '../kind.js';
import { readBinding } from './binding.js';
import { schema } from './schema.js';

/** An HTTP call, by URL or by OpenAPI operation. */
export const httpCall: TaskKind = {
  kind: 'httpCall:v1',
  fields: fieldsOf(schema),
  schema,
  read,
};

function read(block: Place, scope: Scope): HttpCallTask | undefined {
  const { reading } = scope;
  const mode = optionalOneOf(block.at('mode'), ['requestResponse', 'notify'], 'HTTP_MODE', 'mode') ?? 'requestResponse';
  const binding = readBinding(block, scope);
  const body = readBody(block, scope);
  if (binding && (binding.method === 'GET' || binding.method === 'HEAD') && body)
    block
      .at(block.has('body') ? 'body' : 'params')
      .error('HTTP_BODY_ON_GET', `A ${binding.method} has no body.`, undefined, 'key');
  const resultVar = optionalIdentifier(block.at('resultVar'), 'resultVar');
  const errorMapping = block.has('errorMapping') ? readErrorMapping(block.at('errorMapping'), scope) : undefined;
  checkMode(block, mode);
  const timeoutMs =
    optionalInteger(block.at('timeoutMs'), 'HTTP_TIMEOUT', 'timeoutMs') ?? reading.defaults.timeoutMs ?? 10_000;
  const accept = optionalText(block.at('accept'), 'FIELD_TYPE', 'accept') ?? 'application/json';
  const auth = readAuth(block, scope);
  const useJar = readCookies(block);
  const run = optionalOneOf(block.at('run'), ['local', 'activity'], 'HTTP_RUN', 'run');
  const retry = mode === 'notify' ? undefined : retryOf(block, scope);
  if (!binding) return undefined;
  return {
    kind: 'httpCall:v1',
    mode,
    ...binding,
    ...given('body', body),
    accept,
    timeoutMs,
    ...given('resultVar', resultVar),
    ...given('errorMapping', errorMapping),
    ...given('retry', retry),
    ...given('authPolicy', auth),
    ...given('useJar', useJar),
    ...given('run', run),
  };
}

function checkMode(block: Place, mode: HttpCallTask['mode']): void {
  if (mode === 'notify') {
    if (block.has('resultVar'))
      block.at('resultVar').error('NOTIFY_RESULTVAR', 'A notification has no result.', undefined, 'key');
    if (block.has('errorMapping'))
      block.at('errorMapping').error('NOTIFY_ERRORMAPPING', 'A notification has no error result.', undefined, 'key');
  } else if (!block.has('resultVar'))
    block.warn('RESULT_DROPPED', 'The call has no resultVar, so its result is lost.', undefined, 'key');
}

function readBody(block: Place, scope: Scope): HttpCallTask['body'] {
  let body = block.at('body');
  const old = block.at('params').at('body');
  if (old.value !== undefined) {
    old.compat('C4', 'The body stands under params.');
    if (body.value === undefined) body = old;
  }
  if (body.value === undefined) return undefined;
  if (typeof body.value === 'string') return { text: template(body, scope.reading) };
  if (body.object && hasMapper(body)) {
    body.only(['mapper', 'mapperRef']);
    const mapper = mapperIn(body, siteIn(scope, 'mapper'));
    return mapper && { mapper };
  }
  if (body.value !== null && typeof body.value === 'object') {
    warnPlaceholders(body);
    return { json: body.value };
  }
  body.error('HTTP_BODY', `The body must be a text, an object, a list or a mapper, not ${describe(body.value)}.`);
  return undefined;
}

function warnPlaceholders(place: Place): void {
  if (typeof place.value === 'string' && place.value.includes('${'))
    place.warn('INTERPOLATION_LITERAL', 'Inside an object body this is sent as it stands.');
  for (const item of [...place.items(), ...place.entries().map(([, inner]) => inner)]) warnPlaceholders(item);
}

function readErrorMapping(place: Place, scope: Scope): HttpCallTask['errorMapping'] {
  if (!place.object) {
    place.error('FIELD_TYPE', `errorMapping must be an object, not ${describe(place.value)}.`);
    return undefined;
  }
  place.only(['when', 'mapper', 'mapperRef', 'target', 'resultVar']);
  if (place.at('when').value !== 'nonOk')
    place.at('when').error('ERRMAP_WHEN', `when must be nonOk, not ${describe(place.at('when').value)}.`);
  const mapper = mapperIn(place, siteIn(scope, 'mapper'));
  if (!place.at('target').has('path') && !place.has('resultVar')) {
    place.error('ERRMAP_TARGET', 'The mapping does not say where its result goes.', undefined, 'key');
    return undefined;
  }
  const target = readTarget(place, ['context', 'var'], place.at('resultVar'));
  return mapper && target && { mapper, target };
}

function readAuth(block: Place, scope: Scope): HttpCallTask['authPolicy'] {
  const auth = block.at('auth');
  if (auth.value === undefined) return undefined;
  auth.only(['policyRef']);
  return authPolicy(auth.at('policyRef'), scope.reading.policies);
}

function readCookies(block: Place): boolean | undefined {
  const cookies = block.at('cookies');
  if (cookies.value !== undefined && !cookies.object)
    cookies.error('COOKIES_TYPE', `cookies must be an object, not ${describe(cookies.value)}.`);
  cookies.only(['useJar']);
  return optionalBoolean(cookies.at('useJar'), 'COOKIES_TYPE', 'cookies.useJar');
}

/** The task's own policy, else the document's default for tasks, else the policies' default. */
function retryOf(block: Place, scope: Scope): RetryPolicy | undefined {
  const { policies, defaults } = scope.reading;
  if (block.has('resiliencePolicyRef')) return retryPolicy(block.at('resiliencePolicyRef'), policies, 'error');
  const ref = defaults.resiliencePolicyRef ?? policies.retryDefault;
  return typeof ref?.value === 'string' ? policies.retry.get(ref.value) : undefined;
}
