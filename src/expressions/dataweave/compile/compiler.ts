import type { Finding } from '../../../base/problems/problem.js';
import type { Code as ProblemCode } from '../../../base/problems/registry.js';
import type { Ast, Node, NodeOf } from '../parse/ast.js';
import { withPosition } from '../runtime/evaluation-fault.js';
import type { CompiledCode } from '../runtime/evaluation-state.js';
import { condition } from '../runtime/operators.js';
import { T, withoutAnnotations } from '../runtime/values.js';
import { positionOf, sourceProblem } from '../source-position.js';
import { compileCall } from './calls.js';
import { compileDeclarations } from './declarations.js';
import { compileIdentifier } from './identifiers.js';
import { compileLambda } from './lambdas.js';
import {
  compileArray,
  compileNumber,
  compileObject,
  compileRegex,
  compileTemplate,
  compileTemporal,
} from './literals.js';
import { compileMatch, compileUpdate } from './match-and-update.js';
import { NameScope, type SelfCall, type SlotLayout } from './name-scope.js';
import { compileBinary, compileDefault, compileLogical, compilePrefix } from './operators.js';
import { compileAnnotation, compileExists, compileIndex, compileSelect, compileWhere } from './selectors.js';
import { isLambda, neverBoolean } from './static-type-checks.js';
import { compileConversion, compileTypeTest, resolveType } from './type-expressions.js';
import { type TypedCode, typed } from './typed-code.js';

/** A chain of a thousand operators is a tree that deep; a deeper one could overflow the host's stack. */
const maxDepth = 1_000;

/** A compiled expression. */
export interface CompiledProgram {
  readonly code: CompiledCode;
  /** Possible types of the value. */
  readonly mask: number;
  /** Node count: the minimum cost of an evaluation. */
  readonly cost: number;
  readonly lints: readonly Finding[];
}

/** A compilation result with its size. */
export interface Measured<R> {
  readonly made: R;
  /** Node count. */
  readonly cost: number;
  /** Nesting depth. */
  readonly height: number;
}

/** Compiles a syntax tree into nested closures and resolves all names. */
export class Compiler {
  private readonly lints: Finding[];
  private count = 0;
  private depth = 0;
  private highest = 0;
  /** Number of enclosing functions. Inside a function no type mismatch is rejected, because such values may never arrive. */
  private functions = 0;

  constructor(
    readonly ast: Ast,
    /** Names bound by the host. */
    readonly bindings: ReadonlySet<string>,
  ) {
    this.lints = [...ast.lints];
  }

  get journey(): boolean {
    return this.ast.mode === 'journey';
  }

  /** Compiles the whole expression. Call once. */
  program(): CompiledProgram {
    const layout: SlotLayout = { slots: 1, outer: null };
    const names = new NameScope(layout, null);
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

  /** `code`, with faults that carry their source position. */
  located(node: Node, code: CompiledCode): CompiledCode {
    const { start, end } = node;
    return (ev, slots) => {
      try {
        return code(ev, slots);
      } catch (error) {
        throw withPosition(error, start, end);
      }
    };
  }

  /** Counts a node that `compile` does not see. */
  countNode(): void {
    this.count++;
  }

  /** Compiles a node. With `keep`, the value keeps its annotations, which most callers do not need. */
  compile(node: Node, names: NameScope, self: SelfCall | null = null, keep = false): TypedCode {
    this.count++;
    if (++this.depth > this.highest) this.highest = this.depth;
    if (this.depth > maxDepth)
      throw this.error(node, 'DW_UNSUPPORTED_SYNTAX', `The expression nests deeper than ${maxDepth}`);
    const made = this.node(node, names, self, keep);
    this.depth--;
    if (!this.ast.annotates || keep) return made;
    const { code, mask, elements } = made;
    return typed((ev, slots) => withoutAnnotations(code(ev, slots)), mask, elements);
  }

  /** Code of a node, for callers that need nothing else. */
  code(node: Node, names: NameScope, self: SelfCall | null = null, keep = false): CompiledCode {
    return this.compile(node, names, self, keep).code;
  }

  /** Rejects code that fails for any data, as the reference engine does. */
  refuseIf(wrong: boolean, node: Node, detail: string): void {
    if (wrong && this.functions === 0) throw this.error(node, 'DW_TYPE_MISMATCH', detail);
  }

  /** Compiles code that may never be evaluated, without rejecting type mismatches in it. */
  tolerantly<R>(compile: () => R): R {
    this.functions++;
    const result = compile();
    this.functions--;
    return result;
  }

  /** The result of `compile` with its size. */
  measured<R>(compile: () => R): Measured<R> {
    const { count, depth, highest } = this;
    this.highest = depth;
    const made = compile();
    const height = this.highest - depth;
    this.highest = Math.max(highest, this.highest);
    return { made, cost: this.count - count, height };
  }

  /** Compiles a node whose value must be a Boolean. */
  truthy(node: Node, names: NameScope): TypedCode {
    if (isLambda(node)) throw this.error(node, 'DW_TYPE_MISMATCH', 'A Boolean is required here, not a function');
    const made = this.compile(node, names);
    this.refuseIf(neverBoolean(node, made.mask), node, 'A Boolean is required here');
    return made;
  }

  private node(node: Node, names: NameScope, self: SelfCall | null, keep: boolean): TypedCode {
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
        return compileIdentifier(this, node, names);
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

  private choice(node: NodeOf<'if'>, names: NameScope, self: SelfCall | null, keep: boolean): TypedCode {
    const test = this.located(node.condition, this.truthy(node.condition, names).code);
    const { code: yes, mask } = this.compile(node.yes, names, self, keep);
    const { code: no, mask: other } = this.compile(node.no, names, self, keep);
    const check = this.located(node, (ev, slots) => condition(test(ev, slots)));
    return typed((ev, slots) => (check(ev, slots) === true ? yes(ev, slots) : no(ev, slots)), mask | other);
  }

  private block(node: NodeOf<'do'>, names: NameScope, self: SelfCall | null, keep: boolean): TypedCode {
    const inner = new NameScope(names.layout, names);
    const prologue = compileDeclarations(this, node.declarations, inner);
    const { code, mask } = this.compile(node.body, inner, self, keep);
    return typed(after(prologue, code), mask);
  }
}

/** `body`, evaluated after the variables declared before it. */
function after(prologue: CompiledCode | null, body: CompiledCode): CompiledCode {
  if (!prologue) return body;
  return (ev, slots) => {
    prologue(ev, slots);
    return body(ev, slots);
  };
}
