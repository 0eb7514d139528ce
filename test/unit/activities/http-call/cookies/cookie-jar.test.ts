import { describe, expect, it } from 'vitest';
import { cookieCipher } from '../../../../../activities/http-call/cookies/cookie-cipher.js';
import { clientCookies, Jar, jarOpener } from '../../../../../activities/http-call/cookies/cookie-jar.js';
import type { JarState } from '../../../../../src/engine/run.js';
import { callWithCookies, mergeAnswer } from '../../../../../src/language/tasks/http-call/call-with-cookies.js';
import type { HttpRequest, HttpResult } from '../../../../../src/language/tasks/http-call/request-and-result-types.js';

const shop = 'https://api.example.com/cart/items';
const at = (ms: number) => () => ms;

describe('a cookie jar (journey-dsl §22)', () => {
  it('stores only cookies of allowed domains, and hides their values from the journey', () => {
    const jar = new Jar(['api.example.com'], at(0));
    const shown = jar.take(shop, [
      'session=s3cret; Path=/; HttpOnly',
      'wide=w1de; Domain=example.com',
      'evil=e; Domain=other.org',
      'not a cookie',
      'odd="o;dd"; Path=/; Priority=High',
    ]);
    expect(shown).toEqual(['session=[sealed]; Path=/; HttpOnly', 'odd=[sealed]; Path=/']);
    expect(jar.header(shop)).toBe('session=s3cret; odd="o');
    expect(JSON.stringify(jar.whole())).not.toContain('w1de');
  });

  it('matches subdomains of a pattern with a leading dot, not the bare domain', () => {
    const jar = new Jar(['.example.com'], at(0));
    jar.take(shop, ['a=1; Path=/']);
    jar.take('https://example.com/', ['b=2; Path=/']);
    jar.take('https://notexample.com/', ['c=3; Path=/']);
    expect(jar.header('https://api.example.com/')).toBe('a=1');
    expect(jar.header('https://example.com/')).toBeUndefined();
    expect(jar.header('https://notexample.com/')).toBeUndefined();
  });

  it('stores nothing if no domain is allowed', () => {
    const jar = new Jar([], at(0));
    expect(jar.take(shop, ['a=1'])).toEqual([]);
    expect(jar.change()).toBeUndefined();
  });

  it.each([
    ['the path defaults to that of the request and is a prefix', 'a=1', 'https://api.example.com/cart/pay', 'a=1'],
    ['other paths do not get the cookie', 'a=1', 'https://api.example.com/login', undefined],
    ['Secure cookies are sent over https', 'a=1; Path=/; Secure', 'https://api.example.com/', 'a=1'],
    ['Secure cookies are not sent over http', 'a=1; Path=/; Secure', 'http://api.example.com/', undefined],
    ['other hosts do not get the cookie', 'a=1; Path=/', 'https://b.example.com/', undefined],
    ['a public suffix is not accepted as the domain', 'a=1; Path=/; Domain=com', 'https://api.example.com/', undefined],
  ])('%s', (_, line, url, sent) => {
    const jar = new Jar(['api.example.com', '.example.com'], at(0));
    jar.take(shop, [line]);
    expect(jar.header(url)).toBe(sent);
  });

  it('is bounded: it evicts the oldest cookies of a domain and ignores long ones', () => {
    const jar = new Jar(['api.example.com', 'b.example.com'], at(0));
    jar.take('https://b.example.com/', ['other=1; Path=/']);
    const names = Array.from({ length: 60 }, (_, i) => `c${i}`);
    jar.take(
      shop,
      names.map((name) => `${name}=1; Path=/`),
    );
    jar.take(shop, [`long=${'x'.repeat(4_096)}; Path=/`, 'c10=2; Path=/']);
    const kept = ['other', ...names.slice(11), 'c10'];
    expect(jar.whole().cookies.map(({ key }) => key)).toEqual(kept);
    expect(new Jar(['api.example.com'], at(0), [jar.whole()]).whole().cookies).toHaveLength(kept.length);
    jar.take(
      shop,
      names.map((name) => `${name}=; Path=/; Max-Age=0`),
    );
    expect(jar.whole().deleted).toHaveLength(50);
  });

  it('expires cookies by the given clock', () => {
    let now = 1_000_000;
    const jar = new Jar(['api.example.com'], () => now);
    jar.take(shop, ['short=1; Path=/; Max-Age=60', 'dated=2; Path=/; Expires=Thu, 01 Jan 1970 00:30:00 GMT']);
    expect(jar.header(shop)).toBe('short=1; dated=2');
    now += 60_001;
    expect(jar.header(shop)).toBe('dated=2');
    now = 1_800_001;
    expect(jar.header(shop)).toBeUndefined();
  });

  it('returns cookies and deletions for the client, without deleting a cookie that was set again', () => {
    const jar = new Jar(['api.example.com'], at(0));
    jar.take(shop, ['a=1; Path=/', 'b=2; Path=/', 'c=3; Path=/']);
    jar.take(shop, ['b=; Path=/; Max-Age=0', 'c=; Path=/; Max-Age=0']);
    jar.take(shop, ['c=4; Path=/']);
    expect(jar.header(shop)).toBe('a=1; c=4');
    const headers = jar.toClient(() => true);
    expect(headers.slice(0, 2)).toEqual(['a=1; Path=/', 'c=4; Path=/']);
    expect(headers[2]).toMatch(/^b=; Expires=Thu, 01 Jan 1970 .*Max-Age=0; Path=\/$/);
    expect(headers).toHaveLength(3);
  });
});

