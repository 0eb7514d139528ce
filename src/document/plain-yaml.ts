import { emptyObject, type Json, type JsonObject } from '../json/value.js';
import { ambiguousText } from './scalars.js';

/** What is longer or deeper is left to the library. A value takes two characters at least, so that there are never too many of them. */
const most = { characters: 100_000, depth: 50 };

/** Tabs, carriage returns and characters that nobody sees; lines that begin a document or a directive. */
const unusual = /[^\n -~\u00a1-\u2027\u202a-\ufefe\uff00-\uffff]|^(?:---|\.\.\.|%)/m;

const spaces = / */y;
const blanks = /[ \n]*/y;
const restOfLine = / *(?: #[^\n]*)?\n/y;
const emptyLines = /(?: *(?:#[^\n]*)?\n)*/y;
const key = keyOf('[A-Za-z_$/](?:[^\\n:#]{0,100}[^\\n:# ])?');
const keyInBrackets = keyOf('[A-Za-z_$/][\\w$./-]{0,100}');
const doubleQuoted = /"(?:[^"\\\n]|\\["\\/bfnrt])*"/y;
const singleQuoted = /'(?:[^'\n]|'')*'/y;
const blockHeader = /([|>])(-?)\n/y;
/** Where a plain text ends. */
const endInLine = /\n| #/g;
const endInBrackets = /[,[\]{}\n]/g;

const plainStart = /^(?:[\w$/.(+~<=^\\;\u00a1-\uffff]|-\d)/;
const plainNumber = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;
const likeNumber = /^[-+.]*\d[-+.\deE]*$|^0[xo]/;
const version = /^\d+\.\d+\.\d+$/;
const words = new Map<string, Json>([
  ...['~', 'null', 'Null', 'NULL'].map((word): [string, Json] => [word, null]),
  ...['true', 'True', 'TRUE'].map((word): [string, Json] => [word, true]),
  ...['false', 'False', 'FALSE'].map((word): [string, Json] => [word, false]),
]);

/** A key and its colon, plain (as `plain` says) or quoted. */
function keyOf(plain: string): RegExp {
  return new RegExp(`(?:(${plain})|"([^"\\\\\\n]{0,100})"|'([^'\\n]{0,100})'):(?=[ \\n])`, 'y');
}

/** Thrown where a text goes beyond plain YAML. */
const beyond = new Error('not plain YAML');

/**
 * The value of a text in the YAML that most documents keep to, in a tenth of the time that the library takes; undefined for any other text,
 * and for one with a fault. Maps and lists, in blocks or in brackets; keys, quoted and plain texts within one line; block texts. The library
 * gives each such text the same value, and finds no fault in it. It also knows positions, which are wanted only where there are findings.
 */
export function plainYaml(text: string): Json | undefined {
  if (text.length > most.characters || !text.endsWith('\n') || unusual.test(text)) return undefined;
  try {
    return new PlainYaml(text).document();
  } catch (error) {
    if (error !== beyond) throw error;
    return undefined;
  }
}

class PlainYaml {
  private at = 0;
  /** The column in which the line at hand begins; -1 behind the last one. */
  private indent = 0;
  /** How many brackets are open. */
  private open = 0;

  constructor(private readonly text: string) {}

  document(): Json {
    this.nextLine();
    const value = this.indent === 0 ? this.block(0) : undefined;
    // Whatever is left belongs to none of what was read.
    if (value === undefined || this.at < this.text.length) throw beyond;
    return value;
  }

  /** A map or a list that begins where the line at hand does. */
  private block(depth: number): Json {
    return this.atDash() ? this.list(this.indent, depth) : this.map(this.indent, depth);
  }

  private map(indent: number, depth: number): Json {
    if (depth > most.depth) throw beyond;
    const out = emptyObject();
    while (this.indent === indent) {
      const name = this.newKey(key, out);
      if (!this.endLine()) out[name] = this.inline(indent, depth);
      // A list may stand in the column of its key.
      else if (this.indent === indent && this.atDash()) out[name] = this.list(indent, depth + 1);
      else out[name] = this.below(indent, depth);
    }
    if (this.indent > indent) throw beyond;
    return out;
  }

  private list(indent: number, depth: number): Json {
    if (depth > most.depth) throw beyond;
    const out: Json[] = [];
    while (this.indent === indent && this.atDash()) {
      this.at++;
      out.push(this.endLine() ? this.below(indent, depth) : this.item(indent, depth));
    }
    if (this.indent > indent) throw beyond;
    return out;
  }

  /** What stands behind a dash: perhaps the first line of a map or a list. */
  private item(indent: number, depth: number): Json {
    const dash = this.at - 1;
    this.pass(spaces);
    this.indent = indent + this.at - dash;
    return this.blockOrInline(indent, depth);
  }

  /** What stands on the lines below a key or a dash, if anything does. */
  private below(indent: number, depth: number): Json {
    return this.indent > indent ? this.blockOrInline(indent, depth) : null;
  }

  private blockOrInline(indent: number, depth: number): Json {
    key.lastIndex = this.at;
    return this.atDash() || key.test(this.text) ? this.block(depth + 1) : this.inline(indent, depth);
  }

  /** What stands on the line of its key or dash. */
  private inline(indent: number, depth: number): Json {
    this.pass(spaces);
    const header = this.match(blockHeader);
    const value = header
      ? this.blockText(indent, header[1] === '>') + (header[2] === '-' ? '' : '\n')
      : (this.closed(indent, depth) ?? plain(this.textUntil(endInLine)));
    // A text that goes on below is left to the library.
    if ((!header && !this.endLine()) || this.indent > indent) throw beyond;
    return value;
  }

  /** What has an end of its own: in brackets, or in quotes. */
  private closed(indent: number, depth: number): Json | undefined {
    const start = this.at;
    switch (this.text[start]) {
      case '{': {
        const out = emptyObject();
        this.members('}', indent, depth, () => {
          const name = this.newKey(keyInBrackets, out);
          out[name] = this.inBrackets(indent, depth + 1);
        });
        return out;
      }
      case '[': {
        const out: Json[] = [];
        this.members(']', indent, depth, () => out.push(this.inBrackets(indent, depth + 1)));
        return out;
      }
      case '"':
        if (!this.pass(doubleQuoted)) throw beyond;
        return JSON.parse(this.text.slice(start, this.at)) as string;
      case "'":
        if (!this.pass(singleQuoted)) throw beyond;
        return this.text.slice(start + 1, this.at - 1).replaceAll("''", "'");
      default:
        return undefined;
    }
  }

  private members(close: string, indent: number, depth: number, read: () => void): void {
    if (depth > most.depth) throw beyond;
    this.open++;
    do {
      this.at++;
      this.passBlanks(indent);
      if (this.text[this.at] === close) break;
      read();
      this.passBlanks(indent);
    } while (this.text[this.at] === ',');
    if (this.text[this.at++] !== close) throw beyond;
    this.open--;
  }

  private inBrackets(indent: number, depth: number): Json {
    this.passBlanks(indent);
    return this.closed(indent, depth) ?? plain(this.textUntil(endInBrackets));
  }

  /** Lines between brackets are indented further than what they belong to, but for one that closes the outermost. */
  private passBlanks(indent: number): void {
    const start = this.at;
    this.pass(blanks);
    const line = this.text.slice(start, this.at).lastIndexOf('\n');
    const closes = this.open === 1 && (this.text[this.at] === '}' || this.text[this.at] === ']');
    if (line !== -1 && this.at - start - line <= (closes ? indent : indent + 1)) throw beyond;
  }

  /** The lines of a block text. Blank ones at its beginning are left to the library, and so is the folding of lines that are further in. */
  private blockText(indent: number, folded: boolean): string {
    const lines: string[] = [];
    let width = 0;
    while (this.at < this.text.length) {
      const start = this.at;
      const end = this.text.indexOf('\n', start);
      this.pass(spaces);
      const margin = this.at - start;
      const blank = this.at === end;
      if (width === 0 && !blank) width = margin;
      if (width <= indent || (margin > width && (blank || folded))) throw beyond;
      this.at = start;
      if (margin < width && !blank) break;
      lines.push(this.text.slice(start + width, end));
      this.at = end + 1;
    }
    if (width === 0) throw beyond;
    while (lines.at(-1) === '') lines.pop();
    this.nextLine();
    const text = lines.join('\n');
    return folded ? text.replace(/\n(\n*)/g, (_, more: string) => more || ' ') : text;
  }

  /** A key that `map` does not have yet, and its colon. */
  private newKey(pattern: RegExp, map: JsonObject): string {
    const found = this.match(pattern);
    if (found === null) throw beyond;
    const name = found[1] ?? found[2] ?? found[3]!;
    if (Object.hasOwn(map, name) || (found[1] !== undefined && ambiguousText(name) !== undefined)) throw beyond;
    return name;
  }

  private atDash(): boolean {
    const { text, at } = this;
    return text[at] === '-' && (text[at + 1] === ' ' || text[at + 1] === '\n');
  }

  /** Whether nothing but a comment is left on this line; the next one that holds something is then at hand. */
  private endLine(): boolean {
    if (!this.pass(restOfLine)) return false;
    this.nextLine();
    return true;
  }

  private nextLine(): void {
    this.pass(emptyLines);
    const start = this.at;
    this.pass(spaces);
    this.indent = this.at === this.text.length ? -1 : this.at - start;
  }

  /** A text up to where `pattern` says, without blanks at its end. */
  private textUntil(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    let end = pattern.exec(this.text)!.index;
    while (end > this.at && this.text[end - 1] === ' ') end--;
    const text = this.text.slice(this.at, end);
    this.at = end;
    return text;
  }

  private pass(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }
}

/** What an unquoted text means. */
function plain(text: string): Json {
  if (!plainStart.test(text) || text.endsWith(':') || text.includes(': ') || text.includes(' #')) throw beyond;
  const word = words.get(text);
  if (word !== undefined) return word;
  if (plainNumber.test(text)) return Number(text);
  if (likeNumber.test(text) && !version.test(text)) throw beyond;
  if (ambiguousText(text) !== undefined) throw beyond;
  return text;
}
