import type { Json, JsonObject } from '../../base/json/value.js';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import type { Code } from '../../base/problems/registry.js';
import type { Definition, Expression } from '../../engine/definition/definition.js';
import { keyFault, textOfKey } from '../../engine/definition/keyed-run-id.js';
import { type Bindings, defaultLimits, type Env, type Limits } from '../../expressions/expression-engine-interface.js';
import { compileExpression } from '../../expressions/index.js';

const realChance: Pick<Env, 'uuid' | 'random'> = { uuid: () => crypto.randomUUID(), random: Math.random };

/** The instant, the limits and the random values of an expression that is evaluated outside of a run. */
export interface OutsideEvaluation {
  readonly now?: number;
  readonly limits?: Limits;
  readonly chance?: Pick<Env, 'uuid' | 'random'>;
}

/** The business key of a run with this input; undefined if the journey has none. Throws KEY_INVALID. */
export async function runKeyOf(
  { key }: Pick<Definition, 'key'>,
  input: JsonObject,
  how: OutsideEvaluation = {},
): Promise<string | undefined> {
  if (!key) return undefined;
  return checkedKey(await evaluateOutside(key.mapper, { context: input }, 'The key of the run', how));
}

/** A value as a key. Throws KEY_INVALID. */
export function checkedKey(value: Json): string {
  const fault = keyFault(value);
  if (fault !== undefined) refuse('KEY_INVALID', `The key of the run cannot be used: ${fault}.`);
  return textOfKey(value);
}

/** Evaluates an expression outside of a run. Throws KEY_INVALID, or the given code, if it fails. */
export async function evaluateOutside(
  mapper: Expression,
  bindings: Bindings,
  what: string,
  { now = Date.now(), limits = defaultLimits, chance = realChance }: OutsideEvaluation = {},
  code: Code = 'KEY_INVALID',
): Promise<Json> {
  const compiled = compileExpression(mapper, { kind: 'key', bindings: Object.keys(bindings) });
  try {
    return await compiled.evaluate(bindings, { now, uuid: () => chance.uuid(), random: () => chance.random() }, limits);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { detail, title } = error.problem;
    return refuse(code, `${what} cannot be computed: ${detail ?? title}`);
  }
}
