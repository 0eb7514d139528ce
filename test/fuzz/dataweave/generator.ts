import { fields, paths } from './documents.js';
import { literals } from './literals.js';
import { productions } from './productions/index.js';
import type { Random } from './random.js';
import { type Signature, signatures } from './signatures.js';
import { bare, build, leaf, list, type Node } from './tree.js';

export interface Variable {
  name: string;
  type: string;
}

const concrete = [
  'num',
  'str',
  'bool',
  'obj',
  '[num]',
  '[str]',
  '[obj]',
  'date',
  'datetime',
  'period',
  'null',
  'localdatetime',
  'localtime',
  'time',
];
const weights: readonly (readonly [number, string])[] = concrete.map((type, i) => [i < 7 ? 8 : i < 10 ? 3 : 1, type]);

/** Types whose values are generated as literals only: computed ones are nearly always out of range. */
const literalOnly = new Set([
  'int',
  'small',
  'smallpos',
  'unit',
  'code',
  'radix',
  'sep',
  'char',
  'bits',
  'hex',
  'hexes',
  'binary',
  'regex',
  'conversion',
]);
const plain: Record<string, string> = {
  int: 'num',
  small: 'num',
  smallpos: 'num',
  unit: 'num',
  code: 'num',
  radix: 'num',
  sep: 'str',
  char: 'str',
  bits: 'str',
  hex: 'str',
  hexes: 'str',
  binary: 'str',
  conversion: 'str',
};

/** Generates one expression: mostly meaningful, sometimes of the wrong type or without required parentheses. */
export class Generator {
  scope: Variable[] = [];
  #names = 0;

  constructor(readonly random: Random) {}

  /** An expression of the intended type `type`. */
  expression(type: string, depth: number): Node {
    const { random } = this;
    if (type === 'any') return this.expression(this.someType(), depth);
    if (literalOnly.has(type)) {
      if (type === 'regex' || depth <= 0 || random.chance(0.8)) return this.literal(type);
      return this.expression(plain[type]!, depth - 1);
    }
    if (random.chance(0.04)) return this.expression(this.someType(), depth);
    if (depth <= 0 || random.chance(0.08)) return this.#leaf(type);
    for (let tries = 0; tries < 4; tries++) {
      const made = random.chance(0.5) ? this.#call(type, depth) : this.#produce(type, depth);
      if (made) return made;
    }
    return this.#leaf(type);
  }

  someType(): string {
    return this.random.weighted(weights);
  }

  /** A type for the items of an array. */
  itemType(): string {
    return this.random.pick(['num', 'str', 'obj', 'num', 'str', 'bool', 'any']);
  }

  /** An expression as an operand: in parentheses if required, but sometimes not. */
  operand(type: string, depth: number): Node {
    return this.enclosed(this.expression(type, depth));
  }

  enclosed(node: Node): Node {
    return node.atom || this.random.chance(0.15) ? bare(node) : build(node.type, 'parens', { atom: true })`(${node})`;
  }

  literal(type: string): Node {
    const texts = literals[type];
    if (texts) return leaf(type, type === 'regex' ? 'fixed regex' : 'literal', this.random.pick(texts));
    return this.expression(type, 0);
  }

  name(prefix: string): string {
    return `${prefix}${this.#names++}`;
  }

  /** Runs `make` with additional names in scope. */
  within<T>(variables: Variable[], make: () => T): T {
    const before = this.scope;
    const hidden = new Set(variables.map(({ name }) => name));
    this.scope = [...before.filter(({ name }) => !hidden.has(name)), ...variables];
    try {
      return make();
    } finally {
      this.scope = before;
    }
  }

  /** A lambda over `parameters` whose body has type `result`; `short` allows `$` instead of names. */
  lambda(parameters: string[], result: string, depth: number, short: boolean): Node {
    if (short && parameters.length <= 3 && this.random.chance(0.55)) {
      const variables = parameters.map((type, i) => ({ name: '$'.repeat(i + 1), type }));
      const body = this.within(variables, () => this.expression(result, depth));
      const open = body.atom || this.random.chance(0.35);
      return open
        ? build('fn', 'short lambda', { value: false })`${bare(body)}`
        : build('fn', 'short lambda', { value: false, atom: true })`(${body})`;
    }
    const count = this.random.chance(0.5) ? parameters.length : Math.max(1, this.random.below(parameters.length) + 1);
    const variables = parameters.slice(0, count).map((type) => ({ name: this.name('v'), type }));
    const body = this.within(variables, () => this.expression(result, depth));
    const head = variables.map(({ name }) => name).join(', ');
    const open = short && this.random.chance(0.2);
    return open
      ? build('fn', 'lambda', { value: false })`(${head}) -> ${body}`
      : build('fn', 'lambda', { value: false, atom: true })`((${head}) -> ${body})`;
  }

