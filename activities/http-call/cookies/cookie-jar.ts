import { RE2JS } from 're2js';
import { Cookie, CookieJar, type SerializedCookie } from 'tough-cookie';
import type {
  JarAnswer,
  JarOpener,
  JarRequest,
  OpenJar,
} from '../../../src/language/tasks/http-call/call-with-cookies.js';
import type { SetCookies } from '../../../src/service/runs-interface.js';
import type { CookieCipher } from './cookie-cipher.js';

/** The identity of a cookie within a jar. */
interface Place {
  readonly domain: string;
  readonly path: string;
  readonly key: string;
}

/** Cookies that exist, and cookies that were deleted. Plain JSON. */
export interface JarContent {
  readonly cookies: readonly SerializedCookie[];
  readonly deleted: readonly (Place & { readonly hostOnly: boolean })[];
}

/** Cookies of services on localhost are treated like all others: `Secure` requires https. */
const rules = { allowSecureOnLocal: false } as const;

/**
 * Limits of cookies per domain and of bytes per cookie: the minimum that RFC 6265, 6.1 requires of browsers. A jar is part of its run's
 * history, so a service must not be able to make it grow.
 */
const mostPerDomain = 50;
const longestCookie = 4_096;

/** Opens the cookie jars of runs. Outside this process their content is always encrypted. */
export function jarOpener(sealing: CookieCipher, now: () => number = Date.now): JarOpener {
  return {
    async open({ domains, changes, version }: JarRequest): Promise<OpenJar> {
      const jar = new Jar(domains, now, await openChanges(sealing, changes));
      return {
        header: (url) => jar.header(url),
        store: (url, lines) => jar.take(url, lines),
        async changes(): Promise<JarAnswer | undefined> {
          const change = jar.change();
          if (!change) return undefined;
          const seal = (content: JarContent) => sealing.seal(JSON.stringify(content));
          return { baseVersion: version, fullJar: await seal(jar.whole()), change: await seal(change) };
        },
      };
    },
  };
}

/** Decrypts the changes of a jar. */
export async function openChanges(sealing: CookieCipher, changes: readonly string[]): Promise<JarContent[]> {
  return await Promise.all(changes.map(async (it) => JSON.parse(await sealing.open(it)) as JarContent));
}

/** The cookies of one run. Rules and matching are tough-cookie's; the allow-list of domains comes on top. */
export class Jar {
  private readonly cookies = new Map<string, SerializedCookie>();
  private readonly deleted = new Map<string, JarContent['deleted'][number]>();
  private readonly touched = new Set<string>();

  constructor(
    private readonly domains: readonly string[],
    private readonly now: () => number,
    before: readonly JarContent[] = [],
  ) {
    for (const { cookies, deleted } of before) {
      for (const cookie of cookies) this.put(cookie);
      for (const place of deleted) this.remove(place);
    }
  }

  header(url: string): string | undefined {
    const { hostname } = new URL(url);
    if (!this.allows(hostname)) return undefined;
    const jar = CookieJar.deserializeSync({
      version: 'tough-cookie',
      storeType: 'MemoryCookieStore',
      rejectPublicSuffixes: true,
      ...rules,
      cookies: [...this.cookies.values()],
    });
    // Expiry is checked by our own clock, which may be a virtual one.
    const cookies = jar.getCookiesSync(url, { expire: false }).filter((it) => !this.isOver(it));
    return cookies.length === 0 ? undefined : cookies.map((it) => it.cookieString()).join('; ');
  }

  take(url: string, lines: readonly string[]): string[] {
    return lines.flatMap((line) => this.takeOne(url, line) ?? []);
  }

  whole(): JarContent {
    return { cookies: [...this.cookies.values()], deleted: [...this.deleted.values()] };
  }

  /** Changes since the jar was opened. */
  change(): JarContent | undefined {
    if (this.touched.size === 0) return undefined;
    const of = <T>(all: ReadonlyMap<string, T>) => [...all].filter(([id]) => this.touched.has(id)).map(([, it]) => it);
    return { cookies: of(this.cookies), deleted: of(this.deleted) };
  }

