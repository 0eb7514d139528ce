const token = /\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{},:])/y;

/**
 * JSON text on one line with duplicate keys collapsed (the last value wins, at the first one's position). Numbers keep all their digits,
 * which a trip through JSON.parse would lose; `number` may rewrite them.
 */
export function collapse(text: string, number: (digits: string) => string = (digits) => digits): string {
  let at = 0;
  const peek = (): string => {
    token.lastIndex = at;
    const match = token.exec(text);
    if (!match) throw new SyntaxError(`not JSON at ${at}`);
    return match[1]!;
  };
  const read = (): string => {
    const found = peek();
    at = token.lastIndex;
    return found;
  };
  const members = (closing: string, member: () => void): void => {
    while (peek() !== closing) {
      member();
      if (peek() === ',') read();
    }
    read();
  };
  const value = (): string => {
    const first = read();
    if (first === '[') {
      const items: string[] = [];
      members(']', () => items.push(value()));
      return `[${items.join(',')}]`;
    }
    if (first === '{') {
      const entries = new Map<string, string>();
      members('}', () => {
        const key = JSON.stringify(JSON.parse(read()));
        read();
        entries.set(key, value());
      });
      return `{${[...entries].map(([key, item]) => `${key}:${item}`).join(',')}}`;
    }
    if (first.startsWith('"')) return JSON.stringify(JSON.parse(first));
    return /^-?\d/.test(first) ? number(first) : first;
  };
  return value();
}
