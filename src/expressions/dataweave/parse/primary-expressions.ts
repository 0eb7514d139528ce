import { CollectionParser } from './arrays-and-objects.js';
import type { ArrayItem, Node, Param } from './ast.js';
import { reserved } from './reserved-words.js';
import { isDigit, isNameStart } from './source-cursor.js';

/** Parses operands: literals, names, lambdas, `if`, `using`, parentheses. */
export abstract class PrimaryParser extends CollectionParser {
  /** Nesting depth of conditions that end in `then` (journey mode), where `then` is not an infix function. */
  protected conditionDepth = 0;
  /** Position of the opening parenthesis of a guard: the arrow after it belongs to the case, not to a lambda. */
  protected conditionAt = -1;

  abstract doBlock(): Node;

  primary(): Node {
    const start = this.pos;
    const c = this.char();
    if (isNameStart(c)) return this.word(start);
    if (isDigit(c) || (c === 45 && isDigit(this.char(1)))) return this.number();
    switch (c) {
      case 34:
      case 39:
      case 96:
        return this.text();
      case 40:
        return this.parenthesis();
      case 91:
        return this.array();
      case 123:
        return this.object();
      case 36:
        return this.dollarName();
      case 124:
        return this.temporal();
      case 47:
        return this.regex();
      case 60:
        return this.withTypes(this.typeParameters(), () => {
          this.blank();
          return this.lambda() ?? this.fail('a lambda');
        });
      case 64:
        throw this.unsupported(start, start + 1, 'An XML attribute');
    }
    if (this.looking('...')) throw this.error(start, start + 3, "'...' is a placeholder, not an expression");
    return this.fail('an expression');
  }

  protected fail(what: string): never {
    throw this.unexpected(what);
  }

  dollarName(): Node {
    const start = this.pos;
    let n = 0;
    while (this.char() === 36 && n < 3) {
      this.pos++;
      n++;
    }
    this.dollars = Math.max(this.dollars, n);
    this.count();
    return { kind: 'name', name: '$'.repeat(n), start, end: this.pos };
  }

  private word(start: number): Node {
    const word = this.peekName();
    switch (word) {
      case 'true':
      case 'false':
        this.pos += word.length;
        this.count();
        return { kind: 'boolean', value: word === 'true', start, end: this.pos };
      case 'null':
        this.pos += 4;
        this.count();
        return { kind: 'null', start, end: this.pos };
      case 'if':
      case 'unless':
        return this.conditional(word);
      case 'do':
        return this.doBlock();
      case 'using':
        return this.using();
    }
    if (reserved.has(word) && !this.given.has(word)) {
      const tolerated = this.journey && (word === 'output' || word === 'input');
      if (!tolerated)
        throw this.error(
          start,
          start + word.length,
          `'${word}' is a reserved word`,
          `quote it to use it as a field name: '${word}'`,
        );
      this.lint('DW-D6', start, `'${word}' is a reserved word`, 'bind it under another name');
    }
    const node = this.nameOrQualified();
    if (this.blankThen(96)) return this.tagged(node);
    if (this.journey && node.kind === 'name') {
      const back = this.pos;
      if (this.take('->')) {
        this.lint('DW-D12', start, 'A lambda parameter requires parentheses', `write '(${word}) -> …'`);
        const body = this.lambdaBody();
        const param: Param = { name: word, type: null, fallback: null, start, end: start + word.length };
        this.count();
        return { kind: 'lambda', params: [param], body, padded: false, start, end: body.end };
      }
      this.pos = back;
    }
    return node;
  }

  private blankThen(c: number): boolean {
    const back = this.pos;
    this.blank();
    if (this.char() === c) return true;
    this.pos = back;
    return false;
  }

  /** Parses a function applied to a backtick string: it receives the constant parts and the interpolated values. */
  private tagged(callee: Node): Node {
    const text = this.text();
    const parts = text.kind === 'template' ? text.parts : [text];
    const constants: ArrayItem[] = [];
    const values: ArrayItem[] = [];
    for (const [i, value] of parts.entries()) {
      const isConstant = value.kind === 'string';
      if (isConstant === constants.length > values.length && i > 0)
        constants.push({ value: { kind: 'string', value: '', start: value.start, end: value.start }, condition: null });
      if (!isConstant && constants.length === values.length)
        constants.push({ value: { kind: 'string', value: '', start: value.start, end: value.start }, condition: null });
      (isConstant ? constants : values).push({ value, condition: null });
    }
    const empty: Node = { kind: 'string', value: '', start: text.end, end: text.end };
    if (constants.length === values.length) constants.push({ value: empty, condition: null });
    const span = { start: text.start, end: text.end };
    this.count();
    return {
      kind: 'call',
      callee,
      args: [
        { kind: 'array', items: constants, ...span },
        { kind: 'array', items: values, ...span },
      ],
      infix: false,
      start: callee.start,
      end: this.pos,
    };
  }

