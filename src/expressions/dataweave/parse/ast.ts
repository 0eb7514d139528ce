import type { Finding } from '../../../base/problems/problem.js';
import type { AttributeOp } from '../runtime/attributes-and-metadata.js';
import type { JsonOutput } from '../runtime/json-output-options.js';

/** A range of the source, in UTF-16 code units; `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** Binary operators. */
export type BinaryOp =
  | '+'
  | '-'
  | '*'
  | '/'
  | '<<'
  | '>>'
  | '<'
  | '>'
  | '<='
  | '>='
  | '<=>'
  | '=='
  | '!='
  | '~='
  | '++'
  | '--';

/** Entries that a name selector picks: the first value, all values, pairs; `..` at any depth. */
export type SelectOp = '.' | '.*' | '.&' | '..' | '..*' | '..&';

/** An expression node. */
export type Node = Span &
  (
    | { kind: 'null' }
    | { kind: 'boolean'; value: boolean }
    | { kind: 'number'; text: string }
    | { kind: 'string'; value: string }
    | { kind: 'template'; parts: Node[] }
    | { kind: 'temporal'; text: string }
    | { kind: 'regex'; source: string }
    | { kind: 'type'; type: TypeNode }
    | { kind: 'name'; name: string }
    | { kind: 'qualified'; module: string; name: string }
    | { kind: 'object'; entries: Entry[] }
    | { kind: 'array'; items: ArrayItem[] }
    | { kind: 'select'; target: Node; op: SelectOp; key: Node | null }
    | { kind: 'index'; target: Node; op: '' | '*' | '&'; index: Node }
    /** `x.@name`, `x.^name`: the annotations of a value. */
    | { kind: 'annotation'; target: Node; op: AttributeOp | '.^'; key: Node | null }
    | { kind: 'where'; target: Node; condition: Node }
    | { kind: 'exists'; target: Node }
    | { kind: 'assert'; target: Node }
    | { kind: 'call'; callee: Node; args: Node[]; infix: boolean }
    | { kind: 'binary'; op: BinaryOp; left: Node; right: Node }
    | { kind: 'and' | 'or'; left: Node; right: Node }
    | { kind: 'not' | 'negate'; operand: Node; word: boolean }
    | { kind: 'default'; left: Node; right: Node }
    | { kind: 'as'; value: Node; type: TypeNode; options: Node | null }
    | { kind: 'is'; value: Node; type: TypeNode }
    | { kind: 'if'; condition: Node; yes: Node; no: Node }
    /** `padded`: the operand of an infix function, which may have fewer parameters than it is given arguments. */
    | { kind: 'lambda'; params: Param[]; body: Node; padded: boolean }
    | { kind: 'do'; declarations: Declaration[]; body: Node }
    | { kind: 'match'; value: Node; cases: MatchCase[] }
    | { kind: 'update'; value: Node; cases: UpdateCase[] }
    | { kind: 'group'; inner: Node }
  );

/** A node of one kind. */
export type NodeOf<K extends Node['kind']> = Extract<Node, { kind: K }>;

/** An entry of an object literal: a pair, possibly conditional, or an expression whose pairs are spread. */
export type Entry =
  | { kind: 'pair'; key: Node; attributes: Node | null; value: Node; condition: Node | null }
  | { kind: 'spread'; value: Node };

/** An item of an array literal, possibly conditional. */
export interface ArrayItem {
  value: Node;
  condition: Node | null;
}

/** A parameter of a lambda. */
export interface Param extends Span {
  name: string;
  type: TypeNode | null;
  fallback: Node | null;
}

/** A declaration in a header or a `do` block. */
export type Declaration = Span &
  (
    | { kind: 'var'; name: string; type: TypeNode | null; value: Node }
    | { kind: 'fun'; name: string; lambda: NodeOf<'lambda'>; result: TypeNode | null }
    | { kind: 'typedef'; name: string; parameters: string[]; type: TypeNode }
    | {
        kind: 'import';
        module: string;
        alias: string | null;
        names: { name: string; alias: string }[] | null;
        all: boolean;
      }
  );

/** Pattern of a `match` case. */
export type MatchPattern = Span &
  (
    | { kind: 'literal'; name: string | null; value: Node }
    | { kind: 'typed'; name: string | null; type: TypeNode }
    | { kind: 'guard'; name: string | null; condition: Node }
    | { kind: 'regex'; name: string | null; regex: Node }
    | { kind: 'emptyArray' }
    | { kind: 'emptyObject' }
    | { kind: 'headArray'; head: string; tail: string }
    | { kind: 'headObject'; key: string; value: string; tail: string }
    | { kind: 'else'; name: string | null }
  );

/** A case of `match`. */
export interface MatchCase {
  pattern: MatchPattern;
  body: Node;
}

/** A step of an update path. */
export interface PathStep {
  kind: 'field' | 'all' | 'index' | 'attribute';
  key: Node;
}

/** A case of `update`. */
export interface UpdateCase extends Span {
  name: string | null;
  path: PathStep[];
  upsert: boolean;
  condition: Node | null;
  body: Node;
}

/** A type expression. */
export type TypeNode = Span &
  (
    | { kind: 'named'; name: string; args: TypeNode[]; options: Node | null }
    | { kind: 'member'; of: TypeNode; name: string }
    | { kind: 'literal'; value: Node }
    | { kind: 'objectOf'; fields: TypeField[]; closed: boolean }
    | { kind: 'union' | 'intersection'; members: TypeNode[] }
    | { kind: 'functionOf'; parameters: TypeParam[]; result: TypeNode }
  );

/** A parameter of a function type; the name is empty if omitted. */
export interface TypeParam {
  name: string;
  optional: boolean;
  type: TypeNode;
}

/** A field of an object type. */
export interface TypeField {
  name: string | null;
  optional: boolean;
  repeated: boolean;
  type: TypeNode;
}

/** A parsed expression: header declarations, body, and lints for accepted deviations. */
export interface Ast {
  readonly source: string;
  readonly mode: 'strict' | 'journey';
  readonly declarations: readonly Declaration[];
  readonly body: Node;
  readonly lints: readonly Finding[];
  /** Node count: the cost of evaluating each node once. */
  readonly size: number;
  /** Whether the expression uses attributes or metadata, so that values must carry annotations. */
  readonly annotates: boolean;
  /** Output options from the header. */
  readonly output: JsonOutput;
}
