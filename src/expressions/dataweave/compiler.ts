import type { Finding } from '../../problems/problem.js';
import type { Code as ProblemCode } from '../../problems/registry.js';
import type { Ast, Entry, Item, Node, NodeOf, Param } from './ast.js';
import { neverBoolean, neverKey, neverText, operatorMask, possible, resultMask, wrongElements } from './check.js';
import { Closure, type CompiledParam, type LambdaCode } from './closure.js';
import { coerceTo, convert, readOptions } from './coerce.js';
import { compileCall } from './compile-call.js';
import { compileDeclarations } from './compile-declarations.js';
import { compileMatch } from './compile-match.js';
import { compileName } from './compile-name.js';
import { compileExists, compileIndex, compileSelect, compileWhere } from './compile-select.js';
import { resolveType } from './compile-type.js';
import { compileUpdate } from './compile-update.js';
import { readLiteral } from './dates/read.js';
import { coercionFault, Fault, place, sourceProblem, typeFault } from './fault.js';
import { operatorFunctions } from './library/operators.js';
import { negate as negateNumber, parseNumber } from './numbers.js';
import { condition, operators, truth } from './operators.js';
import { makeRegex, regexProblem } from './regex.js';
import { type Code, type Frame, type FunctionScope, Scope, type SelfCall } from './scope.js';
import { textOrNull, toText } from './text.js';
import { bitsOf, DwObject, isDec, isObjectValue, keyList, T, typeName, type Value, valueList } from './values.js';

/** A chain of a thousand operators is a tree that deep; deeper ones would be at the mercy of the host's stack. */
const maxDepth = 1_000;

/** Turns a syntax tree into nested closures, resolving every name on the way. */
export class Compiler {
  readonly lints: Finding[];
  count = 0;
  private depth = 0;
  private highest = 0;
  /** The types the expression compiled last may give. */
  mask: number = T.Any;
  /** The types of the elements, if it was an array literal. */
  elements: number = T.Any;
  /** Inside a function nothing is refused for its types: it may never be called with such values. */
  private functions = 0;

  constructor(
    readonly ast: Ast,
    /** Names bound from outside; null if any name may be. */
    readonly bindings: ReadonlySet<string> | null,
  ) {
    this.lints = [...ast.lints];
  }

  get journey(): boolean {
    return this.ast.mode === 'journey';
  }

  program(): { code: Code; slots: FunctionScope; cost: number } {
    const slots: FunctionScope = { slots: 1, outer: null };
    const scope = new Scope(slots, null);
    const prologue = compileDeclarations(this, this.ast.declarations, scope);
    const body = this.compile(this.ast.body, scope);
    const code: Code = prologue
      ? (run, frame) => {
          prologue(run, frame);
          return body(run, frame);
        }
      : body;
    return { code, slots, cost: this.count };
  }

  error(node: { start: number; end: number }, code: ProblemCode, detail: string, hint?: string): Error {
    return sourceProblem(code, this.ast.source, node.start, node.end, detail, hint);
  }

  lint(id: string, start: number, message: string, hint: string): void {
    const { line, column } = place(this.ast.source, start);
    this.lints.push({ code: id, severity: 'warning', message, pointer: '', line, column, hint });
  }

  /** `code` whose faults say where in the source they came from. */
  located(node: Node, code: Code): Code {
    const { start, end } = node;
    return (run, frame) => {
      try {
        return code(run, frame);
      } catch (error) {
        if (error instanceof Fault && error.start === -1) {
          error.start = start;
          error.end = end;
        }
        throw error;
      }
    };
  }

  compile(node: Node, scope: Scope, self: SelfCall | null = null): Code {
    this.count++;
    if (++this.depth > this.highest) this.highest = this.depth;
    if (this.depth > maxDepth)
      throw this.error(node, 'DW_UNSUPPORTED_SYNTAX', `The expression nests deeper than ${maxDepth}`);
    const code = this.node(node, scope, self);
    this.mask = resultMask(node, this.mask);
    if (node.kind !== 'array' && node.kind !== 'group') this.elements = T.Any;
    this.depth--;
    return code;
  }

  /** Refuses what cannot work whatever the data, as the real engine does. */
  refuseIf(wrong: boolean, node: Node, detail: string): void {
    if (wrong && this.functions === 0) throw this.error(node, 'DW_TYPE_MISMATCH', detail);
  }

  private truthy(node: Node, scope: Scope): Code {
    const code = this.compile(node, scope);
    this.refuseIf(neverBoolean(node, this.mask), node, 'A Boolean is needed here');
    return code;
  }

