import { didYouMean } from '../../base/document/did-you-mean.js';
import type { Place } from '../../base/document/placed-value.js';
import {
  describeType,
  ifDefined,
  integer,
  isBlock,
  list,
  oneOf,
  optionalBoolean,
  optionalInteger,
  optionalOneOf,
  quoteName,
  text,
} from '../../base/document/read-fields.js';

/** When and how often a call is repeated. */
export interface RetryPolicy {
  maxAttempts: number;
  retryOn: ('NETWORK_ERROR' | 'HTTP_5XX' | 'HTTP_429')[];
  backoff: {
    kind: 'fixed' | 'exponential';
    baseDelayMs: number;
    maxDelayMs: number;
    multiplier: number;
    jitter: 'none' | 'full';
  };
  circuitBreaker?: BreakerPolicy;
  bulkhead?: BulkheadPolicy;
  /** Whether an unsafe call that may have taken effect is repeated. */
  onUncertain?: OnUncertain;
}

/** Whether a call that may have taken effect is made again. */
export type OnUncertain = 'repeat' | 'fail';

/** Stops calls to a service when too many of its latest calls failed. */
export interface BreakerPolicy {
  failureRateThreshold: number;
  slidingWindowSize: number;
  openTimeoutSec: number;
}

/** Limits concurrent calls. */
export interface BulkheadPolicy {
  maxConcurrent: number;
  queueSize: number;
}

/** Authentication of a call. Fields named `…Ref` are references to secrets. Types, not interfaces, so that they count as plain JSON. */
export type AuthPolicy =
  | { kind: 'bearerStatic'; tokenRef: string }
  | { kind: 'mtlsClient'; clientCertRef: string; trustAnchors: { pemRef: string }[] }
  | OAuthPolicy;

export type OAuthPolicy = {
  kind: 'oauth2ClientCredentials';
  tokenEndpoint: string;
  auth: {
    method: 'clientSecretPost' | 'clientSecretBasic' | 'tlsClientAuth';
    clientId: string;
    clientSecretRef?: string;
    clientCertRef?: string;
  };
  form: Record<string, string>;
};

/** The policies of `spec.policies`, in the form that calls embed. */
export interface Policies {
  retry: ReadonlyMap<string, RetryPolicy>;
  retryDefault: Place | undefined;
  auth: ReadonlyMap<string, AuthPolicy>;
}

/** The largest sliding window: a larger one would take too many calls to fill. */
const widestWindow = 10_000;

const conditions = ['NETWORK_ERROR', 'HTTP_5XX', 'HTTP_429'] as const;
const authKinds = ['bearerStatic', 'oauth2ClientCredentials', 'mtlsClient'] as const;

/** `spec.policies`. */
export function readPolicies(place: Place): Policies {
  isBlock(place, 'FIELD_TYPE', 'policies');
  place.only(['httpResilience', 'httpClientAuth'], 'warning');
  const resilience = place.at('httpResilience');
  const clientAuth = place.at('httpClientAuth');
  const retry = new Map<string, RetryPolicy>();
  for (const [id, policy] of definitions(resilience, 'POLICY_SHAPE')) retry.set(id, readRetry(policy));
  const auth = new Map<string, AuthPolicy>();
  for (const [id, policy] of definitions(clientAuth, 'AUTHPOL_FIELDS')) {
    const read = readAuth(policy);
    if (read) auth.set(id, read);
  }
  const retryDefault = resilience.has('default') ? resilience.at('default') : undefined;
  if (retryDefault) retryPolicy(retryDefault, { retry, retryDefault, auth }, 'warning');
  const authDefault = clientAuth.at('default');
  if (authDefault.value !== undefined && !auth.has(authDefault.value as string))
    authDefault.warn('AUTHPOL_UNKNOWN', `There is no outbound auth policy ${quoteName(authDefault.value)}.`);
  return { retry, retryDefault, auth };
}

function definitions(place: Place, code: 'POLICY_SHAPE' | 'AUTHPOL_FIELDS'): [string, Place][] {
  if (!isBlock(place, code, 'The policy group')) return [];
  place.only(['default', 'definitions'], 'warning');
  isBlock(place.at('definitions'), code, 'definitions');
  return place.at('definitions').entries();
}

