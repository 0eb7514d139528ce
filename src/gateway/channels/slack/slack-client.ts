import type { FetchFunction, WebAPICallResult, WebClient } from '@slack/web-api';
import type { HttpClient } from '../../../../activities/http-call/http-client.js';
import { refuse } from '../../../base/problems/problem.js';
import type { Secret } from '../../../config/read-secret.js';

const timeoutMs = 10_000;

/**
 * Slack's Web API with one token. Calls use the same connections and egress policy as those of journeys, without redirects or proxy. Nothing
 * is retried here, because only the caller knows whether that is safe. The library is loaded with the first client: most processes need none.
 */
export async function slackClient(apiUrl: string, token: Secret, http: HttpClient): Promise<WebClient> {
  const { WebClient } = await import('@slack/web-api');
  return new WebClient(token.reveal(), {
    slackApiUrl: apiUrl.endsWith('/') ? apiUrl : `${apiUrl}/`,
    allowAbsoluteUrls: false,
    fetch: fetchOver(http),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: silent,
  });
}

/** Awaits a call. Errors become problems with Slack's error code and nothing of the request. */
export async function slackResult<T extends WebAPICallResult>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    return await refuseFor(error);
  }
}

/** Slack's codes for transient errors. */
const passing = new Set([
  'fatal_error',
  'internal_error',
  'ratelimited',
  'rate_limited',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
]);

async function refuseFor(error: unknown): Promise<never> {
  const { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } = await import('@slack/web-api');
  if (error instanceof WebAPIRateLimitedError) {
    refuse('CHANNEL_UNREACHABLE', `Slack's rate limit: retry after ${error.retryAfter} s.`, {
      reason: 'ratelimited',
      retryAfterSec: error.retryAfter,
    });
  }
  if (error instanceof WebAPIPlatformError && /^[a-z][a-z0-9_]*$/.test(error.data.error)) {
    const reason = error.data.error;
    const code = passing.has(reason) ? 'CHANNEL_UNREACHABLE' : 'CHANNEL_REFUSED';
    refuse(code, `Slack returned ${reason}.`, { reason, ...hintFor(reason) });
  }
  if (error instanceof WebAPIHTTPError)
    refuse('CHANNEL_UNREACHABLE', `Slack answered with status ${error.statusCode}.`);
  const { original } = (error ?? {}) as { original?: unknown };
  if (original instanceof NoAnswer) refuse('CHANNEL_UNREACHABLE', `Slack: ${original.message}.`);
  return refuse('CHANNEL_UNREACHABLE', 'Slack returned no valid response.');
}

const hints: Readonly<Record<string, string>> = {
  channel_not_found: 'Check the channel id, and invite the app to a private channel.',
  not_in_channel: 'Invite the app to the channel.',
  missing_scope: 'docs/channels.md lists the scopes that the app needs.',
  invalid_auth: 'Check the token of the profile.',
  token_revoked: 'Configure a new token for the profile.',
};

function hintFor(reason: string): { hint?: string } {
  const hint = Object.hasOwn(hints, reason) ? hints[reason] : undefined;
  return hint === undefined ? {} : { hint };
}

/** No response, with a reason that is safe to show. */
class NoAnswer extends Error {}

function fetchOver(http: HttpClient): FetchFunction {
  return async (url, { method = 'GET', headers = {}, body } = {}) => {
    const answer = await http({
      method,
      url: String(url),
      headers,
      ...(typeof body === 'string' && { body }),
      timeoutMs,
      mode: 'requestResponse',
    });
    if ('retryLater' in answer || answer.status === undefined) {
      throw new NoAnswer('error' in answer && answer.error ? answer.error.message : 'no answer');
    }
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    return {
      ok: answer.ok,
      status: answer.status,
      statusText: '',
      url: String(url),
      headers: {
        get: (name) => answer.headers[name.toLowerCase()] ?? null,
        entries: () => Object.entries(answer.headers),
      },
      text: async () => text,
      json: async () => JSON.parse(text) as unknown,
      arrayBuffer: async () => new TextEncoder().encode(text).buffer as ArrayBuffer,
    };
  };
}

/** Disables the library's logging to the console. */
const silent = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => 'error' as never,
};
