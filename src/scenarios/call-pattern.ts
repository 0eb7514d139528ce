/** The parts of a call that a pattern compares. */
export interface CallShape {
  method: string;
  url: string;
  operation?: string;
}

/** Selects the calls of a rule or an expectation: by operation, or by method and URL with wildcards. */
export class CallPattern {
  private constructor(
    readonly text: string,
    readonly matches: (call: CallShape) => boolean,
  ) {}

  /** Calls of `<api>.<operationId>`. */
  static operation(name: string): CallPattern {
    return new CallPattern(name, (call) => call.operation === name);
  }

  /**
   * Reads `GET https://host/path`. In the path, `*` (or `{name}`) matches one segment and `**` any number. Without `?` the
   * query does not matter; with one, the parameters must be the same in any order. Undefined when the text is not such a pattern.
   */
  static parse(text: string): CallPattern | undefined {
    const match = /^(GET|HEAD|POST|PUT|PATCH|DELETE|ANY) +(https?:\/\/[^\s/?#]+)([^\s?#]*)(?:\?(\S*))?$/.exec(text);
    if (!match) return undefined;
    const [, method, origin, path, query] = match;
    const wanted = encoded(path!.replace(/\{[^}]*\}/g, '*'), query ?? '');
    return new CallPattern(text, (call) => {
      const url = splitUrl(call.url);
      return (
        (method === 'ANY' || method === call.method) &&
        url !== undefined &&
        url.origin.toLowerCase() === origin!.toLowerCase() &&
        fits(segments(wanted.path), segments(url.path)) &&
        (query === undefined || sameQuery(wanted.query, url.query))
      );
    });
  }
}

/** A URL as it is sent: illegal characters are percent-encoded, and the fragment is dropped. */
export function urlAsSent(url: string): string {
  const parts = splitUrl(url);
  return parts ? `${parts.origin}${parts.path}${parts.query === '' ? '' : `?${parts.query}`}` : url;
}

/** Path and query in the form of a URL. */
function encoded(path: string, query: string): { path: string; query: string } {
  const { pathname, search } = new URL(`http://any${path}${query === '' ? '' : `?${query}`}`);
  return { path: path === '' ? '' : pathname, query: search.slice(1) };
}

function splitUrl(url: string): { origin: string; path: string; query: string } | undefined {
  const match = /^(https?:\/\/[^/?#]+)([^?#]*)(?:\?([^#]*))?/i.exec(url);
  return match ? { origin: match[1]!, ...encoded(match[2]!, match[3] ?? '') } : undefined;
}

function segments(path: string): string[] {
  return path.replace(/^\//, '').replace(/\/$/, '').split('/');
}

function fits(pattern: readonly string[], path: readonly string[]): boolean {
  const [head, ...rest] = pattern;
  if (head === undefined) return path.length === 0;
  if (head === '**') return path.some((_, i) => fits(rest, path.slice(i))) || fits(rest, []);
  if (path.length === 0) return false;
  return segmentFits(head, path[0]!) && fits(rest, path.slice(1));
}

/** A segment may mix text and `*`; both are compared as they are sent, percent-encoding included. */
function segmentFits(pattern: string, segment: string): boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return pattern === segment;
  const first = parts[0]!;
  const last = parts.at(-1)!;
  if (segment.length < first.length + last.length || !segment.startsWith(first) || !segment.endsWith(last))
    return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = segment.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= segment.length - last.length;
}

function sameQuery(a: string, b: string): boolean {
  const sorted = (text: string) => text.split('&').filter(Boolean).sort().join('&');
  return sorted(a) === sorted(b);
}