  private node(node: Node, scope: Scope, self: SelfCall | null): Code {
    switch (node.kind) {
      case 'group':
        return this.compile(node.inner, scope, self);
      case 'null':
        return () => null;
      case 'boolean':
      case 'string': {
        const { value } = node;
        return () => value;
      }
      case 'number':
        return this.number(node);
      case 'temporal': {
        const value = readLiteral(node.text);
        if (!value) throw this.error(node, 'DW_PARSE_ERROR', 'This is no date, time or period');
        this.mask = value.bits;
        return () => value;
      }
      case 'regex': {
        const problem = regexProblem(node.source);
        if (problem) throw this.error(node, 'DW_UNSUPPORTED_SYNTAX', problem);
        const value = makeRegex(node.source);
        return () => value;
      }
      case 'type': {
        const type = resolveType(this, node.type, scope);
        return () => type;
      }
      case 'template':
        return this.template(node, scope);
      case 'name':
      case 'qualified':
        return compileName(this, node, scope);
      case 'object':
        return this.object(node, scope);
      case 'array':
        return this.array(node, scope);
      case 'select':
        return compileSelect(this, node, scope);
      case 'index':
        return compileIndex(this, node, scope);
      case 'where':
        return compileWhere(this, node, scope);
      case 'exists':
      case 'assert':
        return compileExists(this, node, scope);
      case 'call':
        return compileCall(this, node, scope, self);
      case 'binary':
        return this.binary(node, scope);
      case 'and':
      case 'or':
        return this.logical(node, scope);
      case 'not':
      case 'negate':
        return this.prefix(node, scope);
      case 'default':
        return this.fallback(node, scope);
      case 'as':
        return this.conversion(node, scope);
      case 'is': {
        const value = this.compile(node.value, scope);
        const type = resolveType(this, node.type, scope);
        return (run, frame) => type.accepts(value(run, frame));
      }
      case 'if': {
        const test = this.located(node.condition, this.truthy(node.condition, scope));
        const yes = this.compile(node.yes, scope, self);
        const first = this.mask;
        const no = this.compile(node.no, scope, self);
        this.mask |= first;
        return this.choice(node, test, yes, no);
      }
      case 'lambda':
        return this.lambda(node, scope);
      case 'do':
        return this.block(node, scope, self);
      case 'match':
        return compileMatch(this, node, scope, self);
      case 'update':
        return compileUpdate(this, node, scope);
    }
  }

  private choice(node: Node, test: Code, yes: Code, no: Code): Code {
    const check = this.located(node, (run, frame) => condition(test(run, frame)));
    return (run, frame) => (check(run, frame) === true ? yes(run, frame) : no(run, frame));
  }

  private number(node: NodeOf<'number'>): Code {
    let value: Value = null;
    try {
      value = parseNumber(node.text, 1_000);
    } catch {
      value = null;
    }
    if (value === null) throw this.error(node, 'DW_UNSUPPORTED_SYNTAX', 'The number has too many digits');
    return () => value;
  }

  private template(node: NodeOf<'template'>, scope: Scope): Code {
    const parts = node.parts.map((part) => {
      const code = this.compile(part, scope);
      this.refuseIf(neverText(this.mask), part, 'This has no text');
      return code;
    });
    return this.located(node, (run, frame) => {
      let out = '';
      for (const part of parts) {
        const value = part(run, frame);
        out += typeof value === 'string' ? value : toText(value);
      }
      run.text(out.length);
      return out;
    });
  }

  private binary(node: NodeOf<'binary'>, scope: Scope): Code {
    if (this.journey && node.op === '-') return this.minus(node, scope);
    const left = this.compile(node.left, scope);
    const leftMask = this.mask;
    const right = this.compile(node.right, scope);
    const names = node.op === '--' && leftMask === T.Object && this.mask === T.Array;
    this.refuseIf(names && wrongElements('--', this.elements), node, "'--' takes an array of names");
    const slow = operatorFunctions.get(node.op);
    this.refuseIf(
      slow !== undefined && !possible(slow, [leftMask, this.mask]),
      node,
      `'${node.op}' does not take these types`,
    );
    this.mask = operatorMask(node.op, leftMask, this.mask);
    if (node.op === '==') return (run, frame) => operators['=='](run, left(run, frame), right(run, frame));
    if (node.op === '!=') return (run, frame) => operators['!='](run, left(run, frame), right(run, frame));
    const apply = operators[node.op];
    return this.located(node, (run, frame) => apply(run, left(run, frame), right(run, frame)));
  }

