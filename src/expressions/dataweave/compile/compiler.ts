import type { Finding } from '../../../problems/problem.js';
import type { Code as ProblemCode } from '../../../problems/registry.js';
import type { Ast, Node, NodeOf } from '../parse/ast.js';
import { at } from '../runtime/fault.js';
import { condition } from '../runtime/operators.js';
import type { Code } from '../runtime/slots.js';
import { bare, T } from '../runtime/values.js';
import { positionOf, sourceProblem } from '../source.js';
import { compileCall } from './call.js';
import { neverBoolean } from './check.js';
import { compileArray, compileObject } from './collections.js';
import { compileConversion, compileTypeTest } from './conversion.js';
import { compileDeclarations } from './declarations.js';
import { compileLambda } from './lambda.js';
import { compileNumber, compileRegex, compileTemplate, compileTemporal } from './literals.js';
import { compileMatch } from './match.js';
import { compileName } from './name.js';
import { Names, type SelfCall, type SlotLayout } from './names.js';
import { compileBinary, compileDefault, compileLogical, compilePrefix } from './operators.js';
import { compileAnnotation, compileExists, compileIndex, compileSelect, compileWhere } from './select.js';
import { resolveType } from './type.js';
import { type Typed, typed } from './typed.js';
import { compileUpdate } from './update.js';

/** A chain of a thousand operators is a tree that deep; deeper ones would be at the mercy of the host's stack. */
const maxDepth = 1_000;

/** A whole expression, compiled. */
export interface CompiledProgram {
  readonly code: Code;
  /** The types its value may have. */
  readonly mask: number;
  /** How many nodes it has: what evaluating it costs at least. */
  readonly cost: number;
  readonly lints: readonly Finding[];
}

/** What was compiled, with its size. */
export interface Measured<R> {
  readonly made: R;
  /** How many nodes it has. */
  readonly cost: number;
  /** How deep they nest. */
  readonly height: number;
}

/** Turns a syntax tree into nested closures, resolving every name on the way. */
export class Compiler {
  private readonly lints: Finding[];
  private count = 0;
  private depth = 0;
  private highest = 0;
  /** How many functions are around; inside one nothing is refused for its types: it may never get such values. */
  private functions = 0;

  constructor(
    readonly ast: Ast,
    /** Names bound from outside. */
    readonly bindings: ReadonlySet<string>,
  ) {
    this.lints = [...ast.lints];
  }

  get journey(): boolean {
    return this.ast.mode === 'journey';
  }

  /** Compiles the whole expression; to be called once. */
  program(): CompiledProgram {
    const layout: SlotLayout = { slots: 1, outer: null };
    const names = new Names(layout, null);
    const prologue = compileDeclarations(this, this.ast.declarations, names);
    const { code, mask } = this.compile(this.ast.body, names);
    return { code: after(prologue, code), mask, cost: this.count, lints: Object.freeze(this.lints) };
  }

  error(node: { start: number; end: number }, code: ProblemCode, detail: string, hint?: string): Error {
    return sourceProblem(code, this.ast.source, node.start, node.end, detail, hint);
  }

  lint(id: string, start: number, message: string, hint: string): void {
    const { line, column } = positionOf(this.ast.source, start);
    this.lints.push({ code: id, severity: 'warning', message, pointer: '', line, column, hint });
  }

  /** `code`, with faults that say where in the source they came from. */
  located(node: Node, code: Code): Code {
    const { start, end } = node;
    return (ev, slots) => {
      try {
        return code(ev, slots);
      } catch (error) {
        throw at(error, start, end);
      }
    };
  }

  /** Counts a node that is compiled by other means than `compile`. */
  countNode(): void {
    this.count++;
  }

  /** Compiles a node. `keep`: with the annotations of its value, which most users of a value do not want to see. */
  compile(node: Node, names: Names, self: SelfCall | null = null, keep = false): Typed {
    this.count++;
    if (++this.depth > this.highest) this.highest = this.depth;
    if (this.depth > maxDepth)
      throw this.error(node, 'DW_UNSUPPORTED_SYNTAX', `The expression nests deeper than ${maxDepth}`);
    const made = this.node(node, names, self, keep);
    this.depth--;
    if (!this.ast.annotates || keep) return made;
    const { code, mask, elements } = made;
    return typed((ev, slots) => bare(code(ev, slots)), mask, elements);
  }