  protected nameOrQualified(): Node {
    const start = this.pos;
    let name = this.peekName();
    this.pos += name.length;
    let module = '';
    while (this.char() === 58 && this.char(1) === 58 && isNameStart(this.char(2))) {
      module = module ? `${module}::${name}` : name;
      this.pos += 2;
      name = this.peekName();
      this.pos += name.length;
    }
    if (this.char() === 35 && isNameStart(this.char(1))) throw this.unsupported(start, this.pos + 1, 'A namespace');
    this.count();
    return module
      ? { kind: 'qualified', module, name, start, end: this.pos }
      : { kind: 'name', name, start, end: this.pos };
  }

  private conditional(word: string): Node {
    const start = this.pos;
    this.pos += word.length;
    const condition = this.condition();
    const first = this.expression();
    if (!this.takeWord('else')) throw this.unexpected("'else'", 'every if requires an else');
    const otherwise = this.expression();
    this.count();
    return word === 'if'
      ? { kind: 'if', condition, yes: first, no: otherwise, start, end: otherwise.end }
      : { kind: 'if', condition, yes: otherwise, no: first, start, end: otherwise.end };
  }

  private condition(): Node {
    this.blank();
    const open = this.pos;
    if (this.char() === 40) {
      const outer = this.dollars;
      this.dollars = 0;
      this.pos++;
      const condition = this.expression();
      this.expect(')', "')' to close the condition");
      const { dollars } = this;
      this.dollars = Math.max(outer, dollars);
      if (!this.journey) return condition;
      const end = this.pos;
      this.memo.set(open, { node: { kind: 'group', inner: condition, start: open, end }, end, dollars });
      this.blank();
      if (this.peekName() === 'then') {
        this.lint('DW-D2', this.pos, "'then' is not standard", "write 'if (condition) a else b'");
        this.pos += 4;
        return condition;
      }
      if (!'<>=!~+*.'.includes(this.source[this.pos] ?? ' ') && !['and', 'or', 'default'].includes(this.peekName())) {
        this.pos = end;
        return condition;
      }
    } else if (!this.journey) throw this.unexpected("'(' after if");
    this.pos = open;
    this.conditionDepth++;
    const condition = this.expression();
    this.conditionDepth--;
    if (!this.takeWord('then'))
      throw this.error(open, this.pos, 'The condition requires parentheses', "write 'if (condition) a else b'");
    this.lint('DW-D3', open, 'The whole condition must be in parentheses', "write 'if (condition) a else b'");
    return condition;
  }

  private using(): Node {
    const start = this.pos;
    this.pos += 5;
    this.expect('(');
    const declarations = [];
    do {
      this.blank();
      const from = this.pos;
      const name = this.peekName();
      if (!name) throw this.unexpected('a name');
      this.pos += name.length;
      this.expect('=');
      const value = this.expression();
      declarations.push({ kind: 'var' as const, name, type: null, value, start: from, end: value.end });
    } while (this.take(','));
    this.expect(')');
    const body = this.expression();
    this.count();
    return { kind: 'do', declarations, body, start, end: body.end };
  }

  private parenthesis(): Node {
    const known = this.remembered();
    if (known) return known;
    const start = this.pos;
    const lambda = this.lambda();
    if (lambda) return lambda;
    this.pos++;
    const saved = this.conditionDepth;
    this.conditionDepth = 0;
    const inner = this.expression();
    this.conditionDepth = saved;
    this.expect(')');
    return { kind: 'group', inner, start, end: this.pos };
  }

  /** Parses `(a, b: Type = value) -> body`; returns null and leaves the position unchanged otherwise. */
  protected lambda(): Node | null {
    const start = this.pos;
    if (start === this.conditionAt) return null;
    const params = this.params();
    if (params) {
      this.blank();
      if (this.char() === 58) {
        this.pos++;
        const back = this.nodes;
        try {
          this.type();
        } catch {
          this.nodes = back;
          this.pos = start;
          return null;
        }
      }
      if (this.take('->')) {
        const body = this.lambdaBody();
        this.count();
        return { kind: 'lambda', params, body, padded: false, start, end: body.end };
      }
    }
    this.pos = start;
    return null;
  }

  private lambdaBody(): Node {
    return this.expression();
  }

  /** Parses a parameter list; null if the parenthesis contains something else. */
  protected params(commit = false): Param[] | null {
    this.pos++;
    const params: Param[] = [];
    this.blank();
    if (this.char() === 41) {
      this.pos++;
      return params;
    }
    for (;;) {
      this.blank();
      const start = this.pos;
      const name = this.peekName();
      if (!name || (reserved.has(name) && !commit)) return null;
      this.pos += name.length;
      this.blank();
      let type = null;
      let fallback = null;
      if (this.char() === 58 && this.char(1) !== 58) {
        this.pos++;
        if (commit) type = this.declaredType();
        else {
          const looksLikeType = this.typeOrNull();
          if (!looksLikeType) return null;
          type = looksLikeType;
        }
        this.blank();
      }
      if (this.char() === 61 && this.char(1) !== 61) {
        this.pos++;
        fallback = this.expression();
        this.blank();
      }
      params.push({ name, type, fallback, start, end: this.pos });
      if (this.char() === 41) {
        this.pos++;
        return params;
      }
      if (this.char() !== 44) return null;
      this.pos++;
    }
  }

  private typeOrNull() {
    try {
      return this.declaredType();
    } catch {
      return null;
    }
  }
}
