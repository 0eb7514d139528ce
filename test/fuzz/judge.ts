import { environment } from '../../src/cli/eval-jsonl.js';
import { type Answer, answer } from '../../src/cli/eval-run.js';
import type { JsonObject } from '../../src/json/value.js';
import { knownDifferences } from './known-differences.js';
import type { Oracle, OracleAnswer } from './oracle.js';
import { sameJson } from './raw.js';
import { descendants, erased, type Node, print, size } from './tree.js';

export const now = '2025-03-14T15:09:26.535Z';
export const uuid = '3f2b8c1e-5d4a-4f6b-9a7c-0123456789ab';

/** What comparing one expression gave. */
export type Verdict =
  | { kind: 'agree'; ok: boolean }
  | { kind: 'skip'; why: string }
  | { kind: 'unsupported'; why: string }
  | { kind: 'known'; id: string }
  | { kind: 'differ'; oracle: OracleAnswer; ours: Answer };

const limitCodes = new Set(['DW_MAX_EVAL_TIME_EXCEEDED', 'DW_MAX_RESULT_SIZE_EXCEEDED']);

/** Asks both engines about each expression and compares. */
export async function judgeAll(oracle: Oracle, trees: Node[], bindings: JsonObject[]): Promise<Verdict[]> {
  const request = (expr: string, i: number) => ({ expr, bindings: bindings[i]!, now, uuid });
  const asked = oracle.askAll(trees.map((tree, i) => request(print(tree), i)));
  const ours = await Promise.all(trees.map((tree, i) => ask(tree, bindings[i]!)));
  const theirs = await asked;
  return Promise.all(
    trees.map(async (tree, i): Promise<Verdict> => {
      const first = compare(print(tree), theirs[i]!, ours[i]!);
      if (first.kind !== 'differ') return first;
      if (first.oracle.ok && !first.ours.ok && first.ours.kind === 'runtime') {
        return (await failsInPart(oracle, tree, bindings[i]!)) ? { kind: 'known', id: 'laziness' } : first;
      }
      if (!isTypeCheck(first.oracle) || !first.ours.ok) return first;
      const hidden = await oracle.ask(
        request(`fun e(x: Any): Any = x\n${tree.label === 'header' ? '' : '---\n'}${erased(tree)}`, i),
      );
      if (!hidden.ok && isTypeCheck(hidden)) return { kind: 'known', id: 'static-types' };
      const second = compare(print(tree), hidden, ours[i]!);
      return second.kind === 'agree' ? { kind: 'known', id: 'static-types' } : second;
    }),
  );
}

/**
 * Whether some part of the expression fails in both engines when asked alone: then the real engine did not need it. Parts
 * within `default` and `try` do not count, since those are there to rescue.
 */
async function failsInPart(oracle: Oracle, tree: Node, bindings: JsonObject): Promise<boolean> {
  const labels = new Set([tree, ...descendants(tree)].map(({ label }) => label));
  if (['default', 'try', 'try.success', 'orElse'].some((label) => labels.has(label))) return false;
  const parts = [...descendants(tree)].filter((node) => node.value && node.label !== 'parens' && size(node) > 1);
  for (const part of parts.sort((a, b) => size(a) - size(b)).slice(0, 40)) {
    const ours = await ask(part, bindings);
    if (ours.ok || ours.kind !== 'runtime') continue;
    const theirs = await oracle.ask({ expr: print(part), bindings, now, uuid });
    if (!theirs.ok && (theirs.kind === 'runtime' || isTypeCheck(theirs))) return true;
  }
  return false;
}

function ask(tree: Node, bindings: JsonObject): Promise<Answer> {
  return answer({ lang: 'dataweave', expr: print(tree), bindings, mode: 'strict', env: environment(now, uuid) });
}

/** Whether the real engine refused because of types it worked out, not because of syntax or names. */
function isTypeCheck(it: OracleAnswer): boolean {
  return (
    !it.ok &&
    it.kind === 'compile' &&
    /Expecting Type|Unable to call|cannot be used as|Type mismatch|Expecting:|can not be/.test(it.error)
  );
}

function compare(expr: string, oracle: OracleAnswer, ours: Answer): Verdict {
  if (!oracle.ok && (oracle.kind === 'timeout' || oracle.kind === 'denied')) return { kind: 'skip', why: oracle.kind };
  if (!ours.ok) {
    const { code, detail } = ours.problem;
    if (code === 'DW_ENGINE_INTERNAL_ERROR') return { kind: 'differ', oracle, ours };
    if (!oracle.ok) return { kind: 'agree', ok: false };
    if (limitCodes.has(code)) return { kind: 'skip', why: 'our limit' };
    if (code === 'DW_UNSUPPORTED_SYNTAX') return { kind: 'unsupported', why: detail ?? code };
  } else if (oracle.ok && sameJson(oracle.raw, ours.raw)) return { kind: 'agree', ok: true };
  const known = knownDifferences.find((it) => it.matches({ expr, oracle, ours }));
  return known ? { kind: 'known', id: known.id } : { kind: 'differ', oracle, ours };
}
