import {
  type FetchFunction,
  type WebAPICallResult,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebClient,
} from '@slack/web-api';
import type { HttpActivity } from '../../../activities/http-call/http.js';
import type { Secret } from '../../config/secret.js';
import { refuse } from '../../problems/problem.js';

const timeoutMs = 10_000;

/**
 * Slack's Web API with one token. Its calls go out as those of journeys do: through the same connections and the same egress policy, without
 * redirects or a proxy. Nothing is repeated here, because only the caller knows whether that is harmless.
 */
export function slackClient(apiUrl: string, token: Secret, http: HttpActivity): WebClient {
  return new WebClient(token.reveal(), {
    slackApiUrl: apiUrl.endsWith('/') ? apiUrl : `${apiUrl}/`,
    allowAbsoluteUrls: false,
    fetch: fetchOver(http),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: silent,
  });
}

/** What a call answers; what goes wrong becomes a problem that holds Slack's word for it and nothing of the request. */
export async function asked<T extends WebAPICallResult>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    return refuseFor(error);
  }
}

/** Slack's words for what may go better another time. */
const passing = new Set([
  'fatal_error',
  'internal_error',
  'ratelimited',
  'rate_limited',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
]);

function refuseFor(error: unknown): never {
  if (error instanceof WebAPIRateLimitedError) {
    refuse('CHANNEL_UNREACHABLE', `Slack asks to wait ${error.retryAfter} s.`, {
      reason: 'ratelimited',
      retryAfterSec: error.retryAfter,
    });
  }
  if (error instanceof WebAPIPlatformError && /^[a-z][a-z0-9_]*$/.test(error.data.error)) {
    const reason = error.data.error;
    const code = passing.has(reason) ? 'CHANNEL_UNREACHABLE' : 'CHANNEL_REFUSED';
    refuse(code, `Slack says ${reason}.`, { reason, ...hintFor(reason) });
  }
  if (error instanceof WebAPIHTTPError)
    refuse('CHANNEL_UNREACHABLE', `Slack answered with status ${error.statusCode}.`);
  const { original } = (error ?? {}) as { original?: unknown };
  if (original instanceof NoAnswer) refuse('CHANNEL_UNREACHABLE', `Slack: ${original.message}.`);
  return refuse('CHANNEL_UNREACHABLE', 'Slack gave no usable answer.');
}

const hints: Readonly<Record<string, string>> = {
  channel_not_found: 'Check the channel id, and invite the app to a private channel.',
  not_in_channel: 'Invite the app to the channel.',
  missing_scope: 'docs/channels.md lists the scopes that the app needs.',
  invalid_auth: 'Check the token of the profile.',
  token_revoked: 'Give the profile a new token.',
};

function hintFor(reason: string): { hint?: string } {
  const hint = Object.hasOwn(hints, reason) ? hints[reason] : undefined;
  return hint === undefined ? {} : { hint };
}

/** There is no answer, for a reason that is safe to show. */
class NoAnswer extends Error {}

function fetchOver(http: HttpActivity): FetchFunction {
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

/** The library logs to the console by default, and more than we want to show. */
const silent = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => 'error' as never,
};