describe('the cookie jar of a run', () => {
  const seals = cookieCipher(async () => 'secret of a namespace');
  const keeper = jarOpener(seals, at(0));
  const empty = { changes: [] as string[], version: 0 };
  const request = (state: JarState, more: Partial<HttpRequest> = {}): HttpRequest => ({
    method: 'GET',
    url: shop,
    headers: {},
    timeoutMs: 1_000,
    mode: 'requestResponse',
    jar: { domains: ['api.example.com'], send: true, ...state },
    ...more,
  });
  const answering = (...cookies: string[]) => {
    const sent: HttpRequest[] = [];
    const call = async (it: HttpRequest): Promise<HttpResult> => {
      sent.push(it);
      const headers: Record<string, string> = cookies.length > 0 ? { 'set-cookie': cookies.join('\n') } : {};
      return { ok: true, status: 200, headers, body: null };
    };
    return { call, sent };
  };
  const make = (it: HttpRequest, ...cookies: string[]) =>
    callWithCookies(it, keeper, answering(...cookies).call) as Promise<HttpResult>;

  it('is passed encrypted, and is readable only with its key', async () => {
    const { jar } = await make(request(empty), 'session=s3cret; Path=/');
    expect(JSON.stringify(jar)).not.toMatch(/s3cret|session/);
    const other = jarOpener(cookieCipher(async () => 'another secret'));
    await expect(other.open({ domains: [], send: true, changes: [jar!.fullJar], version: 1 })).rejects.toThrow();
    const { call, sent } = answering();
    await callWithCookies(request(mergeAnswer(empty, jar!)), keeper, call);
    expect(sent[0]!.headers.cookie).toBe('session=s3cret');
    expect(sent[0]!.jar).toBeUndefined();
  });

  it('merges cookies from parallel calls; the last response wins', async () => {
    const before = mergeAnswer(empty, (await make(request(empty), 'base=0; Path=/')).jar!);
    const [left, right] = await Promise.all([
      make(request(before), 'left=1; Path=/', 'both=left; Path=/'),
      make(request(before), 'right=2; Path=/', 'both=right; Path=/'),
    ]);
    const after = [right, left].reduce((state, { jar }) => mergeAnswer(state, jar!), before);
    const { call, sent } = answering('last=3; Path=/');
    const { jar } = (await callWithCookies(request(after), keeper, call)) as HttpResult;
    expect(sent[0]!.headers.cookie!.split('; ').sort()).toEqual(['base=0', 'both=left', 'left=1', 'right=2']);
    expect(mergeAnswer(after, jar!).changes).toHaveLength(1);
  });

  it('does not grow with calls that always overlap, as in a map', async () => {
    let state: JarState = empty;
    const inFlight: Promise<HttpResult>[] = [];
    const answered: number[] = [];
    for (let i = 0; i < 60; i++) {
      // The second of three calls completes each time, so some overlap with two responses and one with all of them.
      inFlight.push(make(request(state), `n=${i}; Path=/`, `c${i % 7}=${i}; Path=/`));
      if (inFlight.length < 3) continue;
      const [next] = inFlight.splice(1, 1);
      const { jar, headers } = await next!;
      expect(headers['set-cookie']).toContain('n=');
      state = mergeAnswer(state, jar!);
      answered.push(i - 1);
      expect(state.changes.length).toBeLessThan(5);
    }
    const { call, sent } = answering();
    await callWithCookies(request(state), keeper, call);
    const last = (rest: number) => answered.filter((it) => it % 7 === rest).at(-1);
    expect(sent[0]!.headers.cookie!.split('; ').sort()).toEqual(
      [...Array.from({ length: 7 }, (_, rest) => `c${rest}=${last(rest)}`), `n=${answered.at(-1)}`].sort(),
    );
  });

  it('is not sent with useJar: false or an author’s own Cookie header, but stores cookies from the response', async () => {
    const before = mergeAnswer(empty, (await make(request(empty), 'a=1; Path=/')).jar!);
    const { jar } = request(before);
    for (const more of [{ headers: { cookie: 'mine=1' } }, { jar: { ...jar!, send: false } }]) {
      const { call, sent } = answering('b=2; Path=/');
      const result = (await callWithCookies(request(before, more), keeper, call)) as HttpResult;
      expect(sent[0]!.headers.cookie).toBe('headers' in more ? 'mine=1' : undefined);
      expect(result.jar).toBeDefined();
    }
  });

  it('is sent with a notification, but stores nothing from it', async () => {
    const before = mergeAnswer(empty, (await make(request(empty), 'a=1; Path=/')).jar!);
    const { call, sent } = answering('b=2; Path=/');
    const result = (await callWithCookies(request(before, { mode: 'notify' }), keeper, call)) as HttpResult;
    expect(sent[0]!.headers.cookie).toBe('a=1');
    expect(result.jar).toBeUndefined();
  });

  it('returns the cookies that the journey selects', async () => {
    const changes = [
      (await make(request(empty), 'session=1; Path=/', 'x-app-a=2; Path=/', 'y=3; Path=/')).jar!.fullJar,
    ];
    const domains = ['api.example.com'];
    const headers = clientCookies(seals, at(0));
    const names = async (include?: { names: string[]; namePatterns: string[] }) =>
      (await headers({ cookies: { domains, changes, ...(include && { include }) } })).map((it) => it.split('=')[0]);
    expect(await names()).toEqual(['session', 'x-app-a', 'y']);
    expect(await names({ names: ['session'], namePatterns: ['^x-app-'] })).toEqual(['session', 'x-app-a']);
    expect(await names({ names: [], namePatterns: [] })).toEqual([]);
    expect(await headers({})).toEqual([]);
  });
});
