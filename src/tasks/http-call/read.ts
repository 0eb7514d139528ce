import type { Expression, Target, Task, Template } from '../../definition/definition.js';
import { hasPlaceholder } from '../../definition/template.js';
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
import type { Json } from '../../json/value.js';
import { hasMapper, mapperIn, siteIn, siteOf } from '../../reading/expressions.js';
import { type AuthPolicy, authPolicy, type RetryPolicy, retryPolicy } from '../../reading/policies.js';
import type { GraphReading } from '../../reading/reading.js';
import { readTarget } from '../../reading/target.js';
import { template } from '../../reading/template.js';
import { readBinding } from './binding.js';
import { readSign, type Signing } from './sign.js';

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
  /** Forces how the call runs; by default the method decides (design: how a task runs). */
  run?: 'local' | 'activity';
}

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
    optionalInteger(block.at('timeoutMs'), 'HTTP_TIMEOUT', 'timeoutMs') ?? reading.defaults.timeoutMs ?? 10_000;
  const accept = optionalText(block.at('accept'), 'FIELD_TYPE', 'accept') ?? 'application/json';
  const auth = readAuth(block, within);
  const useJar = readCookies(block);
  const sign = readSign(block.at('sign'), within);
  const run = optionalOneOf(block.at('run'), ['local', 'activity'], 'HTTP_RUN', 'run');
  const retry = retryOf(block, within);
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
    ...given('retry', mode === 'notify' ? undefined : retry),
    ...given('authPolicy', auth),
    ...given('useJar', useJar),
    ...given('sign', sign),
    ...given('run', run),
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
    old.compat('C4', 'The body stands under params.');
    if (body.value === undefined) body = old;
  }
  if (body.value === undefined) return undefined;
  if (typeof body.value === 'string') return { text: template(body, within) };
  if (body.object && hasMapper(body)) {
    body.only(['mapper', 'mapperRef']);
    const mapper = mapperIn(body, siteIn(within, 'mapper'));
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
  if (typeof place.value === 'string' && hasPlaceholder(place.value))
    place.warn('INTERPOLATION_LITERAL', 'Inside an object body this is sent as it stands.');
  for (const item of [...place.items(), ...place.entries().map(([, inner]) => inner)]) warnPlaceholders(item);
}

function readErrorMapping(place: Place, within: GraphReading): HttpCallTask['errorMapping'] {
  if (!place.object) {
    place.error('FIELD_TYPE', `errorMapping must be an object, not ${describe(place.value)}.`);
    return undefined;
  }
  place.only(['when', 'mapper', 'mapperRef', 'target', 'resultVar']);
  if (place.at('when').value !== 'nonOk')
    place.at('when').error('ERRMAP_WHEN', `when must be nonOk, not ${describe(place.at('when').value)}.`);
  if (!place.at('target').has('path') && !place.has('resultVar')) {
    mapperIn(place, siteIn(within, 'mapper'));
    place.error('ERRMAP_TARGET', 'The mapping does not say where its result goes.', undefined, 'key');
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
    cookies.error('COOKIES_TYPE', `cookies must be an object, not ${describe(cookies.value)}.`);
  cookies.only(['useJar']);
  return optionalBoolean(cookies.at('useJar'), 'COOKIES_TYPE', 'cookies.useJar');
}

/** The task's own policy, else the document's default for tasks, else the policies' default. */
function retryOf(block: Place, within: GraphReading): RetryPolicy | undefined {
  const { policies, defaults } = within.reading;
  if (block.has('resiliencePolicyRef')) return retryPolicy(block.at('resiliencePolicyRef'), policies, 'error');
  const ref = defaults.resiliencePolicyRef ?? policies.retryDefault;
  return typeof ref?.value === 'string' ? policies.retry.get(ref.value) : undefined;
}
