import type { BinaryOp, Node } from './ast.js';
import { PrimaryParser } from './primary-expressions.js';
import { isDigit, isNamePart, isNameStart } from './source-cursor.js';

/** Names that the enclosing blocks declare as plain values: such a name never starts an infix call. */
interface Plain {
  names: Set<string>;
  outer: Plain | null;
}

/** Words that end an operand, although they look like the name of an infix function. */
export const stops: ReadonlySet<string> = new Set([
  'else',
  'case',
  'and',
  'or',
  'is',
  'as',
  'if',
  'var',
  'fun',
  'type',
  'ns',
  'import',
  'at',
  'unless',
  'using',
]);

/**
 * Parses operators by precedence. Loosest first: `or`, `and`, equality, comparison and `is`, sums and shifts, products, `as`, `!`,
 * selectors. The prefixes `not` and `-` apply to everything down to `or`.
 */
export abstract class OperatorParser extends PrimaryParser {
  protected plain: Plain = { names: new Set(), outer: null };

  protected disjunction(): Node {
    let left = this.conjunction();
    while (this.takeWord('or')) left = this.logical('or', left, this.conjunction());
    return left;
  }

  private conjunction(): Node {
    let left = this.equality();
    while (this.takeWord('and')) left = this.logical('and', left, this.equality());
    return left;
  }

  protected logical(kind: 'and' | 'or', left: Node, right: Node): Node {
    this.count();
    return { kind, left, right, start: left.start, end: right.end };
  }

  private equality(): Node {
    let left = this.comparison();
    for (;;) {
      this.blank();
      const op = this.looking('==') ? '==' : this.looking('!=') ? '!=' : this.looking('~=') ? '~=' : null;
      if (!op) return left;
      this.pos += 2;
      if (op !== '~=' && this.char() === 61) throw this.unexpected('an expression', `compare with '${op}'`);
      left = this.binary(op, left, this.comparison());
    }
  }

  private comparison(): Node {
    let left = this.sum();
    for (;;) {
      this.blank();
      const c = this.char();
      if (c === 60 || c === 62) {
        const next = this.char(1);
        if (next === c) return left;
        if (c === 60 && next === 61 && this.char(2) === 62) {
          if (!this.journey) throw this.unexpected('an operand');
          this.lint('DW-D9', this.pos, "'<=>' is not standard", 'order by a key: orderBy ((item) -> item.field)');
          this.pos += 3;
          left = this.binary('<=>', left, this.sum());
          continue;
        }
        const op = (c === 60 ? '<' : '>') + (next === 61 ? '=' : '');
        this.pos += op.length;
        left = this.binary(op as BinaryOp, left, this.sum());
      } else if (c === 105 && this.takeWord('is')) {
        const type = this.declaredType();
        this.count();
        left = { kind: 'is', value: left, type, start: left.start, end: this.pos };
      } else return left;
    }
  }

  private sum(): Node {
    let left = this.product();
    for (;;) {
      this.blank();
      const c = this.char();
      const next = this.char(1);
      if (c === 45 && this.startsAnew()) return left;
      if ((c === 43 && next !== 43) || (c === 45 && next !== 45 && next !== 62)) {
        this.pos++;
        left = this.binary(c === 43 ? '+' : '-', left, this.product());
      } else if ((c === 60 && next === 60) || (c === 62 && next === 62)) {
        this.pos += 2;
        left = this.binary(c === 60 ? '<<' : '>>', left, this.product());
      } else return left;
    }
  }

  private product(): Node {
    let left = this.conversion();
    for (;;) {
      this.blank();
      const c = this.char();
      if (c === 42 || c === 47) {
        this.pos++;
        left = this.binary(c === 42 ? '*' : '/', left, this.conversion());
      } else return left;
    }
  }

  private conversion(): Node {
    let value = this.prefix();
    while (this.takeWord('as')) {
      const type = this.type();
      const options = this.typeOptions();
      this.count();
      value = { kind: 'as', value, type, options, start: value.start, end: this.pos };
    }
    return value;
  }

  /** Parses a prefix. `!x` applies to one operand; `not` and prefix `-` apply to everything down to `or`. */
  private prefix(): Node {
    this.blank();
    const start = this.pos;
    const c = this.char();
    if (c === 33 && this.char(1) !== 61) {
      this.pos++;
      this.blank();
      if (this.char() === 33) throw this.unexpected('an operand');
      const operand = this.postfix();
      if (operand.kind === 'do' || operand.kind === 'if')
        throw this.error(
          operand.start,
          operand.end,
          "'!' applies to a single operand",
          'put the operand in parentheses',
        );
      this.count();
      return { kind: 'not', operand, word: false, start, end: operand.end };
    }
    if (c === 45 && !isDigit(this.char(1))) {
      if (this.char(1) === 45) throw this.unexpected('an operand');
      this.pos++;
      this.blank();
      if (isDigit(this.char()))
        throw this.error(start, this.pos + 1, "There is a space between '-' and a number", "write '-1'");
      if (this.char() === 45 && isDigit(this.char(1))) throw this.unexpected('an operand');
      const operand = this.disjunctionNested();
      this.count();
      return { kind: 'negate', operand, word: true, start, end: operand.end };
    }
    if (c === 110 && this.looking('not') && !isNamePart(this.char(3)) && !this.isPlain('not')) {
      const negation = this.notPrefix(start);
      if (negation) return negation;
    }
    return this.postfix();
  }

  private disjunctionNested(): Node {
    this.enter();
    const node = this.disjunction();
    this.leave();
    return node;
  }

  private notPrefix(start: number): Node | null {
    this.pos += 3;
    this.blank();
    if (!this.startsOperand()) {
      this.pos = start;
      return null;
    }
    const operand = this.disjunctionNested();
    if (this.journey && (operand.kind === 'and' || operand.kind === 'or'))
      this.lint('DW-D15', start, `'not' applies to the whole '${operand.kind}'`, "write '(not a) or b' or '!a or b'");
    this.count();
    return { kind: 'not', operand, word: true, start, end: operand.end };
  }

  protected binary(op: BinaryOp, left: Node, right: Node): Node {
    this.count();
    return { kind: 'binary', op, left, right, start: left.start, end: right.end };
  }

  protected isPlain(name: string): boolean {
    for (let scope: Plain | null = this.plain; scope; scope = scope.outer) if (scope.names.has(name)) return true;
    return false;
  }

  /** Whether an operand starts here, after white space. Does not move. */
  protected startsOperand(): boolean {
    const back = this.pos;
    this.blank();
    const c = this.char();
    const after = this.pos;
    this.pos = back;
    if (isNameStart(c)) {
      this.pos = after;
      const word = this.peekName();
      this.pos = back;
      return !stops.has(word) || word === 'if' || word === 'unless' || word === 'using';
    }
    if (c === 45) return this.source.charCodeAt(after + 1) !== 45 && this.source.charCodeAt(after + 1) !== 62;
    return isDigit(c) || '"\'`([{$!|/'.includes(this.source[after] ?? '\0');
  }
}
