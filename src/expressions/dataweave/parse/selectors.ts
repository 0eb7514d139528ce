import type { Node, NodeOf, SelectOp } from './ast.js';
import { reserved } from './reserved-words.js';
import { isNameStart } from './source-cursor.js';
import { TypeParser } from './type-expressions.js';

/** Parses operand suffixes: field, index, range and filter selectors, calls, `?` and `!`. */
export abstract class SelectorParser extends TypeParser {
  abstract primary(): Node;

  /** Whether a line break ends the operand, even if the next line could continue it (journey mode). */
  protected lineEnds = false;

  protected startsAnew(): boolean {
    return this.lineEnds && /\n[ \t]*$/.test(this.source.slice(Math.max(0, this.pos - 200), this.pos));
  }

  postfix(): Node {
    this.blank();
    let node = this.primary();
    if (node.kind === 'if' || node.kind === 'do') return node;
    for (;;) {
      const end = this.pos;
      this.blank();
      const c = this.char();
      if ((c === 91 || c === 40) && this.startsAnew()) {
        this.pos = end;
        return node;
      }
      if (c === 46) node = this.field(node);
      else if (c === 91) node = this.brackets(node);
      else if (c === 40 && this.isCallable(node)) node = this.call(node);
      else if (c === 63 && isSelection(node)) {
        this.pos++;
        this.count();
        return { kind: 'exists', target: node, start: node.start, end: this.pos };
      } else if (c === 33 && this.char(1) !== 61 && isSelection(node)) {
        this.pos++;
        this.count();
        return { kind: 'assert', target: node, start: node.start, end: this.pos };
      } else {
        this.pos = end;
        return node;
      }
    }
  }

  private isCallable(node: Node): boolean {
    return ![
      'string',
      'number',
      'boolean',
      'null',
      'object',
      'array',
      'regex',
      'temporal',
      'template',
      'lambda',
    ].includes(node.kind);
  }

  private call(callee: Node): Node {
    this.pos++;
    const args: Node[] = [];
    while (!this.take(')')) {
      args.push(this.expression());
      if (!this.take(',')) {
        this.expect(')', "',' or ')'");
        break;
      }
    }
    this.count();
    return { kind: 'call', callee, args, infix: false, start: callee.start, end: this.pos };
  }

  private field(target: Node): Node {
    this.pos++;
    let op: SelectOp = '.';
    if (this.char() === 46) {
      this.pos++;
      op = '..';
    }
    if (this.char() === 42) {
      this.pos++;
      op = op === '.' ? '.*' : '..*';
    } else if (this.char() === 38) {
      this.pos++;
      op = op === '.' ? '.&' : '..&';
    }
    const sign = this.char();
    if ((sign === 64 && op !== '.&' && op !== '..&' && op !== '..*') || (sign === 94 && op === '.'))
      return this.annotation(target, sign === 94 ? '.^' : `${op}@`);
    const key = this.fieldName(op);
    this.count();
    return { kind: 'select', target, op, key, start: target.start, end: this.pos };
  }

  /** Parses the name after `@` or `^`; without a name, all are selected. */
  private annotation(target: Node, op: NodeOf<'annotation'>['op']): Node {
    this.pos++;
    const c = this.char();
    const key = c === 34 || c === 39 || c === 96 || isNameStart(c) ? this.fieldName('.') : null;
    this.annotates = true;
    this.count();
    return { kind: 'annotation', target, op, key, start: target.start, end: this.pos };
  }

  private fieldName(op: SelectOp): Node | null {
    const start = this.pos;
    const c = this.char();
    if (c === 34 || c === 39 || c === 96) return this.text();
    if (c === 64) throw this.unsupported(start, start + 1, 'An XML attribute selector');
    if (c === 94) throw this.unsupported(start, start + 1, 'A metadata selector');
    if (c === 35) throw this.unsupported(start, start + 1, 'A namespace selector');
    if (!isNameStart(c)) {
      if (op === '..') return null;
      throw this.unexpected('a field name', c === 46 ? "'...' is a placeholder, not an expression" : undefined);
    }
    const name = this.peekName();
    this.pos += name.length;
    if (reserved.has(name)) this.reservedName(name, start);
    if (this.char() === 35) throw this.unsupported(start, this.pos, 'A namespace');
    return { kind: 'string', value: name, start, end: this.pos };
  }

  /** A reserved word used as a field name: an error, or a lint in journey mode. */
  protected reservedName(name: string, start: number): void {
    if (!this.journey)
      throw this.error(start, start + name.length, `'${name}' is a reserved word`, `quote it: '${name}'`);
    this.lint('DW-D5', start, `'${name}' is a reserved word`, `quote it: "${name}"`);
  }

  private brackets(target: Node): Node {
    this.pos++;
    this.blank();
    const c = this.char();
    if (c === 63) {
      this.pos++;
      this.expect('(');
      const condition = this.whereCondition();
      this.expect(')');
      this.expect(']');
      this.count();
      return { kind: 'where', target, condition, start: target.start, end: this.pos };
    }
    if (c === 64 || c === 94) {
      const node = this.annotation(target, c === 64 ? '.@' : '.^');
      this.expect(']');
      return node;
    }
    let op: '' | '*' | '&' = '';
    if (c === 42 || c === 38) {
      this.pos++;
      op = c === 42 ? '*' : '&';
    }
    const quoted = !this.journey && op === '' && (c === 34 || c === 39);
    const index = quoted ? this.text() : this.expression();
    this.expect(']');
    this.count();
    return { kind: 'index', target, op, index, start: target.start, end: this.pos };
  }

  /** Parses the condition of `[?( … )]`, in which `$` and `$$` are the item and its key or index. */
  abstract whereCondition(): Node;
}

function isSelection(node: Node): boolean {
  return ['select', 'index', 'annotation', 'where'].includes(node.kind);
}