  #leaf(type: string): Node {
    const { random } = this;
    if (type === 'any') return this.#leaf(this.someType());
    const inScope = this.scope.filter((variable) => variable.type === type || variable.type === 'any');
    const candidates: [number, () => Node][] = [];
    if (inScope.length > 0) candidates.push([6, () => leaf(type, 'variable', random.pick(inScope).name)]);
    const objects = this.scope.filter((variable) => variable.type === 'obj');
    if (objects.length > 0 && fields[type]) {
      candidates.push([
        5,
        () => leaf(type, 'variable field', `${random.pick(objects).name}.${random.pick(fields[type]!)}`),
      ]);
    }
    if (paths[type]) candidates.push([3, () => leaf(type, 'path', random.pick(paths[type]!))]);
    if (literals[type]) candidates.push([3, () => this.literal(type)]);
    if (type.startsWith('[')) {
      const items = () => Array.from({ length: random.below(4) }, () => this.#leaf(type.slice(1, -1)));
      candidates.push([2, () => build(type, 'array', { atom: true })`[${list('items', ', ', items())}]`]);
    }
    if (type === 'obj')
      candidates.push([
        1,
        () => leaf(type, 'literal', random.pick(['{a: 1, b: "x"}', '{}', '{a: 1, a: 2}', '{a: null}'])),
      ]);
    if (candidates.length === 0) return leaf('null', 'literal', 'null');
    return random.weighted(candidates)();
  }

  #produce(type: string, depth: number): Node | undefined {
    const fitting = productions.filter(
      (it) => it.type === type || it.type === '*' || (it.type === '[]' && type.startsWith('[')),
    );
    const chosen = this.random.weighted(fitting.map((it) => [it.weight, it] as const));
    return chosen.make(this, type, depth - 1);
  }

  #call(type: string, depth: number): Node | undefined {
    const fitting = signatures.filter((it) => unify(it.result, type) !== undefined);
    if (fitting.length === 0) return undefined;
    const chosen = this.random.weighted(fitting.map((it) => [it.weight, it] as const));
    return this.#apply(chosen, type, depth - 1);
  }

  /** A call of one library function. */
  call(signature: Signature, depth: number): Node {
    return this.#apply(signature, signature.result, depth);
  }

  #apply(signature: Signature, type: string, depth: number): Node {
    const types = new Map(unify(signature.result, type));
    const resolve = (pattern: string): string =>
      pattern.replace(/\b[TUK]\b/g, (variable) => {
        if (!types.has(variable)) types.set(variable, this.itemType());
        return types.get(variable)!;
      });
    const bound = signature.args.map(resolve);
    const { name } = signature;
    if (name === 'replaceWith') {
      const [subject, pattern, by] = bound;
      const last = by!.startsWith('fn:') ? this.#lambdaFor(by!, depth, true) : this.operand(by!, depth);
      return build(
        'str',
        'replace',
      )`${this.operand(subject!, depth)} replace ${this.operand(pattern!, depth)} with ${last}`;
    }
    if (signature.infix && bound.length === 2 && this.random.chance(0.75)) {
      const right = bound[1]!.startsWith('fn')
        ? this.#lambdaFor(bound[1]!, depth, true)
        : this.operand(bound[1]!, depth);
      return build(type, name)`${this.operand(bound[0]!, depth)} ${name} ${right}`;
    }
    const args = bound.map((arg) =>
      arg.startsWith('fn') ? this.#lambdaFor(arg, depth, false) : this.expression(arg, depth),
    );
    const parts: (string | Node)[] = [`${name}(`];
    for (const [i, arg] of args.entries()) parts.push(...(i > 0 ? [', ', arg] : [arg]));
    parts.push(')');
    return { type, label: name, parts, atom: true, value: true };
  }

  #lambdaFor(pattern: string, depth: number, short: boolean): Node {
    if (pattern.startsWith('fn0:')) {
      const body = this.expression(pattern.slice(4), depth);
      return build('fn', 'lambda', { value: false, atom: true })`(() -> ${body})`;
    }
    const [, parameters, result] = /^fn:\((.*?)\)(.*)$/.exec(pattern)!;
    return this.lambda(parameters!.split(','), result!, depth, short);
  }
}

/** The type T for which `pattern` equals `type`; undefined if there is none. */
function unify(pattern: string, type: string): [string, string][] | undefined {
  if (pattern === type) return [];
  if (/^[TUK]$/.test(pattern)) return [[pattern, type]];
  const item = /^\[([TUK])\]$/.exec(pattern);
  if (item && type.startsWith('[')) return [[item[1]!, type.slice(1, -1)]];
  if (pattern === '[any]' && type.startsWith('[')) return [];
  return undefined;
}
