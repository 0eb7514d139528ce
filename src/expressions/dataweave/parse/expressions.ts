import type { BinaryOp, Node, NodeOf, Param } from './ast.js';
import { isDigit, isNamePart, isNameStart } from './cursor.js';
import { lambdaParameters } from './lambda-parameters.js';
import { PrimaryParser } from './primaries.js';
import { reserved } from './words.js';

/** Names that the surrounding blocks declare as plain values: such a name never starts an infix call. */
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
/** Functions that may well be meant to take a condition. */
const takesAnything = new Set(['then', 'onNull', 'log']);

/**
 * Reads expressions by precedence. Loosest first: infix functions (also `++`, `--`, `default`, `match`, `update`) on one
 * left-associative level, `or`, `and`, equality, comparison and `is`, sums and shifts, products, `as`, `!`, selectors. The
 * prefixes `not` and `-` take everything down to `or`.
 */
export abstract class ExpressionParser extends PrimaryParser {
  protected plain: Plain = { names: new Set(), outer: null };

  abstract matchCases(value: Node): Node;
  abstract updateCases(value: Node): Node;

  /** A whole expression: operands joined by infix functions, all on one left-associative level. */
  expression(): Node {
    this.enter();
    let left = this.operand();
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

  /** An operand. `key: value` without braces is an object of one field, whose value is all that follows. */
  private operand(): Node {
    this.blank();
    const start = this.pos;
    const isKey = start === this.entryAt;
    const key = this.pairStart();
    if (key) return this.pair(key, start);
    const node = this.disjunction();
    if (isKey || node.kind !== 'group' || !this.takeColon()) return node;
    return this.pair({ key: node.inner, attributes: null }, start);
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
    if (this.char(word.length) === 40 && this.startsAnew()) return null;
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
    const written = ungrouped(right);
    const own = this.lambdaParameters(name);
    const first = leftmost(right);
    const whole = ungrouped(first);
    // A function is no operand of `and`, so it is the whole argument.
    if (this.journey && own !== null && first !== right && whole.kind === 'lambda') {
      whole.padded = true;
      this.dollars = Math.max(outer, used);
      this.count();
      return this.reassociateRight(left, callee, right as NodeOf<'and' | 'or'>, reassociated);
    }
    if (own !== null) {
      const named = written.kind === 'lambda' ? written.params.length : 0;
      if (written.kind === 'lambda') {
        written.padded = true;
        written.params.push(...dollarParams(written, named, Math.min(used, own)));
      } else right = this.implicitLambda(right, Math.min(used, own));
      this.dollars = Math.max(outer, used > own ? used : Math.min(used, named));
    } else this.dollars = Math.max(outer, used);
    this.count();
    if (this.journey && (right.kind === 'and' || right.kind === 'or') && certainlyNotBoolean(leftmost(right)))
      return this.reassociateRight(left, callee, right, reassociated);
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
    if (this.journey && (left.kind === 'and' || left.kind === 'or') && !takesAnything.has(name))
      this.lint(
        'DW-D15',
        callee.start,
        `'${name}' takes the whole '${left.kind}' on its left`,
        `put '${name}' and its operands in parentheses`,
      );
    return { kind: 'call', callee, args: [left, right], infix: true, start: left.start, end: right.end };
  }

  private reassociateRight(left: Node, callee: Node, right: NodeOf<'and' | 'or'>, reassociated: boolean): Node {
    const name = callee.kind === 'name' ? callee.name : 'the function';
    this.lint(
      'DW-D11',
      callee.start,
      `'${name}' binds looser than and/or`,
      `put '${name}' and its operands in parentheses`,
    );
    const before = reassociated ? chain(left) : [left];
    const [argument, ...after] = chain(right) as [Node, ...(Node | 'and' | 'or')[]];
    const target = before.pop() as Node;
    const call: Node = {
      kind: 'call',
      callee,
      args: [target, argument],
      infix: true,
      start: target.start,
      end: argument.end,
    };
    return this.joined([...before, call, ...after]);
  }

  /** Operands and the words between them as a tree, `and` tighter than `or`. */
  private joined(parts: (Node | 'and' | 'or')[]): Node {
    const or = parts.lastIndexOf('or');
    const at = or === -1 ? parts.lastIndexOf('and') : or;
    if (at === -1) return parts[0] as Node;
    return this.logical(parts[at] as 'and' | 'or', this.joined(parts.slice(0, at)), this.joined(parts.slice(at + 1)));
  }

  private implicitLambda(body: Node, used: number): Node {
    const params = dollarParams(body, 0, used);
    this.count();
    return { kind: 'lambda', params, body, padded: true, start: body.start, end: body.end };
  }

  /** How many of `$`, `$$`, `$$$` the lambda to the right of infix `name` has as parameters; null if there is no lambda. */
  protected lambdaParameters(name: string): number | null {
    if (this.journey && leftLambda.has(name)) return 1;
    return this.lambdaFunctions.get(name) ?? lambdaParameters.get(name) ?? null;
  }
  /** The same for functions that the expression declares. */
  protected readonly lambdaFunctions = new Map<string, number>();

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
      if (operand.kind === 'do' || operand.kind === 'if')
        throw this.error(operand.start, operand.end, "'!' takes a single operand", 'put the operand in parentheses');
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
}

/** The parameters that were given no name: the third is `$$$`, even after two that have names. */
function dollarParams({ start }: Node, from: number, to: number): Param[] {
  return ['$', '$$', '$$$'].slice(from, to).map((name) => ({ name, type: null, fallback: null, start, end: start }));
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

/** The operands of a chain of `and` and `or`, in order, with the words between them. */
function chain(node: Node): (Node | 'and' | 'or')[] {
  return node.kind === 'and' || node.kind === 'or' ? [...chain(node.left), node.kind, ...chain(node.right)] : [node];
}
