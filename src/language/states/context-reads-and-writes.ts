import type { Json } from '../../base/json/value.js';
import type { Graph, InboundBinding, Target } from '../../engine/definition/definition.js';
import { type Shape, withShape } from '../../expressions/value-shape.js';

/** Reads and writes of the context by the states of one type, besides the reads of their expressions. */
export interface DataFlow<S> {
  /** Variables that it reads by name, each with the location of the name in the state. */
  reads(state: S): readonly { name: string; at: string }[];
  /** Every target that it may write. */
  writes(state: S): readonly Target[];
  /** The shape of the context after the state. `flow` provides the analysis of the surrounding document. */
  after(state: S, context: Shape, flow: StateFlow): Shape;
}

/** The analysis of data flow at one state. */
export interface StateFlow {
  /** The result of the expression in this part of the state, which has `bindings` besides the context. */
  result(part: string, context: Shape, bindings?: Readonly<Record<string, Shape>>): Shape;
  /** The answer of an operation, `<api>.<operationId>`. */
  answer(operation: string): Shape;
  /** Values that match a JSON Schema. */
  matching(schema: Json): Shape;
  /** The context with the fields that a submission of this step copies into it. */
  submitted(context: Shape): Shape;
  /**
   * Follows a graph inside the state, in rounds if `inner.runs` says so. Returns the context at its ends; with `anywhere`, wherever the
   * graph may stop.
   */
  walk(graph: Graph, at: readonly (string | number)[], context: Shape, anywhere?: boolean): Shape;
  /** Records the input of a subjourney that the state calls. */
  call(ref: string, input: Shape): void;
}

/** The `data` of a type that writes values of unknown shape to these targets. */
export function writing<S>(targets: (state: S) => readonly Target[]): DataFlow<S> {
  return {
    reads: () => [],
    writes: targets,
    after: (state, context) =>
      targets(state).reduce((shape: Shape, target) => written(target, shape, 'anything'), context),
  };
}

/** The `data` of a type that writes nothing. */
export const noData: DataFlow<unknown> = writing(() => []);

/** The target of a variable; none without a name. */
export function variable(name: string | undefined): Target[] {
  return name === undefined ? [] : [{ kind: 'var', name }];
}

/** The context after a value was written to a target. */
export function written(target: Target, context: Shape, value: Shape): Shape {
  switch (target.kind) {
    case 'root':
      return value;
    case 'var':
      return withShape(context, [target.name], value);
    case 'path':
      return withShape(context, target.path, value);
    case 'attributes':
      return context;
  }
}

/** The context with the fields that a request copies into it. */
export function withCopied(binding: InboundBinding | undefined, context: Shape): Shape {
  if (!binding) return context;
  const paths = [...Object.values(binding.headersToContext), ...Object.values(binding.queryToContext)];
  return paths.reduce<Shape>((shape, path) => withShape(shape, path.split('.'), 'anything'), context);
}
