import { isMap, isPair, isScalar, isSeq, type Node } from 'yaml';
import { parseSource } from '../../../base/document/parse-yaml.js';
import { isObject, type Json, own } from '../../../base/json/value.js';
import { ProblemError } from '../../../base/problems/problem.js';
import { compileExpression } from '../../../expressions/index.js';
import { load } from '../../../language/load-journey.js';
import { SeededRandom } from '../../../scenarios/virtual/seeded-random.js';
import { catalogue } from './examples.js';
import type { Evaluated, EvaluationRequest, Requests } from './worker-protocol.js';

/** Evaluates an expression as a run would, within the same limits. */
export async function evaluate({ expr, lang, context, now }: EvaluationRequest): Promise<Evaluated> {
  const chance = new SeededRandom(1);
  const bindings = { context, payload: context, platform: { config: {}, environment: 'test' } };
  const env = { now, uuid: () => chance.uuid(), random: () => chance.random() };
  try {
    const compiled = compileExpression({ lang, expr }, { kind: 'mapper', bindings: Object.keys(bindings) });
    return { value: await compiled.evaluate(bindings, env) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, detail, title, hint } = error.problem;
    return { code, message: [detail ?? title, hint ?? ''].join(' ').trim() };
  }
}

/** The expression at an offset of a journey; null if there is none. */
export function expressionAt({ text, offset }: Requests['expressionAt']['ask']): Requests['expressionAt']['answer'] {
  const { root } = parseSource(text);
  const found = root === null ? undefined : scalarAt(root, offset);
  if (found === undefined) return null;
  const { definition } = load({ text }, { catalogue });
  const lang = languageOf(definition as unknown as Json, found);
  return lang === undefined ? null : { expr: found, lang };
}

/** The text of the scalar value that contains the offset. */
function scalarAt(node: unknown, offset: number): string | undefined {
  if (isPair(node)) return scalarAt(node.value, offset);
  if (isMap(node) || isSeq(node)) {
    for (const item of node.items) {
      const found = scalarAt(item, offset);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const [from, to] = (node as Node | null)?.range ?? [];
  const isHere = from !== undefined && to !== undefined && from <= offset && offset <= to;
  return isHere && isScalar(node) && typeof node.value === 'string' ? node.value : undefined;
}

/** The language of the expression with this text in a definition; undefined if the text is not an expression. */
function languageOf(value: Json | undefined, text: string): string | undefined {
  if (Array.isArray(value)) return value.map((it) => languageOf(it, text)).find((it) => it !== undefined);
  if (!isObject(value)) return undefined;
  const [lang, expr] = [own(value, 'lang'), own(value, 'expr')];
  if (typeof lang === 'string' && typeof expr === 'string' && expr.trim() === text.trim()) return lang;
  return languageOf(Object.values(value) as Json[], text);
}
