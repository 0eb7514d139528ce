/** The place at which a text stops being JSON, and the reason. */
export interface JsonFault {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  readonly expected: string;
}

const space = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The offset after the token at `at`; `at` itself if there is no token. */
function afterToken(text: string, at: number): number {
  if (text[at] !== '"') {
    scalar.lastIndex = at;
    return scalar.test(text) ? scalar.lastIndex : at;
  }
  let i = at + 1;
  while (i < text.length) {
    const char = text.charCodeAt(i);
    if (char === 0x22) return i + 1;
    if (char < 0x20) return at;
    if (char === 0x5c) {
      escaped.lastIndex = i;
      if (!escaped.test(text)) return at;
      i = escaped.lastIndex;
    } else i++;
  }
  return at;
}

/**
 * Finds the first place at which `text` is not JSON. JSON.parse reports it only sometimes, and then quotes the body; this quotes
 * nothing. Walks with its own stack, so that deep nesting is safe.
 */
export function jsonFault(text: string): JsonFault {
  const open: ('{' | '[')[] = [];
  let at = 0;
  let want: 'value' | 'first' | 'key' | 'colon' | 'more' = 'value';
  const skip = (): void => {
    space.lastIndex = at;
    space.test(text);
    at = space.lastIndex;
  };
  const take = (): boolean => {
    const end = afterToken(text, at);
    const found = end > at;
    at = end;
    return found;
  };
  for (;;) {
    skip();
    const char = text[at];
    if (want === 'more') {
      const top = open.at(-1);
      if (top === undefined) return fault(text, at, 'nothing more');
      if (char === ',') want = top === '{' ? 'key' : 'value';
      else if (char === (top === '{' ? '}' : ']')) open.pop();
      else return fault(text, at, `"," or "${top === '{' ? '}' : ']'}"`);
      at++;
    } else if (want === 'colon') {
      if (char !== ':') return fault(text, at, '":"');
      at++;
      want = 'value';
    } else if (want === 'key' || (want === 'first' && open.at(-1) === '{')) {
      if (want === 'first' && char === '}') {
        open.pop();
        at++;
        want = 'more';
      } else {
        if (char !== '"' || !take()) return fault(text, at, 'a property name in double quotes');
        want = 'colon';
      }
    } else if (want === 'first' && char === ']') {
      open.pop();
      at++;
      want = 'more';
    } else if (char === '{' || char === '[') {
      open.push(char);
      at++;
      want = 'first';
    } else {
      if (!take()) return fault(text, at, 'a value');
      want = 'more';
    }
  }
}

/** Line and column of `offset`, both from 1. */
function fault(text: string, offset: number, expected: string): JsonFault {
  const before = text.slice(0, offset).split('\n');
  return { offset, line: before.length, column: (before.at(-1) as string).length + 1, expected };
}