function readRetry(place: Place): RetryPolicy {
  isBlock(place, 'POLICY_SHAPE', 'A policy');
  place.only(['maxAttempts', 'retryOn', 'backoff', 'circuitBreaker', 'bulkhead', 'onUncertain'], 'warning');
  const retryOn = list(place.at('retryOn'), 'POLICY_SHAPE', 'retryOn').flatMap(
    (item) => oneOf(item, conditions, 'POLICY_SHAPE', 'An entry of retryOn') ?? [],
  );
  return {
    maxAttempts: integer(place.at('maxAttempts'), 'POLICY_ATTEMPTS', 'maxAttempts') ?? 1,
    retryOn: place.has('retryOn') ? retryOn : ['NETWORK_ERROR', 'HTTP_5XX'],
    backoff: readBackoff(place.at('backoff')),
    ...ifDefined('circuitBreaker', readBreaker(place.at('circuitBreaker'))),
    ...ifDefined('bulkhead', readBulkhead(place.at('bulkhead'))),
    ...ifDefined('onUncertain', readOnUncertain(place.at('onUncertain'))),
  };
}

/** Reads `onUncertain`, of a call or of a policy. */
export function readOnUncertain(place: Place): OnUncertain | undefined {
  if (place.value !== undefined && !place.report.compat)
    place.error('HTTP_EXTENSION', 'The language has no onUncertain.', undefined, 'key');
  return optionalOneOf(place, ['repeat', 'fail'], 'HTTP_ON_UNCERTAIN', 'onUncertain');
}

function readBreaker(place: Place): BreakerPolicy | undefined {
  if (!isBlock(place, 'POLICY_SHAPE', 'circuitBreaker')) return undefined;
  place.only(['enabled', 'failureRateThreshold', 'slidingWindowSize', 'openTimeoutSec'], 'warning');
  const rate = place.at('failureRateThreshold');
  const threshold = rate.value ?? 0.5;
  if (!(typeof threshold === 'number' && threshold > 0 && threshold <= 1)) {
    rate.error('POLICY_SHAPE', `failureRateThreshold must be above 0 and at most 1, not ${describeType(rate.value)}.`);
    return undefined;
  }
  const size = optionalInteger(place.at('slidingWindowSize'), 'POLICY_SHAPE', 'slidingWindowSize') ?? 20;
  if (size > widestWindow)
    place
      .at('slidingWindowSize')
      .error('POLICY_SHAPE', `slidingWindowSize must be at most ${widestWindow}, not ${size}.`);
  if (optionalBoolean(place.at('enabled'), 'POLICY_SHAPE', 'enabled') === false) return undefined;
  return {
    failureRateThreshold: threshold,
    slidingWindowSize: size,
    openTimeoutSec: optionalInteger(place.at('openTimeoutSec'), 'POLICY_SHAPE', 'openTimeoutSec') ?? 30,
  };
}

function readBulkhead(place: Place): BulkheadPolicy | undefined {
  if (!isBlock(place, 'POLICY_SHAPE', 'bulkhead')) return undefined;
  place.only(['maxConcurrent', 'queueSize'], 'warning');
  return {
    maxConcurrent: integer(place.at('maxConcurrent'), 'POLICY_SHAPE', 'maxConcurrent') ?? 1,
    queueSize: optionalInteger(place.at('queueSize'), 'POLICY_SHAPE', 'queueSize', 0) ?? 0,
  };
}

function readBackoff(place: Place): RetryPolicy['backoff'] {
  isBlock(place, 'POLICY_SHAPE', 'backoff');
  place.only(['kind', 'baseDelayMs', 'maxDelayMs', 'jitter', 'initialDelayMs', 'factor'], 'warning');
  for (const old of ['initialDelayMs', 'factor'])
    if (place.has(old)) place.at(old).compat('C15', `${old} is an old name.`);
  const factor = place.at('factor').value;
  if (factor !== undefined && !(typeof factor === 'number' && factor >= 1))
    place.at('factor').error('POLICY_SHAPE', `factor must be a number, at least 1, not ${describeType(factor)}.`);
  const base = place.at(place.has('baseDelayMs') ? 'baseDelayMs' : 'initialDelayMs');
  const kind = optionalOneOf(place.at('kind'), ['fixed', 'exponential'], 'POLICY_SHAPE', 'backoff.kind');
  const baseDelayMs = optionalInteger(base, 'POLICY_SHAPE', 'baseDelayMs', 0) ?? 100;
  const maxDelayMs =
    optionalInteger(place.at('maxDelayMs'), 'POLICY_SHAPE', 'maxDelayMs', 0) ?? Math.max(10_000, baseDelayMs);
  return {
    kind: kind ?? (place.object && !place.has('factor') ? 'fixed' : 'exponential'),
    baseDelayMs,
    maxDelayMs,
    multiplier: typeof factor === 'number' && factor >= 1 ? factor : 2,
    jitter: optionalOneOf(place.at('jitter'), ['none', 'full'], 'POLICY_SHAPE', 'backoff.jitter') ?? 'none',
  };
}