  /** Object − Array means `--` in journey mode. */
  private minus(node: NodeOf<'binary'>, scope: Scope): Code {
    if (node.right.kind === 'array' && node.left.kind !== 'array')
      this.lint(
        'DW-D10',
        node.start,
        "'-' with an array of names is not standard",
        "write '--' to remove several fields",
      );
    const left = this.compile(node.left, scope);
    const right = this.compile(node.right, scope);
    this.mask = T.Any;
    return this.located(node, (run, frame) => {
      const a = left(run, frame);
      const b = right(run, frame);
      const apply = Array.isArray(b) && isObjectValue(a) ? operators['--'] : operators['-'];
      return apply(run, a, b);
    });
  }

  private logical(node: NodeOf<'and' | 'or'>, scope: Scope): Code {
    const left = this.truthy(node.left, scope);
    const right = this.truthy(node.right, scope);
    if (node.kind === 'and')
      return this.located(node, (run, frame) => truth(left(run, frame)) && truth(right(run, frame)));
    return this.located(node, (run, frame) => truth(left(run, frame)) || truth(right(run, frame)));
  }

  private prefix(node: NodeOf<'not' | 'negate'>, scope: Scope): Code {
    const operand = node.kind === 'not' ? this.truthy(node.operand, scope) : this.compile(node.operand, scope);
    this.refuseIf(
      node.kind === 'negate' && (this.mask & (T.Null | T.Boolean | T.Array | T.Object)) === this.mask,
      node,
      'A number is needed here',
    );
    if (node.kind === 'not')
      return this.located(node, (run, frame) => {
        const value = operand(run, frame);
        if (typeof value === 'boolean') return !value;
        if (value === null) throw coercionFault('Null', 'Boolean');
        if ((bitsOf(value) & T.String) === 0 || !/^(true|false)$/i.test(value as string))
          throw typeFault(`'not' does not take ${typeName(value)}`);
        return !truth(value);
      });
    return this.located(node, (run, frame) => {
      const value = operand(run, frame);
      if (typeof value === 'number' || isDec(value)) return negateNumber(value);
      if (value === null) throw coercionFault('Null', 'Number');
      try {
        return negateNumber(coerceTo(run, value, T.Number) as number);
      } catch {
        throw typeFault(`'-' does not take ${typeName(value)}`);
      }
    });
  }

  private fallback(node: NodeOf<'default'>, scope: Scope): Code {
    const left = this.compile(node.left, scope);
    const leftMask = this.mask & ~T.Null;
    const right = this.compile(node.right, scope);
    this.mask |= leftMask;
    return (run, frame) => {
      const { depth, weight } = run;
      let value: Value;
      try {
        value = left(run, frame);
      } catch (error) {
        if (!(error instanceof Fault) || !error.rescuable) throw error;
        run.depth = depth;
        run.weight = weight;
        value = null;
      }
      return value === null ? right(run, frame) : value;
    };
  }

  private conversion(node: NodeOf<'as'>, scope: Scope): Code {
    const value = this.compile(node.value, scope);
    const type = resolveType(this, node.type, scope);
    const options = node.options ? this.compile(node.options, scope) : null;
    this.mask = type.mask;
    return this.located(node, (run, frame) =>
      convert(run, value(run, frame), type, options ? readOptions(options(run, frame)) : {}),
    );
  }

  private block(node: NodeOf<'do'>, scope: Scope, self: SelfCall | null): Code {
    const inner = new Scope(scope.fn, scope);
    const prologue = compileDeclarations(this, node.declarations, inner);
    const body = this.compile(node.body, inner, self);
    if (!prologue) return body;
    return (run, frame) => {
      prologue(run, frame);
      return body(run, frame);
    };
  }

  private array(node: NodeOf<'array'>, scope: Scope): Code {
    if (node.items.every((it) => it.condition === null)) {
      let elements = 0;
      const items = node.items.map((it) => {
        const code = this.compile(it.value, scope);
        elements |= this.mask;
        return code;
      });
      this.elements = elements;
      return (run, frame) => {
        const out: Value[] = new Array(items.length);
        for (let i = 0; i < items.length; i++) out[i] = items[i]!(run, frame);
        return out;
      };
    }
    const items = node.items.map((it) => this.item(it, scope));
    this.elements = T.Any;
    return (run, frame) => {
      const out: Value[] = [];
      for (const item of items) item(run, frame, out);
      return out;
    };
  }

  private item(item: Item, scope: Scope): (run: Parameters<Code>[0], frame: Frame, out: Value[]) => void {
    const value = this.compile(item.value, scope);
    if (!item.condition) return (run, frame, out) => void out.push(value(run, frame));
    const test = this.test(item.condition, scope);
    return (run, frame, out) => {
      if (test(run, frame) === true) out.push(value(run, frame));
    };
  }

  private test(node: Node, scope: Scope): Code {
    const code = this.truthy(node, scope);
    return this.located(node, (run, frame) => truth(code(run, frame)));
  }

