import { randomUUID } from 'node:crypto';
import type { Definition } from '../definition/definition.js';
import { defaultLimits } from '../expressions/expression.js';
import { compileExpression } from '../expressions/index.js';
import { emptyObject, type Json } from '../json/value.js';
import { type Problem, problemJson } from '../problems/problem.js';
import { declaredConfig, type Platform } from './platform.js';

/** The error body of a journey that has an envelope of its own. Rejects when its mapper fails. */
export async function enveloped(definition: Definition, it: Problem, platform: Platform): Promise<Json | undefined> {
  const mapper = definition.errors?.envelope;
  if (!mapper) return undefined;
  const { name, kind, version } = definition;
  const error = problemJson(it);
  const bindings = {
    context: emptyObject(),
    payload: error,
    error,
    platform: {
      environment: platform.environment,
      journey: { name, kind, version },
      run: null,
      config: declaredConfig(definition, platform),
    },
  };
  const compiled = compileExpression(mapper, { kind: 'error', bindings: Object.keys(bindings) });
  const env = { now: Date.now(), uuid: () => randomUUID(), random: () => Math.random() };
  return await compiled.evaluate(bindings, env, defaultLimits);
}
