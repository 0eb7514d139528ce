import type { Node, NodeOf, Param } from './ast.js';
import { OperatorParser, stops } from './operators.js';
import { reserved } from './reserved-words.js';
import { isNameStart } from './source-cursor.js';

const names: readonly [number, string][] = [
  [3, 'mapObject filterObject pluck'],
  [
    2,
    'map filter reduce orderBy groupBy distinctBy flatMap with everyEntry someEntry takeWhile firstWith mapString substringBy ' +
      'mapLeafValues filterTree filterObjectLeafs filterArrayLeafs nodeExists',
  ],
  [
    1,
    'maxBy minBy then some every countBy sumBy partition dropWhile indexWhere splitWhere duplicatesBy ' +
      'failIf countCharactersBy everyCharacter someCharacter',
  ],
  [0, 'onNull orElse orElseTry'],
];

/** Parameter count of the lambda that a library function takes as its last argument: in an infix call they are `$`, `$$` and `$$$`. */
const lambdaParameters: ReadonlyMap<string, number> = new Map(
  names.flatMap(([count, functions]) => functions.split(' ').map((name): [string, number] => [name, count])),
);

const leftLambda = new Set(['any', 'all']);
/** Functions whose left operand may well be a condition. */
const takesAnything = new Set(['then', 'onNull', 'log']);

/** Parses expressions: operands joined by infix functions (also `++`, `--`, `default`, `match`, `update`), which bind loosest. */
export abstract class ExpressionParser extends OperatorParser {
  abstract matchCases(value: Node): Node;
  abstract updateCases(value: Node): Node;

  /** Parses an expression: operands joined by infix functions, all on one left-associative level. */
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

  /** Parses an operand. `key: value` without braces is an object with a single field, whose value extends to the end. */
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
    // A function cannot be an operand of `and`, so it is the whole argument.
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

  /** Builds a tree from operands and the words between them; `and` binds tighter than `or`. */
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

  /** Number of implicit parameters (`$`, `$$`, `$$$`) of the lambda to the right of the infix function; null if it takes no lambda. */
  protected lambdaParameters(name: string): number | null {
    if (this.journey && leftLambda.has(name)) return 1;
    const own = this.lambdaFunctions.get(name);
    return own === undefined ? (lambdaParameters.get(name) ?? null) : own;
  }
  /** The same for functions that the expression declares, or imports by another name. */
  protected readonly lambdaFunctions = new Map<string, number | null>();
  protected importsAll = false;

  /** Notes how a renamed import takes its last argument. Of several imports of one name the first counts, and `*` may contain it. */
  protected renamed(name: string, alias: string): void {
    const count = lambdaParameters.get(name) ?? null;
    if (alias === name || this.lambdaFunctions.has(alias) || (count === null && this.importsAll)) return;
    this.lambdaFunctions.set(alias, count);
  }
}

/** Unnamed parameters: the third is `$$$`, even after two named ones. */
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

/** Operands of a chain of `and` and `or`, in order, with the words between them. */
function chain(node: Node): (Node | 'and' | 'or')[] {
  return node.kind === 'and' || node.kind === 'or' ? [...chain(node.left), node.kind, ...chain(node.right)] : [node];
}
