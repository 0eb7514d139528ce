import { RE2JS } from 're2js';
import type { SetCookies } from '../service/runs.js';
import { contents, Jar } from './jar.js';
import type { Sealing } from './seal.js';

/** Opens what an outcome carries, and chooses as its journey says. */
export function clientCookies(sealing: Sealing, now: () => number = Date.now): SetCookies {
  return async ({ cookies }) => {
    if (!cookies) return [];
    const { domains, changes, include } = cookies;
    const jar = new Jar(domains, now, await contents(sealing, changes));
    const patterns = include?.namePatterns.map((it) => RE2JS.compile(it)) ?? [];
    return jar.toClient(
      (name) => !include || include.names.includes(name) || patterns.some((it) => it.matcher(name).find()),
    );
  };
}