  private object(node: NodeOf<'object'>, scope: Scope): Code {
    const constant = node.entries.every(
      (it) => it.kind === 'pair' && it.key.kind === 'string' && it.condition === null,
    );
    if (constant) {
      const entries = node.entries as Extract<Entry, { kind: 'pair' }>[];
      const keys = entries.map((it) => (it.key as NodeOf<'string'>).value);
      const values = entries.map((it) => this.compile(it.value, scope));
      return (run, frame) => {
        const out: Value[] = new Array(values.length);
        for (let i = 0; i < values.length; i++) out[i] = values[i]!(run, frame);
        return new DwObject(keys.slice(), out);
      };
    }
    const entries = node.entries.map((it) => this.entry(it, scope));
    return (run, frame) => {
      const out = new DwObject();
      for (const entry of entries) entry(run, frame, out);
      return out;
    };
  }

  private entry(entry: Entry, scope: Scope): (run: Parameters<Code>[0], frame: Frame, out: DwObject) => void {
    if (entry.kind === 'spread') {
      const value = this.compile(entry.value, scope);
      this.refuseIf(
        (this.mask & (T.Object | T.Array | T.Null)) === 0,
        entry.value,
        'Only objects can be spread into an object',
      );
      const spread = this.located(entry.value, (run, frame) => spreadable(value(run, frame)));
      return (run, frame, out) => {
        for (const object of spread(run, frame) as Value[]) append(out, object);
        run.collection(out.size);
      };
    }
    const key = this.key(entry.key, scope);
    const value = this.compile(entry.value, scope);
    if (!entry.condition) return (run, frame, out) => out.add(key(run, frame) as string, value(run, frame));
    const test = this.test(entry.condition, scope);
    return (run, frame, out) => {
      if (test(run, frame) === true) out.add(key(run, frame) as string, value(run, frame));
    };
  }

  private key(node: Node, scope: Scope): Code {
    if (node.kind === 'string') {
      const { value } = node;
      return () => value;
    }
    const code = this.compile(node, scope);
    this.refuseIf(neverKey(this.mask), node, 'This cannot be a field name');
    return this.located(node, (run, frame) => {
      const value = code(run, frame);
      if (typeof value === 'string') return value;
      const text = (bitsOf(value) & (T.Number | T.Boolean | T.Key)) === 0 ? null : textOrNull(value);
      if (text === null) throw coercionFault(typeName(value), 'Key');
      return text;
    });
  }

  lambda(node: NodeOf<'lambda'>, scope: Scope, name = 'a lambda', selfSlot: number | null = null): Code {
    const fn: FunctionScope = { slots: 1, outer: scope.fn };
    const inner = new Scope(fn, scope);
    const params = node.params.map((param) => this.param(param, inner));
    const before = this.count;
    const outerHighest = this.highest;
    const base = this.depth;
    this.highest = base;
    const self: SelfCall | null = selfSlot === null ? null : { slot: selfSlot, owner: scope.fn, params: node.params };
    this.functions++;
    const body = this.compile(node.body, inner, self);
    this.functions--;
    const height = this.highest - base + 2;
    this.highest = Math.max(outerHighest, this.highest);
    let required = node.params.length;
    while (required > 0 && params[required - 1]!.fallback) required--;
    const firstRequired = node.params.findIndex((it) => it.fallback === null);
    if (firstRequired > 0) required = node.params.length - firstRequired;
    const code: LambdaCode = {
      name,
      params,
      required,
      simple: params.every((it) => !it.type && !it.fallback),
      comparator: node.params.length === 2 && topOperator(node.body) === '<=>',
      body,
      cost: this.count - before,
      height,
    };
    return (_run, frame) => new Closure(code, frame);
  }

  private param(param: Param, scope: Scope): CompiledParam {
    const fallback = param.fallback ? this.compile(param.fallback, scope) : null;
    const type = param.type ? resolveType(this, param.type, scope) : null;
    scope.declare(param.name);
    return { type: type && type.mask === T.Any && type.shape.kind === 'simple' ? null : type, fallback };
  }
}

function topOperator(node: Node): string | null {
  if (node.kind === 'group') return topOperator(node.inner);
  return node.kind === 'binary' ? node.op : null;
}

function spreadable(value: Value): Value[] {
  if (value === null) return [];
  if (isObjectValue(value)) return [value];
  if (Array.isArray(value)) {
    for (const item of value) if (!isObjectValue(item)) throw typeFault('Only objects can be spread into an object');
    return value;
  }
  throw typeFault('Only objects can be spread into an object');
}

function append(out: DwObject, object: Value): void {
  if (!isObjectValue(object)) return;
  const keys = keyList(object);
  const values = valueList(object);
  for (let i = 0; i < keys.length; i++) out.add(keys[i]!, values[i]!);
}
