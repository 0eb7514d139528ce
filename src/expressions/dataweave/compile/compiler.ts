import type { Finding } from '../../../problems/problem.js';
import type { Code as ProblemCode } from '../../../problems/registry.js';
import type { Ast, Node, NodeOf, Param, TypeNode } from '../parse/ast.js';
import { Closure, type CompiledParam, type LambdaCode } from '../runtime/closure.js';
import { convert, readOptions } from '../runtime/coerce.js';
import { readLiteral } from '../runtime/dates/read.js';
import { at, Fault } from '../runtime/fault.js';
import type { Code } from '../runtime/frame.js';
import { parseNumber } from '../runtime/numbers.js';
import { condition } from '../runtime/operators.js';
import { makeRegex, regexProblem } from '../runtime/regex.js';
import { textOrNull, toText } from '../runtime/text.js';
import type { TypeValue } from '../runtime/types.js';
import { Annotated, bare, DwObject, T, typeName, type Value } from '../runtime/values.js';
import { positionOf, sourceProblem } from '../source.js';
import { compileCall } from './call.js';
import { neverBoolean, neverText, resultMask } from './check.js';
import { array, object } from './collections.js';
import { compileDeclarations } from './declarations.js';
import { compileMatch } from './match.js';
import { compileName } from './name.js';
import { type FrameLayout, Names, type SelfCall } from './names.js';
import { binary, fallback, logical, prefix } from './operators.js';
import { compileAnnotation, compileExists, compileIndex, compileSelect, compileWhere } from './select.js';
import { checkDeclared, resolveType } from './type.js';
import { compileUpdate } from './update.js';

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
  /** The types some elements surely have, if it was an array literal. */
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

  program(): { code: Code; slots: FrameLayout; cost: number } {
    const slots: FrameLayout = { slots: 1, outer: null };
    const names = new Names(slots, null);
    const prologue = compileDeclarations(this, this.ast.declarations, names);
    const body = this.compile(this.ast.body, names);
    const code: Code = prologue
      ? (ev, frame) => {
          prologue(ev, frame);
          return body(ev, frame);
        }
      : body;
    return { code, slots, cost: this.count };
  }

  error(node: { start: number; end: number }, code: ProblemCode, detail: string, hint?: string): Error {
    return sourceProblem(code, this.ast.source, node.start, node.end, detail, hint);
  }

  lint(id: string, start: number, message: string, hint: string): void {
    const { line, column } = positionOf(this.ast.source, start);
    this.lints.push({ code: id, severity: 'warning', message, pointer: '', line, column, hint });
  }

  /** `code` whose faults say where in the source they came from. */
  located(node: Node, code: Code): Code {
    const { start, end } = node;
    return (ev, frame) => {
      try {
        return code(ev, frame);
      } catch (error) {
        throw at(error, start, end);
      }
    };
  }

  /** The code of a node. `keep`: with what is said about its value, which most who use a value do not want to see. */
  compile(node: Node, names: Names, self: SelfCall | null = null, keep = false): Code {
    this.count++;
    if (++this.depth > this.highest) this.highest = this.depth;
    if (this.depth > maxDepth)
      throw this.error(node, 'DW_UNSUPPORTED_SYNTAX', `The expression nests deeper than ${maxDepth}`);
    const made = this.node(node, names, self, keep);
    const code: Code = this.ast.annotates && !keep ? (ev, frame) => bare(made(ev, frame)) : made;
    this.mask = resultMask(node, this.mask);
    if (node.kind !== 'array' && node.kind !== 'group') this.elements = T.Any;
    this.depth--;
    return code;
  }

  /** Refuses what cannot work whatever the data, as the real engine does. */
  refuseIf(wrong: boolean, node: Node, detail: string): void {
    if (wrong && this.functions === 0) throw this.error(node, 'DW_TYPE_MISMATCH', detail);
  }

  /** Compiles what may never run, and is refused for nothing that only values of other types would make wrong. */
  tolerantly<R>(compile: () => R): R {
    this.functions++;
    const result = compile();
    this.functions--;
    return result;
  }

  truthy(node: Node, names: Names): Code {
    const code = this.compile(node, names);
    this.refuseIf(neverBoolean(node, this.mask), node, 'A Boolean is needed here');
    return code;
  }

  private node(node: Node, names: Names, self: SelfCall | null, keep: boolean): Code {
    switch (node.kind) {
      case 'group':
        return this.compile(node.inner, names, self, keep);
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
        const type = resolveType(this, node.type, names);
        return () => type;
      }
      case 'template':
        return this.template(node, names);
      case 'name':
      case 'qualified':
        return compileName(this, node, names);
      case 'object':
        return object(this, node, names);
      case 'array':
        return array(this, node, names);
      case 'select':
        return compileSelect(this, node, names);
      case 'index':
        return compileIndex(this, node, names);
      case 'where':
        return compileWhere(this, node, names);
      case 'annotation':
        return compileAnnotation(this, node, names);
      case 'exists':
      case 'assert':
        return compileExists(this, node, names);
      case 'call':
        return compileCall(this, node, names, self);
      case 'binary':
        return binary(this, node, names);
      case 'and':
      case 'or':
        return logical(this, node, names);
      case 'not':
      case 'negate':
        return prefix(this, node, names);
      case 'default':
        return fallback(this, node, names);
      case 'as':
        return this.conversion(node, names);
      case 'is': {
        const value = this.compile(node.value, names, null, true);
        const type = resolveType(this, node.type, names);
        return (ev, frame) => type.accepts(value(ev, frame));
      }
      case 'if': {
        const test = this.located(node.condition, this.truthy(node.condition, names));
        const yes = this.compile(node.yes, names, self, keep);
        const first = this.mask;
        const no = this.compile(node.no, names, self, keep);
        this.mask |= first;
        return this.choice(node, test, yes, no);
      }
      case 'lambda':
        return this.lambda(node, names);
      case 'do':
        return this.block(node, names, self, keep);
      case 'match':
        return compileMatch(this, node, names, self);
      case 'update':
        return compileUpdate(this, node, names);
    }
  }

  private choice(node: Node, test: Code, yes: Code, no: Code): Code {
    const check = this.located(node, (ev, frame) => condition(test(ev, frame)));
    return (ev, frame) => (check(ev, frame) === true ? yes(ev, frame) : no(ev, frame));
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

  private template(node: NodeOf<'template'>, names: Names): Code {
    let unknown = false;
    const parts = node.parts.map((part) => {
      const code = this.compile(part, names);
      unknown ||= (this.mask & T.Any) === T.Any;
      this.refuseIf(neverText(this.mask), part, 'This has no text');
      return code;
    });
    this.mask = unknown ? T.Any : T.String;
    return this.located(node, (ev, frame) => {
      let out = '';
      for (const part of parts) {
        const value = part(ev, frame);
        out += typeof value === 'string' ? value : interpolated(value);
      }
      ev.text(out.length);
      return out;
    });
  }

  private conversion(node: NodeOf<'as'>, names: Names): Code {
    const value = this.compile(node.value, names);
    const type = resolveType(this, node.type, names);
    const options = node.options ? this.compile(node.options, names) : null;
    this.mask = type.mask;
    if (this.ast.annotates)
      return this.located(node, (ev, frame) => {
        const given = options ? options(ev, frame) : type.options;
        const converted = convert(ev, value(ev, frame), type, options ? readOptions(given) : {});
        return given instanceof DwObject ? new Annotated(converted, null, given) : converted;
      });
    return this.located(node, (ev, frame) =>
      convert(ev, value(ev, frame), type, options ? readOptions(options(ev, frame)) : {}),
    );
  }

  private block(node: NodeOf<'do'>, names: Names, self: SelfCall | null, keep: boolean): Code {
    const inner = new Names(names.layout, names);
    const prologue = compileDeclarations(this, node.declarations, inner);
    const body = this.compile(node.body, inner, self, keep);
    if (!prologue) return body;
    return (ev, frame) => {
      prologue(ev, frame);
      return body(ev, frame);
    };
  }

  lambda(
    node: NodeOf<'lambda'>,
    names: Names,
    name = 'a lambda',
    selfSlot: number | null = null,
    result: TypeNode | null = null,
  ): Code {
    const fn: FrameLayout = { slots: 1, outer: names.layout };
    const inner = new Names(fn, names);
    const types = node.params.map(({ type }) => (type ? resolveType(this, type, names) : null));
    for (const [i, { name }] of node.params.entries()) inner.declare(name, null, types[i]?.mask);
    const outside = new Names(fn, names);
    const params = node.params.map((param, i) => this.param(param, types[i]!, outside));
    const twice = node.params.find((it, i) => node.params.findIndex((other) => other.name === it.name) < i);
    if (twice) throw this.error(twice, 'DW_PARSE_ERROR', `There are two parameters called '${twice.name}'`);
    const before = this.count;
    const outerHighest = this.highest;
    const base = this.depth;
    this.highest = base;
    const self: SelfCall | null =
      selfSlot === null ? null : { slot: selfSlot, owner: names.layout, params: node.params };
    const body = this.tolerantly(() => this.compile(node.body, inner, self));
    if (result) checkDeclared(this, result, node.body, inner);
    const height = this.highest - base + 2;
    this.highest = Math.max(outerHighest, this.highest);
    const required = node.params.filter((it) => it.fallback === null).length;
    const code: LambdaCode = {
      name,
      params,
      required,
      padded: node.padded,
      simple: params.every((it) => !it.type && !it.fallback),
      comparator: node.params.length === 2 && topOperator(node.body) === '<=>',
      body,
      cost: this.count - before,
      height,
    };
    return (_ev, frame) => new Closure(code, frame);
  }

  /** A parameter; its default does not see the other parameters. */
  private param(param: Param, type: TypeValue | null, names: Names): CompiledParam {
    const fallback = param.fallback ? this.compile(param.fallback, names) : null;
    return { type: type && type.mask === T.Any && type.shape.kind === 'simple' ? null : type, fallback };
  }
}

/** The text of a value between quotes: `default` rescues a missing one, not one that has no text. */
function interpolated(value: Value): string {
  if (value !== null && textOrNull(value) === null)
    throw new Fault(
      'DW_TYPE_MISMATCH',
      `A value of type ${typeName(value)} has no text`,
      false,
      'UnsupportedTypeCoercionException',
    );
  return toText(value);
}

function topOperator(node: Node): string | null {
  if (node.kind === 'group') return topOperator(node.inner);
  return node.kind === 'binary' ? node.op : null;
}
