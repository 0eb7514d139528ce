import { emptyObject } from '../../../base/json/value.js';
import type { Finding, ProblemError } from '../../../base/problems/problem.js';
import { positionOf, sourceProblem } from '../source-position.js';

/** Maximum length of an expression, in characters. */
export const maxSource = 65_536;
export const maxNesting = 200;
export const maxNodes = 20_000;

enum Char {
  Tab = 9,
  Newline = 10,
  Return = 13,
  Space = 32,
  Star = 42,
  Slash = 47,
}

/** Whether a character code is a digit. */
export function isDigit(c: number): boolean {
  return c >= 48 && c <= 57;
}

/** Whether a name can start with a character code. */
export function isNameStart(c: number): boolean {
  return (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || c === 95;
}

/** Whether a name can continue with a character code. */
export function isNamePart(c: number): boolean {
  return isNameStart(c) || isDigit(c);
}

/** A position in the source with its lexical helpers and the lints so far. All parser layers extend it. */
export class Cursor {
  pos = 0;
  nodes = 0;
  nesting = 0;
  readonly lints: Finding[] = [];

  constructor(
    readonly source: string,
    readonly journey: boolean,
    /** Names bound by the host. They are names even if DataWeave reserves the word. */
    readonly given: ReadonlySet<string> = new Set(),
  ) {
    if (source.length > maxSource)
      throw this.error(
        0,
        0,
        `The expression is longer than ${maxSource} characters`,
        undefined,
        'DW_UNSUPPORTED_SYNTAX',
      );
  }

  error(
    start: number,
    end: number,
    detail: string,
    hint?: string,
    code: 'DW_PARSE_ERROR' | 'DW_UNSUPPORTED_SYNTAX' | 'DW_UNKNOWN_VARIABLE' = 'DW_PARSE_ERROR',
  ): ProblemError {
    return sourceProblem(code, this.source, start, end, detail, hint);
  }

  unsupported(start: number, end: number, what: string): ProblemError {
    return this.error(start, end, `${what} is not supported`, undefined, 'DW_UNSUPPORTED_SYNTAX');
  }

  unexpected(expected: string, hint?: string): ProblemError {
    const word = this.peekName();
    const found =
      this.pos >= this.source.length
        ? 'the end'
        : word
          ? `'${word}'`
          : `'${String.fromCodePoint(this.source.codePointAt(this.pos)!)}'`;
    return this.error(this.pos, this.pos + (word.length || 1), `Expected ${expected}, found ${found}`, hint);
  }

  lint(id: string, start: number, message: string, hint: string): void {
    const { line, column } = positionOf(this.source, start);
    if (this.lints.some((it) => it.code === id && it.line === line && it.column === column)) return;
    const finding: Finding = Object.assign(emptyObject(), {
      code: id,
      severity: 'warning',
      message,
      pointer: '',
      line,
      column,
      hint,
    }) as unknown as Finding;
    this.lints.push(finding);
  }

  /** Counts a node, to limit the size of the tree. */
  count(): void {
    if (++this.nodes > maxNodes)
      throw this.error(
        this.pos,
        this.pos,
        `The expression has more than ${maxNodes} parts`,
        undefined,
        'DW_UNSUPPORTED_SYNTAX',
      );
  }

  enter(): void {
    if (++this.nesting > maxNesting)
      throw this.error(
        this.pos,
        this.pos,
        `The expression nests deeper than ${maxNesting}`,
        undefined,
        'DW_UNSUPPORTED_SYNTAX',
      );
  }

  leave(): void {
    this.nesting--;
  }

  char(offset = 0): number {
    return this.source.charCodeAt(this.pos + offset);
  }

  /** Skips white space and comments. */
  blank(): void {
    const { source } = this;
    for (;;) {
      const c = source.charCodeAt(this.pos);
      if (c === Char.Space || c === Char.Newline || c === Char.Tab || c === Char.Return) this.pos++;
      else if (c === Char.Slash && source.charCodeAt(this.pos + 1) === Char.Slash) {
        const end = source.indexOf('\n', this.pos);
        this.pos = end === -1 ? source.length : end + 1;
      } else if (c === Char.Slash && source.charCodeAt(this.pos + 1) === Char.Star) {
        const end = source.indexOf('*/', this.pos + 2);
        if (end === -1) throw this.error(this.pos, this.pos + 2, 'The comment is not closed');
        this.pos = end + 2;
      } else return;
    }
  }

  looking(text: string): boolean {
    return this.source.startsWith(text, this.pos);
  }

  /** Consumes `text` if it is next, after white space. */
  take(text: string): boolean {
    this.blank();
    if (!this.looking(text)) return false;
    this.pos += text.length;
    return true;
  }

  expect(text: string, what = `'${text}'`, hint?: string): void {
    if (!this.take(text)) throw this.unexpected(what, hint);
  }

  /** The name at the position, or ''. Does not move. */
  peekName(): string {
    const { source } = this;
    let end = this.pos;
    if (!isNameStart(source.charCodeAt(end))) return '';
    while (isNamePart(source.charCodeAt(++end)));
    return source.slice(this.pos, end);
  }

  /** Consumes a whole word if it is next, after white space. */
  takeWord(word: string): boolean {
    this.blank();
    if (!this.looking(word) || isNamePart(this.char(word.length))) return false;
    this.pos += word.length;
    return true;
  }
}
