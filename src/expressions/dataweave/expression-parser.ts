import type { BinaryOp, Entry, Item, Node, NodeOf, Param } from './ast.js';
import { isDigit, isNamePart, isNameStart } from './cursor.js';
import { takesLambda } from './library/lambdas.js';
import { SelectorParser } from './selector-parser.js';
import { reserved } from './words.js';

/** Names declared as plain values in the blocks around: such a name never starts an infix call. */
interface Plain {
  names: Set<string>;
  outer: Plain | null;
}

/** Words that end an operand although they look like an infix function's name. */
const stops: ReadonlySet<string> = new Set([
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

const leftLambda = new Set(['any', 'all']);

/** Reads expressions by precedence, loosest first; see the precedence table in `docs/dataweave.md`. */
export abstract class ExpressionParser extends SelectorParser {
  protected plain: Plain = { names: new Set(), outer: null };
  /** Inside a condition that must end in `then` (journey mode), `then` is no infix function. */
  private conditionDepth = 0;
  /** Where a guard opens a parenthesis: the arrow behind it belongs to the case, not to a lambda. */
  protected conditionAt = -1;

  abstract doBlock(): Node;
  abstract matchCases(value: Node): Node;
  abstract updateCases(value: Node): Node;

  /** A whole expression: operands joined by infix functions, all on one left-associative level. */
  expression(): Node {
    this.enter();
    let left = this.disjunction();
    let reassociated = false;
    for (;;) {
      this.blank();
      const start = left.start;
      const c = this.char();
      if (c === 43 && this.char(1) === 43) {
        this.pos += 2;
        left = this.binary('++', left, this.operand());
      } else if (c === 45 && this.char(1) === 45 && this.char(2) !== 45) {
        this.pos += 2;
        left = this.binary('--', left, this.operand());
      } else if (isNameStart(c)) {
        const next = this.infix(left, start, reassociated);
        if (!next) break;
        reassociated ||= next.kind === 'and' || next.kind === 'or';
        left = next;
      } else break;
    }
    this.leave();
    return left;
  }

  private operand(): Node {
    this.blank();
    return this.disjunction();
  }

  private binary(op: BinaryOp, left: Node, right: Node): Node {
    this.count();
    return { kind: 'binary', op, left, right, start: left.start, end: right.end };
  }

  private infix(left: Node, start: number, reassociated: boolean): Node | null {
    const nameStart = this.pos;
    const word = this.peekName();
    if (word === 'default') {
      this.pos += word.length;
      this.blank();
      if (this.journey && this.char() === 58) {
        this.lint('DW-D1', this.pos, "'default:' is not standard", "write 'default' without the colon");
        this.pos++;
      }
      const right = this.operand();
      this.count();
      return { kind: 'default', left, right, start, end: right.end };
    }
    if (stops.has(word) || (word === 'then' && this.conditionDepth > 0)) return null;
    if (reserved.has(word)) return null;
    this.pos += word.length;
    let callee: Node = { kind: 'name', name: word, start: nameStart, end: this.pos };
    if (this.looking('::')) {
      this.pos = nameStart;
      callee = this.nameOrQualified();
    } else {
      const back = this.pos;
      this.blank();
      if (this.char() === 123 && word === 'match') return this.matchCases(left);
      if (this.char() === 123 && word === 'update') return this.updateCases(left);
      this.pos = back;
      if (!this.startsOperand() || (this.journey && this.isPlain(word))) {
        if (this.journey || this.isPlain(word)) {
          this.pos = nameStart;
          return null;
        }
      }
    }
    return this.infixCall(left, callee, reassociated);
  }

  private infixCall(left: Node, callee: Node, reassociated: boolean): Node {
    const name = callee.kind === 'name' || callee.kind === 'qualified' ? callee.name : '';
    const outer = this.dollars;
    this.dollars = 0;
    let right = this.operand();
    const used = this.dollars;
    const isLambda = ungrouped(right).kind === 'lambda';
    if (this.bindsDollar(name)) {
      if (!isLambda) right = this.implicitLambda(right, used);
      this.dollars = isLambda ? Math.max(outer, used) : outer;
    } else this.dollars = Math.max(outer, used);
    this.count();
    if (this.journey && (right.kind === 'and' || right.kind === 'or') && certainlyNotBoolean(leftmost(right)))
      return this.reassociateRight(left, callee, right);
    if (this.journey && (left.kind === 'and' || left.kind === 'or') && (reassociated || leftLambda.has(name))) {
      this.lint(
        'DW-D11',
        callee.start,
        `'${name}' binds looser than and/or`,
        `put '${name}' and its operands in parentheses`,
      );
      const inner: Node = {
        kind: 'call',
        callee,
        args: [left.right, right],
        infix: true,
        start: left.right.start,
        end: right.end,
      };
      return { ...left, right: inner, end: right.end };
    }
    return { kind: 'call', callee, args: [left, right], infix: true, start: left.start, end: right.end };
  }

  private reassociateRight(left: Node, callee: Node, right: NodeOf<'and' | 'or'>): Node {
    const name = callee.kind === 'name' ? callee.name : 'the function';
    this.lint(
      'DW-D11',
      callee.start,
      `'${name}' binds looser than and/or`,
      `put '${name}' and its operands in parentheses`,
    );
    const walk = (node: Node): Node => {
      if (node.kind === 'and' || node.kind === 'or') return { ...node, left: walk(node.left), start: left.start };
      return { kind: 'call', callee, args: [left, node], infix: true, start: left.start, end: node.end };
    };
    return walk(right);
  }

  private implicitLambda(body: Node, used: number): Node {
    const names = ['$', '$$', '$$$'].slice(0, used);
    const params: Param[] = names.map((name) => ({
      name,
      type: null,
      fallback: null,
      start: body.start,
      end: body.start,
    }));
    this.count();
    return { kind: 'lambda', params, body, implicit: true, start: body.start, end: body.end };
  }

  /** Whether the right operand of infix `name` is a lambda, so that `$` in it is its parameter. */
  protected bindsDollar(name: string): boolean {
    return takesLambda.has(name) || this.lambdaFunctions.has(name) || (this.journey && leftLambda.has(name));
  }
  protected readonly lambdaFunctions = new Set<string>();

  private isPlain(name: string): boolean {
    for (let scope: Plain | null = this.plain; scope; scope = scope.outer) if (scope.names.has(name)) return true;
    return false;
  }

  /** Whether an operand can start here (after blanks); the position stays. */
  private startsOperand(): boolean {
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

  private disjunction(): Node {
    let left = this.conjunction();
    while (this.takeWord('or')) left = this.logical('or', left, this.conjunction());
    return left;
  }

  private conjunction(): Node {
    let left = this.equality();
    while (this.takeWord('and')) left = this.logical('and', left, this.equality());
    return left;
  }

  private logical(kind: 'and' | 'or', left: Node, right: Node): Node {
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
        const type = this.type();
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

  /** `!x` takes one operand; `not` and prefix `-` take everything down to `or`. */
  private prefix(): Node {
    this.blank();
    const start = this.pos;
    const c = this.char();
    if (c === 33 && this.char(1) !== 61) {
      this.pos++;
      this.blank();
      if (this.char() === 33) throw this.unexpected('an operand');
      const operand = this.postfix();
      this.count();
      return { kind: 'not', operand, word: false, start, end: operand.end };
    }
    if (c === 45 && !isDigit(this.char(1))) {
      if (this.char(1) === 45) throw this.unexpected('an operand');
      this.pos++;
      this.blank();
      if (isDigit(this.char())) throw this.error(start, this.pos + 1, "A space between '-' and a number", "write '-1'");
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
      case 60: {
        this.typeParameters();
        this.blank();
        return this.lambda() ?? this.fail('a lambda');
      }
      case 64:
        throw this.unsupported(start, start + 1, 'An XML attribute');
    }
    if (this.looking('...')) throw this.error(start, start + 3, "'...' is a placeholder, not an expression");
    return this.fail('an expression');
  }

  private fail(what: string): never {
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
    if (reserved.has(word)) {
      const bound = this.journey && word === 'output' && this.source[start + 6] === '.';
      if (!bound)
        throw this.error(
          start,
          start + word.length,
          `'${word}' is a reserved word`,
          `quote it where it is a field name: '${word}'`,
        );
      this.lint('DW-D6', start, "'output' is a reserved word", 'bind it under another name');
    }
    const node = this.nameOrQualified();
    if (this.blankThen(96)) return this.tagged(node);
    if (this.journey && node.kind === 'name') {
      const back = this.pos;
      if (this.take('->')) {
        this.lint('DW-D12', start, 'A lambda parameter needs parentheses', `write '(${word}) -> …'`);
        const body = this.lambdaBody();
        const param: Param = { name: word, type: null, fallback: null, start, end: start + word.length };
        this.count();
        return { kind: 'lambda', params: [param], body, implicit: false, start, end: body.end };
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

  /** A function applied to a backtick text: it gets the constant parts and the interpolated values. */
  private tagged(callee: Node): Node {
    const text = this.text();
    const parts = text.kind === 'template' ? text.parts : [text];
    const constants: Item[] = [];
    const values: Item[] = [];
    for (const [i, value] of parts.entries()) {
      const isConstant = value.kind === 'string';
      if (isConstant === constants.length > values.length && i > 0)
        constants.push({ value: { kind: 'string', value: '', start: value.start, end: value.start }, condition: null });
      if (!isConstant && constants.length === values.length)
        constants.push({ value: { kind: 'string', value: '', start: value.start, end: value.start }, condition: null });
      (isConstant ? constants : values).push({ value, condition: null });
    }
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
    if (!this.takeWord('else')) throw this.unexpected("'else'", 'every if needs an else');
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
      throw this.error(open, this.pos, 'The condition needs parentheses', "write 'if (condition) a else b'");
    this.lint('DW-D3', open, 'The condition needs parentheses around all of it', "write 'if (condition) a else b'");
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
    this.blank();
    const from = this.pos;
    const key = this.pairStart();
    const inner = key ? this.pair(key, from) : this.expression();
    this.conditionDepth = saved;
    this.expect(')');
    return { kind: 'group', inner, start, end: this.pos };
  }

  /** `(a, b: Type = value) -> body`, or null with the position unchanged. */
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
        } catch (error) {
          if (!this.source.includes('->', this.pos)) throw error;
          this.nodes = back;
          this.pos = start;
          return null;
        }
      }
      if (this.take('->')) {
        const body = this.lambdaBody();
        this.count();
        return { kind: 'lambda', params, body, implicit: false, start, end: body.end };
      }
    }
    this.pos = start;
    return null;
  }

  private lambdaBody(): Node {
    return this.expression();
  }

  /** A parameter list, or null where the parenthesis holds something else. */
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

  array(): Node {
    const start = this.pos++;
    const items: Item[] = [];
    while (!this.take(']')) {
      items.push(this.item());
      if (!this.take(',')) {
        this.expect(']', "',' or ']'");
        break;
      }
    }
    this.count();
    return { kind: 'array', items, start, end: this.pos };
  }

  private item(): Item {
    this.blank();
    const start = this.pos;
    const pair = this.pairStart();
    if (pair) return { value: this.pair(pair, start), condition: null };
    const value = this.expression();
    return { value, condition: value.kind === 'group' ? this.fieldCondition() : null };
  }

  /** An object of one field, whose key has been read. */
  protected pair(key: Node, start: number): Node {
    const value = this.expression();
    this.count();
    return { kind: 'object', entries: [{ kind: 'pair', key, value, condition: null }], start, end: this.pos };
  }

  private fieldCondition(): Node | null {
    const back = this.pos;
    if (!this.takeWord('if')) {
      this.pos = back;
      return null;
    }
    return this.expression();
  }

  /** `name:` or `"text":`, after which comes the value; null with the position unchanged. */
  protected pairStart(): Node | null {
    const start = this.pos;
    const c = this.char();
    let key: Node;
    if (c === 34 || c === 39) key = this.text();
    else if (isNameStart(c)) {
      const name = this.peekName();
      this.pos += name.length;
      if (reserved.has(name)) {
        const back = this.pos;
        this.blank();
        const isKey = this.char() === 58 && this.char(1) !== 58;
        this.pos = back;
        if (!isKey) {
          this.pos = start;
          return null;
        }
        this.reservedName(name, start);
      }
      key = { kind: 'string', value: name, start, end: this.pos };
    } else return null;
    this.blank();
    if (this.char() === 64) throw this.unsupported(this.pos, this.pos + 1, 'An XML attribute');
    if (this.char() !== 58 || this.char(1) === 58) {
      this.pos = start;
      return null;
    }
    this.pos++;
    this.count();
    return key;
  }

  object(): Node {
    const start = this.pos++;
    const entries: Entry[] = [];
    while (!this.take('}')) {
      entries.push(this.entry());
      if (!this.take(',')) {
        this.expect('}', "',' or '}'");
        break;
      }
    }
    this.count();
    return { kind: 'object', entries, start, end: this.pos };
  }

  private entry(): Entry {
    this.blank();
    const key = this.pairStart();
    if (key) return { kind: 'pair', key, value: this.expression(), condition: null };
    if (this.char() !== 40) {
      if (isDigit(this.char())) throw this.unexpected('a field name', 'quote a name that is a number');
      throw this.unexpected('a field name');
    }
    return this.parenthesisedEntry();
  }

  private parenthesisedEntry(): Entry {
    const start = this.pos++;
    this.blank();
    const key = this.pairStart();
    if (key) {
      const value = this.expression();
      this.expect(')');
      return { kind: 'pair', key, value, condition: this.fieldCondition() };
    }
    this.pos = start + 1;
    const inner = this.expression();
    this.blank();
    if (this.char() === 58 && this.char(1) !== 58) {
      this.pos++;
      const value = this.expression();
      this.expect(')');
      return { kind: 'pair', key: inner, value, condition: this.fieldCondition() };
    }
    this.expect(')');
    this.blank();
    if (this.char() === 58 && this.char(1) !== 58) {
      this.pos++;
      return { kind: 'pair', key: inner, value: this.expression(), condition: null };
    }
    return { kind: 'spread', value: inner };
  }
}

function ungrouped(node: Node): Node {
  let it = node;
  while (it.kind === 'group') it = it.inner;
  return it;
}

function leftmost(node: Node): Node {
  let it = node;
  while (it.kind === 'and' || it.kind === 'or') it = it.left;
  return it;
}

function certainlyNotBoolean(node: Node): boolean {
  if (node.kind === 'string') return node.value !== 'true' && node.value !== 'false';
  return ['number', 'null', 'template', 'array', 'object', 'regex', 'temporal', 'lambda'].includes(node.kind);
}
