import type { JarState } from '../../../engine/run.js';
import type { HttpRequest, HttpResult } from './request-and-result-types.js';
import { isRetryLater, type RetryLater } from './retry-policy.js';

/** The run's cookie jar in the input of a call. The changes are sealed: the process that makes the call can read them, the run cannot. */
export interface JarRequest {
  /** Patterns of domains whose cookies are kept. */
  domains: string[];
  /** Whether the jar's cookies are sent. */
  send: boolean;
  /** Changes by earlier calls, in the order of their responses. */
  changes: string[];
  /** The number of responses that have changed it. */
  version: number;
}

/** Changes of the jar by one call. */
export interface JarAnswer {
  /** The version of the jar that the call started from, and the full jar after its change. */
  baseVersion: number;
  fullJar: string;
  /** Only its own change, for a jar that other calls have changed in the meantime. */
  change: string;
}

/** An opened cookie jar. */
export interface OpenJar {
  /** The `Cookie` header of a request; undefined if no cookie applies. */
  header(url: string): string | undefined;
  /** Accepts the `Set-Cookie` lines of a response and returns the parts of the allowed ones that the journey may see. */
  store(url: string, lines: readonly string[]): string[];
  /** Undefined if nothing changed. */
  changes(): Promise<JarAnswer | undefined>;
}

/** Opens jars. */
export interface JarOpener {
  open(request: JarRequest): Promise<OpenJar>;
}

/** Makes a call with the cookies of its run's jar and stores those of the response. A `Cookie` header of the author is sent unchanged. */
export async function callWithCookies(
  request: HttpRequest,
  keeper: JarOpener,
  call: (request: HttpRequest) => Promise<HttpResult | RetryLater>,
): Promise<HttpResult | RetryLater> {
  const { jar, ...bare } = request;
  if (!jar) return await call(request);
  const open = await keeper.open(jar);
  const cookie = jar.send && !Object.hasOwn(bare.headers, 'cookie') ? open.header(bare.url) : undefined;
  const result = await call(cookie === undefined ? bare : { ...bare, headers: { ...bare.headers, cookie } });
  if (!isRetryLater(result)) return bare.mode === 'notify' ? result : await stored(result, open, bare.url);
  const { answer, ...later } = result.retryLater;
  return answer ? { retryLater: { ...later, answer: await stored(answer, open, bare.url) } } : result;
}

/** Stores the cookies of a result in the jar. */
async function stored(result: HttpResult, jar: OpenJar, url: string): Promise<HttpResult> {
  const { 'set-cookie': set, ...headers } = result.headers;
  if (set === undefined) return result;
  const shown = jar.store(url, set.split('\n'));
  const changed = await jar.changes();
  return {
    ...result,
    headers: { ...headers, ...(shown.length > 0 && { 'set-cookie': shown.join('\n') }) },
    ...(changed && { jar: changed }),
  };
}

/**
 * Merges the answer of a call into the jar. If concurrent calls set the same cookie, the last answer wins. The `fullJar` of an answer includes
 * all changes that its call started from, so only later changes are stored beside it: the jar does not grow even if calls always overlap.
 */
export function mergeAnswer({ changes, version }: JarState, { baseVersion, fullJar, change }: JarAnswer): JarState {
  const since = version - baseVersion;
  // Each change except the first belongs to one answer; the first may be a full jar, newer than the one that this call started from.
  const known = since < changes.length ? [fullJar, ...changes.slice(changes.length - since)] : changes;
  return { changes: since === 0 ? [fullJar] : [...known, change], version: version + 1 };
}