  /** The `Set-Cookie` headers that pass the jar's cookies and deletions to a client. */
  toClient(wanted: (name: string) => boolean): string[] {
    const cookies = [...this.cookies.values()].flatMap((it) => Cookie.fromJSON(it) ?? []);
    const there = cookies.filter((it) => wanted(it.key) && !this.isOver(it)).map((it) => it.toString());
    const gone = [...this.deleted.values()].filter(({ key }) => wanted(key)).map(deletion);
    return [...there, ...gone];
  }

  /** The part of a cookie that the journey may see: all but the value, which would be in the history. */
  private takeOne(url: string, line: string): string | undefined {
    if (Buffer.byteLength(line) > longestCookie) return undefined;
    const cookie = accepted(url, line, new Date(this.now()));
    if (!cookie || !this.allows(cookie.domain ?? '')) return undefined;
    const place = { domain: cookie.domain!, path: cookie.path ?? '/', key: cookie.key };
    if (this.isOver(cookie)) this.remove({ ...place, hostOnly: cookie.hostOnly ?? false });
    else this.put(cookie.toJSON());
    this.touched.add(idOf(place));
    // An unknown attribute may be part of the value, as in `a="b;c"`.
    cookie.extensions = null;
    return `${cookie.key}=[sealed]${cookie.toString().slice(cookie.cookieString().length)}`;
  }

  private put(cookie: SerializedCookie): void {
    const id = idOf(cookie as unknown as Place);
    this.cookies.delete(id);
    this.cookies.set(id, cookie);
    this.deleted.delete(id);
    forgetOldest(this.cookies, cookie.domain);
  }

  private remove(place: JarContent['deleted'][number]): void {
    const id = idOf(place);
    this.cookies.delete(id);
    this.deleted.set(id, place);
    forgetOldest(this.deleted, place.domain);
  }

  private isOver(cookie: Cookie): boolean {
    const since = cookie.creation instanceof Date ? cookie.creation : new Date(this.now());
    return (cookie.expiryTime(since) ?? Number.POSITIVE_INFINITY) <= this.now();
  }

  /** A pattern is a host, or with a leading dot all hosts below it. */
  private allows(host: string): boolean {
    const name = host.toLowerCase();
    return this.domains.some((it) =>
      it.startsWith('.') ? name.endsWith(it.toLowerCase()) : name === it.toLowerCase(),
    );
  }
}

/** The cookie as a browser would store it, or undefined where it would not. */
function accepted(url: string, line: string, now: Date): Cookie | undefined {
  try {
    return new CookieJar(undefined, rules).setCookieSync(line, url, { now });
  } catch {
    return undefined;
  }
}

/** Enforces the limit of cookies per domain: the least recently changed one is removed first. */
function forgetOldest(all: Map<string, unknown>, domain: unknown): void {
  const own = [...all.keys()].filter((id) => id.startsWith(`[${JSON.stringify(domain)},`));
  if (own.length > mostPerDomain) all.delete(own[0]!);
}

function idOf({ domain, path, key }: Place): string {
  return JSON.stringify([domain, path, key]);
}

function deletion({ key, domain, path, hostOnly }: JarContent['deleted'][number]): string {
  return `${key}=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0${hostOnly ? '' : `; Domain=${domain}`}; Path=${path}`;
}

/** Decrypts the cookies of an outcome and selects those that its journey returns to the client. */
export function clientCookies(sealing: CookieCipher, now: () => number = Date.now): SetCookies {
  return async ({ cookies }) => {
    if (!cookies) return [];
    const { domains, changes, include } = cookies;
    const jar = new Jar(domains, now, await openChanges(sealing, changes));
    const patterns = include?.namePatterns.map((it) => RE2JS.compile(it)) ?? [];
    return jar.toClient(
      (name) => !include || include.names.includes(name) || patterns.some((it) => it.matcher(name).find()),
    );
  };
}
