import type { JarState } from '../../engine/run.js';
import type { HttpRequest, HttpResult } from './request.js';
import { isRetryLater, type RetryLater } from './retry.js';

/** What a call knows of its run's cookie jar. Whoever makes the call can read the changes; the run cannot: they are sealed. */
export interface JarRequest {
  /** Patterns of domains whose cookies are kept. */
  domains: string[];
  /** Whether the jar's cookies go along. */
  send: boolean;
  /** What earlier calls changed in the jar, in the order in which they answered. */
  changes: string[];
  /** How many answers have changed it. */
  version: number;
}

/** What a call changed in the jar. */
export interface JarAnswer {
  /** The version that the call had seen, and the jar after that and its own change. */
  seen: number;
  whole: string;
  /** Its own alone, for a jar that others changed meanwhile. */
  change: string;
}

/** A jar that can be read. */
export interface OpenJar {
  /** The `Cookie` header of a request, if a cookie goes there. */
  header(url: string): string | undefined;
  /** Takes what a service sets, one `Set-Cookie` each; gives what the journey may see of those that were allowed. */
  take(url: string, lines: readonly string[]): string[];
  /** Undefined when nothing was taken. */
  answer(): Promise<JarAnswer | undefined>;
}

/** Opens jars. */
export interface JarKeeper {
  open(request: JarRequest): Promise<OpenJar>;
}

/** Makes a call with the cookies of its run's jar, and keeps those it brings back. A `Cookie` that the author sets goes as it is. */
export async function throughJar(
  request: HttpRequest,
  keeper: JarKeeper,
  call: (request: HttpRequest) => Promise<HttpResult | RetryLater>,
): Promise<HttpResult | RetryLater> {
  const { jar, ...bare } = request;
  if (!jar) return await call(request);
  const open = await keeper.open(jar);
  const cookie = jar.send && !Object.hasOwn(bare.headers, 'cookie') ? open.header(bare.url) : undefined;
  const result = await call(cookie === undefined ? bare : { ...bare, headers: { ...bare.headers, cookie } });
  if (isRetryLater(result) || bare.mode === 'notify') return result;
  const { 'set-cookie': set, ...headers } = result.headers;
  if (set === undefined) return result;
  const shown = open.take(bare.url, set.split('\n'));
  const changed = await open.answer();
  return {
    ...result,
    headers: { ...headers, ...(shown.length > 0 && { 'set-cookie': shown.join('\n') }) },
    ...(changed && { jar: changed }),
  };
}

/**
 * A jar with one more answer. Of calls side by side, the one that answers last wins where they set the same cookie. What the call had seen
 * is in its `whole`, so only what was answered since is kept beside it: calls that always overlap do not let the jar grow.
 */
export function withAnswer({ changes, version }: JarState, { seen, whole, change }: JarAnswer): JarState {
  const since = version - seen;
  // Each change but the first stands for one answer; the first may be a whole that has more than this call had seen.
  const known = since < changes.length ? [whole, ...changes.slice(changes.length - since)] : changes;
  return { changes: since === 0 ? [whole] : [...known, change], version: version + 1 };
}
