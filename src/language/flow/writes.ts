import type { InboundBinding, State, Target } from '../../definition/definition.js';
import { either, objectOf, type Shape, withoutShape, withShape } from '../../expressions/shapes/shape.js';
import type { HttpCallTask } from '../../tasks/http-call/read.js';

/** What a state's own parts come to; the walk over the graphs knows. */
export interface Parts {
  /** What the expression gives that stands in this part of the state. */
  given(below: string, context: Shape, payload?: Shape): Shape;
  /** What an operation may answer. */
  answer(operation: string): Shape;
  /** The body that a step takes. */
  body(schema: Extract<State, { type: 'wait' }>['schema']): Shape;
  /** What a request copies into the context at a step. */
  copied(step: string, context: Shape): Shape;
}

/** The context after a state that has no graphs inside it, or `anything` for one that this module does not know. */
export function contextAfter(id: string, state: State, context: Shape, parts: Parts): Shape {
  switch (state.type) {
    case 'choice':
    case 'timer':
    case 'succeed':
    case 'fail':
      return context;
    case 'transform':
      return write(state.target, context, parts.given('transform', context));
    case 'wait':
    case 'webhook': {
      const rested = withoutShape(context, 'payload');
      const taken = withShape(parts.copied(id, rested), ['payload'], parts.body(state.schema));
      return state.timeout ? either(taken, rested) : taken;
    }
    case 'subjourney':
      if (state.resultVar === undefined) return context;
      return withShape(context, [state.resultVar], state.resultKind === 'outcome' ? miniOutcome : 'anything');
    case 'map':
      return state.resultVar === undefined ? context : withShape(context, [state.resultVar], 'anything');
    case 'task':
      return afterTask(state.task, context, parts);
    default:
      return 'anything';
  }
}

const miniOutcome = objectOf(
  ['phase', 'terminationKind', 'output', 'error'].map((name) => [name, 'anything'] as const),
);

/** What is known of a task's result by its fields, whatever its kind: plugins have them too. */
interface AnyTask {
  kind: string;
  resultVar?: string;
  authVar?: string;
  target?: Target;
}

function afterTask(task: AnyTask, context: Shape, parts: Parts): Shape {
  if (task.kind === 'httpCall:v1') return afterCall(task as HttpCallTask, context, parts);
  let after = context;
  if (task.target) after = write(task.target, after, 'anything');
  if (task.authVar !== undefined) after = withShape(after, [task.authVar], 'anything');
  if (task.resultVar !== undefined) after = withShape(after, [task.resultVar], 'anything');
  return after;
}

/** What a journey finds in the `resultVar` of a call. */
export function callResult({ operation }: HttpCallTask, parts: Parts): Shape {
  const error = objectOf([
    ['type', 'anything'],
    ['message', 'anything'],
    ['code', 'anything'],
  ]);
  return objectOf([
    ['status', 'anything'],
    ['ok', 'anything'],
    ['headers', 'anything'],
    ['body', operation === undefined ? 'anything' : parts.answer(operation)],
    ['error', error],
  ]);
}

function afterCall(task: HttpCallTask, context: Shape, parts: Parts): Shape {
  if (task.mode === 'notify') return context;
  const result = callResult(task, parts);
  const after = task.resultVar === undefined ? context : withShape(context, [task.resultVar], result);
  if (!task.errorMapping) return after;
  return either(after, write(task.errorMapping.target, after, parts.given('task/errorMapping', after, result)));
}

function write(target: Target, context: Shape, value: Shape): Shape {
  switch (target.kind) {
    case 'root':
      return value;
    case 'var':
      return withShape(context, [target.name], value);
    case 'path':
      return withShape(context, target.path, value);
    default:
      return context;
  }
}

/** What a request copies into the context, on top of what is there. */
export function withCopied(binding: InboundBinding | undefined, context: Shape): Shape {
  if (!binding) return context;
  const paths = [...Object.values(binding.headersToContext), ...Object.values(binding.queryToContext)];
  return paths.reduce<Shape>((shape, path) => withShape(shape, path.split('.'), 'anything'), context);
}
