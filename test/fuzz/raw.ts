/** Whether two JSON texts say the same after duplicate keys collapsed (the last one wins): numbers to the last digit, however written. */
export function sameJson(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    return normal(a) === normal(b);
  } catch {
    return false;
  }
}

const token = /\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{},:])/y;

/** The text without spaces, with duplicate keys collapsed and numbers in one notation. */
function normal(text: string): string {
  let at = 0;
  const read = (): string => {
    token.lastIndex = at;
    const match = token.exec(text);
    if (!match) throw new Error(`not JSON at ${at}`);
    at = token.lastIndex;
    return match[1]!;
  };
  const value = (): string => {
    const first = read();
    if (first === '[') {
      const items: string[] = [];
      while (!ends(']')) {
        items.push(value());
        if (!ends(']')) read();
      }
      read();
      return `[${items.join(',')}]`;
    }
    if (first === '{') {
      const entries = new Map<string, string>();
      while (!ends('}')) {
        const key = read();
        read();
        entries.set(key, value());
        if (!ends('}')) read();
      }
      read();
      return `{${[...entries].map(([key, item]) => `${key}:${item}`).join(',')}}`;
    }
    if (first.startsWith('"')) return JSON.stringify(JSON.parse(first));
    return /^-?\d/.test(first) ? exact(first) : first;
  };
  const ends = (closing: string): boolean => {
    const before = at;
    const next = read();
    at = before;
    return next === closing;
  };
  return value();
}

/** A number as its digits and a power of ten: 1E+3, 1000 and 1000.0 are the same. */
function exact(text: string): string {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign}${kept}e${Number(power) - fraction.length + digits.length - kept.length}`;
}