  /** The code of a node, for those who need to know nothing else about it. */
  code(node: Node, names: Names, self: SelfCall | null = null, keep = false): Code {
    return this.compile(node, names, self, keep).code;
  }

  /** Refuses what cannot work with any data, as the real engine does. */
  refuseIf(wrong: boolean, node: Node, detail: string): void {
    if (wrong && this.functions === 0) throw this.error(node, 'DW_TYPE_MISMATCH', detail);
  }

  /** Compiles what may never be evaluated, and refuses nothing in it for its types. */
  tolerantly<R>(compile: () => R): R {
    this.functions++;
    const result = compile();
    this.functions--;
    return result;
  }

  /** What `compile` makes, with its size. */
  measured<R>(compile: () => R): Measured<R> {
    const { count, depth, highest } = this;
    this.highest = depth;
    const made = compile();
    const height = this.highest - depth;
    this.highest = Math.max(highest, this.highest);
    return { made, cost: this.count - count, height };
  }

  /** Compiles a node whose value must be true or false. */
  truthy(node: Node, names: Names): Typed {
    const made = this.compile(node, names);
    this.refuseIf(neverBoolean(node, made.mask), node, 'A Boolean is needed here');
    return made;
  }

  private node(node: Node, names: Names, self: SelfCall | null, keep: boolean): Typed {
    switch (node.kind) {
      case 'group':
        return this.compile(node.inner, names, self, keep);
      case 'null':
        return typed(() => null, T.Null);
      case 'boolean':
      case 'string': {
        const { value } = node;
        return typed(() => value, node.kind === 'string' ? T.String : T.Boolean);
      }
      case 'number':
        return compileNumber(this, node);
      case 'temporal':
        return compileTemporal(this, node);
      case 'regex':
        return compileRegex(this, node);
      case 'type': {
        const type = resolveType(this, node.type, names);
        return typed(() => type);
      }
      case 'template':
        return compileTemplate(this, node, names);
      case 'name':
      case 'qualified':
        return compileName(this, node, names);
      case 'object':
        return compileObject(this, node, names);
      case 'array':
        return compileArray(this, node, names);
      case 'select':
        return typed(compileSelect(this, node, names));
      case 'index':
        return typed(compileIndex(this, node, names));
      case 'where':
        return typed(compileWhere(this, node, names));
      case 'annotation':
        return typed(compileAnnotation(this, node, names));
      case 'exists':
        return typed(compileExists(this, node, names), T.Boolean);
      case 'assert':
        return typed(compileExists(this, node, names));
      case 'call':
        return compileCall(this, node, names, self);
      case 'binary':
        return compileBinary(this, node, names);
      case 'and':
      case 'or':
        return compileLogical(this, node, names);
      case 'not':
      case 'negate':
        return compilePrefix(this, node, names);
      case 'default':
        return compileDefault(this, node, names);
      case 'as':
        return compileConversion(this, node, names);
      case 'is':
        return compileTypeTest(this, node, names);
      case 'if':
        return this.choice(node, names, self, keep);
      case 'lambda':
        return typed(compileLambda(this, node, names), T.Function);
      case 'do':
        return this.block(node, names, self, keep);
      case 'match':
        return typed(compileMatch(this, node, names, self));
      case 'update':
        return typed(compileUpdate(this, node, names));
    }
  }

  private choice(node: NodeOf<'if'>, names: Names, self: SelfCall | null, keep: boolean): Typed {
    const test = this.located(node.condition, this.truthy(node.condition, names).code);
    const { code: yes, mask } = this.compile(node.yes, names, self, keep);
    const { code: no, mask: other } = this.compile(node.no, names, self, keep);
    const check = this.located(node, (ev, slots) => condition(test(ev, slots)));
    return typed((ev, slots) => (check(ev, slots) === true ? yes(ev, slots) : no(ev, slots)), mask | other);
  }

  private block(node: NodeOf<'do'>, names: Names, self: SelfCall | null, keep: boolean): Typed {
    const inner = new Names(names.layout, names);
    const prologue = compileDeclarations(this, node.declarations, inner);
    const { code, mask } = this.compile(node.body, inner, self, keep);
    return typed(after(prologue, code), mask);
  }
}

/** `body`, once the variables declared before it have been computed. */
function after(prologue: Code | null, body: Code): Code {
  if (!prologue) return body;
  return (ev, slots) => {
    prologue(ev, slots);
    return body(ev, slots);
  };
}
