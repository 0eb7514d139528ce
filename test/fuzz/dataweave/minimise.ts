import type { JsonObject } from '../../../src/base/json/value.js';
import { judgeAll, type Verdict } from './judge.js';
import type { Oracle } from './oracle.js';
import { type Node, print, shrinks } from './tree.js';

type Differing = Verdict & { kind: 'differ' };

/** The smallest expression found with the same kind of disagreement. */
export async function minimise(
  oracle: Oracle,
  tree: Node,
  bindings: JsonObject,
  verdict: Differing,
  budget: number,
): Promise<{ tree: Node; verdict: Differing }> {
  let best = { tree, verdict };
  let spent = 0;
  const tried = new Set([print(tree)]);
  search: while (spent < budget) {
    let batch: Node[] = [];
    const source = shrinks(best.tree);
    for (;;) {
      const { value: candidate, done } = source.next();
      if (candidate && !tried.has(print(candidate))) {
        tried.add(print(candidate));
        batch.push(candidate);
      }
      if (batch.length < 24 && !done) continue;
      spent += batch.length;
      const verdicts = await judgeAll(
        oracle,
        batch,
        batch.map(() => bindings),
      );
      const hit = verdicts.findIndex((it) => it.kind === 'differ' && sameKind(it, verdict));
      if (hit >= 0) {
        best = { tree: batch[hit]!, verdict: verdicts[hit] as Differing };
        continue search;
      }
      batch = [];
      if (done || spent >= budget) break search;
    }
  }
  return best;
}

function sameKind(a: Differing, b: Differing): boolean {
  return a.oracle.ok === b.oracle.ok && a.ours.ok === b.ours.ok;
}

/** The bindings without fields that an expression does not mention. */
export function relevant(expr: string, bindings: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(bindings)) {
    if (!new RegExp(`\\b${name}\\b`).test(expr)) continue;
    const whole = new RegExp(`\\b${name}\\b(?!\\.\\w)`).test(expr);
    out[name] = whole
      ? value
      : Object.fromEntries(Object.entries(value as JsonObject).filter(([key]) => expr.includes(`${name}.${key}`)));
  }
  return out;
}
