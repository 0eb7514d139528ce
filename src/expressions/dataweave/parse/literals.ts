import type { Node } from './ast.js';
import { Cursor, isDigit, isNameStart } from './source-cursor.js';

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['\\', '\\'],
  ['/', '/'],
  ['$', '$'],
]);

/** Parses literals: numbers, strings with interpolations, dates, regular expressions. */
export abstract class LiteralParser extends Cursor {
  abstract expression(): Node;
  abstract dollarName(): Node;

  /** The highest of `$`, `$$`, `$$$` that no implicit lambda has bound yet. */
  protected dollars = 0;
  /** Results of earlier attempts by position. Without them, backtracking in nested input would be exponential. */
  protected readonly memo = new Map<number, { node: Node; end: number; dollars: number }>();

  protected remembered(): Node | null {
    const known = this.memo.get(this.pos);
    if (!known) return null;
    this.pos = known.end;
    this.dollars = Math.max(this.dollars, known.dollars);
    return known.node;
  }

  number(): Node {
    const { source } = this;
    const start = this.pos;
    if (this.char() === 45) this.pos++;
    const digits = this.pos;
    while (isDigit(this.char())) this.pos++;
    if (this.pos - digits > 1 && source[digits] === '0')
      throw this.error(start, this.pos, 'A number cannot start with 0');
    if (this.char() === 46 && isDigit(this.char(1))) {
      this.pos++;
      while (isDigit(this.char())) this.pos++;
    }
    if ((this.char() | 32) === 101) {
      const sign = this.char(1) === 43 || this.char(1) === 45 ? 1 : 0;
      if (isDigit(this.char(1 + sign))) {
        this.pos += 2 + sign;
        while (isDigit(this.char())) this.pos++;
      }
    }
    if (isNameStart(this.char())) throw this.unexpected('an operator after the number');
    this.count();
    return { kind: 'number', text: source.slice(start, this.pos), start, end: this.pos };
  }

  /** Parses text in double quotes, single quotes or backticks, with `$name` and `$(…)` interpolations. */
  text(): Node {
    const known = this.remembered();
    if (known) return known;
    const { source } = this;
    const start = this.pos;
    const outer = this.dollars;
    this.dollars = 0;
    const quote = source[this.pos]!;
    const parts: Node[] = [];
    let chunk = '';
    let from = ++this.pos;
    const flush = () => {
      chunk += source.slice(from, this.pos);
      if (chunk) parts.push({ kind: 'string', value: chunk, start: from, end: this.pos });
      chunk = '';
    };
    for (;;) {
      if (this.pos >= source.length) throw this.error(start, start + 1, `The text is not closed with ${quote}`);
      const c = source[this.pos]!;
      if (c === quote) break;
      if (c === '\\') {
        chunk += source.slice(from, this.pos) + this.escape(quote);
        from = this.pos;
      } else if (c === '$') {
        flush();
        parts.push(this.interpolation());
        from = this.pos;
      } else this.pos++;
    }
    const plain = parts.length === 0;
    if (plain) chunk += source.slice(from, this.pos);
    else flush();
    this.pos++;
    this.count();
    const { dollars } = this;
    this.dollars = Math.max(outer, dollars);
    if (plain) return { kind: 'string', value: chunk, start, end: this.pos };
    const node: Node = { kind: 'template', parts, start, end: this.pos };
    this.memo.set(start, { node, end: this.pos, dollars });
    return node;
  }

  private escape(quote: string): string {
    const c = this.source[this.pos + 1];
    if (c === undefined) throw this.error(this.pos, this.pos + 1, 'The text is not closed');
    if (c === 'u') {
      const hex = this.source.slice(this.pos + 2, this.pos + 6);
      if (/^[0-9a-fA-F]{4}$/.test(hex)) {
        this.pos += 6;
        return String.fromCharCode(Number.parseInt(hex, 16));
      }
    }
    this.pos += 2;
    if (c === quote) return c;
    return escapes.get(c) ?? `\\${c}`;
  }

  private interpolation(): Node {
    const start = this.pos;
    if (this.char(1) === 40) {
      this.pos += 2;
      const node = this.expression();
      this.expect(')', "')' to close the interpolation");
      return node.kind === 'string' ? { kind: 'group', inner: node, start, end: this.pos } : node;
    }
    if (!isNameStart(this.char(1))) return this.dollarName();
    this.pos++;
    const name = this.peekName();
    this.pos += name.length;
    this.count();
    return { kind: 'name', name, start, end: this.pos };
  }

  temporal(): Node {
    const start = this.pos;
    const close = this.source.indexOf('|', start + 1);
    if (close === -1) throw this.error(start, start + 1, "The date is not closed with '|'");
    this.pos = close + 1;
    this.count();
    return { kind: 'temporal', text: this.source.slice(start + 1, close).trim(), start, end: this.pos };
  }

  regex(): Node {
    const { source } = this;
    const start = this.pos++;
    let text = '';
    for (;;) {
      const c = source[this.pos];
      if (c === undefined || c === '\n')
        throw this.error(start, start + 1, "The regular expression is not closed with '/'");
      if (c === '/') break;
      if (c === '\\') {
        text += source[this.pos + 1] === '/' ? '/' : source.slice(this.pos, this.pos + 2);
        this.pos += 2;
      } else {
        text += c;
        this.pos++;
      }
    }
    this.pos++;
    this.count();
    return { kind: 'regex', source: text, start, end: this.pos };
  }
}
