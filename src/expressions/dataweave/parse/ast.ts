import type { Finding } from '../../../problems/problem.js';
import type { JsonOutput } from '../output-options.js';
import type { AttributeOp } from '../runtime/annotations.js';

/** A part of the source: offsets in UTF-16 code units, `end` exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** The binary operators. */
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

/** Which entries a name selector takes: the first value, all values, pairs, and the same at any depth. */
export type SelectOp = '.' | '.*' | '.&' | '..' | '..*' | '..&';

/** An expression, or a part of one that has a value. */
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
    | { kind: 'array'; items: Item[] }
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

/** One entry of an object literal: a pair, perhaps conditional, or an expression whose pairs are spread. */
export type Entry =
  | { kind: 'pair'; key: Node; attributes: Node | null; value: Node; condition: Node | null }
  | { kind: 'spread'; value: Node };

/** One item of an array literal, perhaps conditional. */
export interface Item {
  value: Node;
  condition: Node | null;
}

/** A parameter of a lambda. */
export interface Param extends Span {
  name: string;
  type: TypeNode | null;
  fallback: Node | null;
}

/** What a header or a `do` block declares. */
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

/** What a case of `match` compares with. */
export type Pattern = Span &
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
  pattern: Pattern;
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

/** A parameter of a function type; the name is empty where none is written. */
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

/** A parsed expression: header declarations, body, and remarks on accepted deviations. */
export interface Ast {
  readonly source: string;
  readonly mode: 'strict' | 'journey';
  readonly declarations: readonly Declaration[];
  readonly body: Node;
  readonly lints: readonly Finding[];
  /** How many nodes the tree has: what it costs to evaluate each of them once. */
  readonly size: number;
  /** Whether it has attributes or asks for metadata, so that values carry their annotations. */
  readonly annotates: boolean;
  /** How the header asks the result to be written. */
  readonly output: JsonOutput;
}
