import type { InboundRequest } from '../service/inbound.js';

/** The text of a credential where `source` says it stands; undefined where there is none, or an empty one. */
export function credentialIn(
  { headers, query }: InboundRequest,
  { location, name, scheme }: { location: string; name: string; scheme?: string },
): string | undefined {
  const header = (it: string) => (Object.hasOwn(headers, it) ? headers[it] : undefined);
  const found =
    location === 'header'
      ? header(name.toLowerCase())
      : location === 'query'
        ? (query.get(name) ?? undefined)
        : cookieIn(header('cookie') ?? '', name);
  const text = scheme === undefined ? found : withoutScheme(found ?? '', scheme);
  return text === undefined || text === '' ? undefined : text;
}

function withoutScheme(text: string, scheme: string): string {
  const prefix = `${scheme} `;
  return text.toLowerCase().startsWith(prefix.toLowerCase()) ? text.slice(prefix.length).trim() : text;
}

/** The first cookie of this name. */
function cookieIn(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at >= 0 && pair.slice(0, at).trim() === name)
      return pair
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/, '$1');
  }
  return undefined;
}
