import type { Place } from '../../../base/document/placed-value.js';
import { asExpression, describeType, identifier } from '../../../base/document/read-fields.js';
import { part } from '../../../base/document/schema-builders.js';
import type { Json } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import type { Expression } from '../../../engine/definition/definition.js';
import type {
  ActivityRetry,
  ExternalAnswer,
  TaskPriority,
} from '../../../engine/definition/external-activity-types.js';
import type { TaskHost } from '../../../engine/task-host.js';
import { objectShape, type Shape, withShape } from '../../../expressions/value-shape.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { hasMapper, mapper, siteIn } from '../../read/read-expressions-and-mappers.js';
import { variable } from '../../states/context-reads-and-writes.js';
import type { EffectSummary } from '../task-kind.js';

/** The longest summary in characters: with the state before it, it must fit into what a server accepts. */
const longestSummary = 80;
/** The longest fairness key in bytes that a server accepts. */
const longestFairnessKey = 64;

/** JSON Schema of `resultVar`. */
export const resultVarSchema = part(
  'identifier',
  'The context variable that takes { ok: true, value }, or { ok: false, error }.',
);

/** JSON Schema of `args`. */
export const argsSchema = part(
  'mapperHolder',
  'Computes the arguments: a list, or the only argument. None when left out.',
);

/** Reads `resultVar`, which is required. */
export function readResultVar(block: Place, kind: string): string | undefined {
  if (block.has('resultVar')) return identifier(block.at('resultVar'), 'resultVar');
  block.error('FIELD_REQUIRED', `${kind} needs resultVar, or nobody learns of a failure.`, undefined, 'key');
  return undefined;
}

/** Reads a field with an expression. */
export function readExpression(
  block: Place,
  name: string,
  within: GraphReading,
  site: 'mapper' | 'key' = 'mapper',
): Expression | undefined {
  const place = block.at(name);
  if (place.value === undefined) return undefined;
  if (hasMapper(place)) return mapper(place, siteIn(within, site));
  place.error('FIELD_TYPE', `${name} must be an expression, not ${describeType(place.value)}.`, asExpression);
  return undefined;
}

/** Evaluates `args`: a list is the argument list, anything else the only argument. */
export async function argumentsOf(args: Expression | undefined, host: TaskHost): Promise<Json[]> {
  if (!args) return [];
  const value = await host.evaluate(args, 'mapper');
  return Array.isArray(value) ? value : [value];
}

/** The text that Temporal's Web UI shows for a call. */
export function summaryOf(summary: string | undefined, otherwise: string, host: TaskHost): string {
  const about = summary === undefined ? otherwise : host.interpolate(summary);
  return Array.from(about).slice(0, longestSummary).join('');
}

/** The priority of a call. */
export function priorityOf({ fairnessKey, ...priority }: TaskPriority, host: TaskHost): TaskPriority {
  if (fairnessKey === undefined) return priority;
  const key = host.interpolate(fairnessKey);
  if (new TextEncoder().encode(key).length > longestFairnessKey)
    refuse('TASK_FAILED', `The fairness key of the task is longer than ${longestFairnessKey} bytes.`);
  return key === '' ? priority : { ...priority, fairnessKey: key };
}

/** Writes an answer to the context. */
export function handleAnswer({ resultVar }: { resultVar: string }, answer: Json, host: TaskHost): undefined {
  const it = answer as ExternalAnswer;
  if ('uncertain' in it) host.noteUncertain(it.error.message);
  host.setVar(resultVar, answer);
  return undefined;
}

const result = objectShape([
  ['ok', 'boolean'],
  ['value', 'anything'],
  ['error', 'anything'],
  ['uncertain', 'anything'],
]);

/** The `data` column: the context gets the answer. */
export const answerInContext = {
  reads: () => [],
  writes: ({ resultVar }: { resultVar: string }) => variable(resultVar),
  after: ({ resultVar }: { resultVar: string }, context: Shape) => withShape(context, [resultVar], result),
};

/** A call with its answer in a timeline. */
export function answerSummary(request: string, answer: Json): EffectSummary {
  const it = answer as ExternalAnswer;
  return it.ok ? { request, result: 'ok', body: it.value } : { request, result: it.error.type, body: it.error.message };
}

/** A retry policy with shortened delays. */
export function scaleRetry(retry: ActivityRetry, factor: number): ActivityRetry {
  const { initialInterval = 1_000, maximumInterval } = retry;
  const shorter = (ms: number): number => Math.max(1, Math.round(ms / factor));
  if (factor === 1) return retry;
  return {
    ...retry,
    initialInterval: shorter(initialInterval),
    ...(maximumInterval !== undefined && { maximumInterval: shorter(maximumInterval) }),
  };
}