/** The retry policy that a reference names. An unknown policy is a warning in compatibility mode (one attempt) and an error otherwise. */
export function retryPolicy(place: Place, policies: Policies, unknown: 'warning' | 'error'): RetryPolicy | undefined {
  const found = typeof place.value === 'string' ? policies.retry.get(place.value) : undefined;
  if (found) return found;
  const message = `There is no resilience policy ${quoteName(place.value)}; the call is made once.`;
  const hint = didYouMean(place.value, policies.retry.keys());
  if (unknown === 'warning' || place.report.compat) place.warn('POLICY_UNKNOWN', message, hint);
  else place.error('POLICY_UNKNOWN', message, hint);
  return undefined;
}

/** The outbound auth policy that a call refers to. */
export function authPolicy(place: Place, policies: Policies): AuthPolicy | undefined {
  const found = typeof place.value === 'string' ? policies.auth.get(place.value) : undefined;
  if (!found) {
    const hint = didYouMean(place.value, policies.auth.keys());
    place.error('AUTHPOL_UNKNOWN', `There is no outbound auth policy ${quoteName(place.value)}.`, hint);
  }
  return found;
}

function readAuth(place: Place): AuthPolicy | undefined {
  const kind = oneOf(place.at('kind'), authKinds, 'AUTHPOL_KIND', 'kind');
  if (kind === 'bearerStatic') {
    place.only(['kind', 'tokenRef'], 'warning');
    return { kind, tokenRef: secret(place.at('tokenRef'), 'tokenRef') };
  }
  if (kind === 'mtlsClient') {
    place.only(['kind', 'clientCertRef', 'trustAnchors'], 'warning');
    const anchors = list(place.at('trustAnchors'), 'AUTHPOL_FIELDS', 'trustAnchors').map((anchor) => {
      anchor.only(['pemRef'], 'warning');
      return { pemRef: secret(anchor.at('pemRef'), 'pemRef') };
    });
    return { kind, clientCertRef: secret(place.at('clientCertRef'), 'clientCertRef'), trustAnchors: anchors };
  }
  return kind === 'oauth2ClientCredentials' ? readOauth(place) : undefined;
}

function readOauth(place: Place): OAuthPolicy | undefined {
  place.only(['kind', 'tokenEndpoint', 'auth', 'form'], 'warning');
  const endpoint = text(place.at('tokenEndpoint'), 'AUTHPOL_FIELDS', 'tokenEndpoint') ?? '';
  if (endpoint !== '' && !/^https?:\/\//i.test(endpoint))
    place.at('tokenEndpoint').error('AUTHPOL_FIELDS', 'tokenEndpoint must be an absolute URL.');
  const auth = place.at('auth');
  if (!isBlock(auth, 'AUTHPOL_FIELDS', 'auth'))
    place.error('AUTHPOL_FIELDS', 'The policy needs auth with method and clientId.');
  auth.only(['method', 'clientId', 'clientSecretRef', 'clientCertRef'], 'warning');
  const methods = ['clientSecretPost', 'clientSecretBasic', 'tlsClientAuth'] as const;
  const method = auth.object ? oneOf(auth.at('method'), methods, 'AUTHPOL_FIELDS', 'auth.method') : undefined;
  const credential = method === 'tlsClientAuth' ? 'clientCertRef' : 'clientSecretRef';
  const form: Record<string, string> = Object.create(null);
  isBlock(place.at('form'), 'AUTHPOL_FIELDS', 'form');
  for (const [name, item] of place.at('form').entries()) form[name] = formValue(item, name);
  const grant = form.grant_type ?? 'client_credentials';
  if (grant !== 'client_credentials')
    place.at('form').at('grant_type').error('AUTHPOL_FIELDS', 'grant_type must be client_credentials.');
  const clientId = auth.object ? text(auth.at('clientId'), 'AUTHPOL_FIELDS', 'auth.clientId') : undefined;
  if (!method) return undefined;
  return {
    kind: 'oauth2ClientCredentials',
    tokenEndpoint: endpoint,
    auth: { method, clientId: clientId ?? '', [credential]: secret(auth.at(credential), `auth.${credential}`) },
    form: { ...form, grant_type: 'client_credentials' },
  };
}

function formValue(item: Place, name: string): string {
  if (typeof item.value === 'string') return item.value;
  if (typeof item.value === 'number' || typeof item.value === 'boolean') return String(item.value);
  item.error('AUTHPOL_FIELDS', `form.${name} must be a text, not ${describeType(item.value)}.`);
  return '';
}

function secret(place: Place, name: string): string {
  return text(place, 'AUTHPOL_FIELDS', name) ?? '';
}
