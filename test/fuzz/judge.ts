import { environment } from '../../src/cli/eval-jsonl.js';
import { type Answer, answer } from '../../src/cli/eval-run.js';
import { parseDataWeave } from '../../src/expressions/dataweave/index.js';
import type { Json, JsonObject } from '../../src/json/value.js';
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
  return Promise.all(trees.map((tree, i) => settle(oracle, tree, bindings[i]!, theirs[i]!, ours[i]!)));
}

/** Compares two answers and, where they differ, asks further whether one of the known differences is behind it. */
async function settle(
  oracle: Oracle,
  tree: Node,
  bindings: JsonObject,
  theirs: OracleAnswer,
  ours: Answer,
): Promise<Verdict> {
  const expr = print(tree);
  const first = compare(expr, theirs, ours);
  if (first.kind !== 'differ') return first;
  const again = async (header: string, body: string, inputs = bindings) => {
    const separator = tree.label === 'header' ? '' : '---\n';
    const answered = await oracle.ask({ expr: `${header}${separator}${body}`, bindings: inputs, now, uuid });
    return { answered, verdict: compare(expr, answered, ours) };
  };
  let last: Verdict & { kind: 'differ' } = first;
  if (isTypeCheck(theirs) && ours.ok) {
    const { answered, verdict } = await again(hide, erased(tree));
    if (verdict.kind === 'agree' || isTypeCheck(answered)) return { kind: 'known', id: 'static-types' };
    if (verdict.kind !== 'differ') return verdict;
    last = verdict;
  }
  if (/\b(payload|context)\b/.test(expr)) {
    const inputs = Object.entries(bindings).map(([name, value]) => `var ${name} = e(${literal(value)})\n`);
    const { answered, verdict } = await again(hide + inputs.join(''), isTypeCheck(theirs) ? erased(tree) : expr, {});
    if (verdict.kind === 'agree' && !isTypeCheck(answered)) return { kind: 'known', id: 'input-read-twice' };
  }
  if (theirs.ok && !ours.ok && ours.problem.code === 'DW_TYPE_MISMATCH' && ours.kind === 'compile') {
    if (await isWrongInPart(oracle, tree, bindings)) return { kind: 'known', id: 'static-types' };
  }
  if (theirs.ok && (ours.ok || ours.kind === 'runtime')) {
    const { verdict } = await again(force, erased(tree));
    if (verdict.kind === 'agree') return { kind: 'known', id: 'laziness' };
    if (!ours.ok && (await failsInPart(oracle, tree, bindings))) return { kind: 'known', id: 'laziness' };
  }
  return last;
}

/** Whether a part that we refuse for its types fails in the real engine as well when it is asked for: it was never needed. */
async function isWrongInPart(oracle: Oracle, tree: Node, bindings: JsonObject): Promise<boolean> {
  for (const part of [...descendants(tree)].filter((node) => node.value && size(node) < 30)) {
    const ours = await ask(part, bindings);
    if (ours.ok || ours.kind !== 'compile' || ours.problem.code !== 'DW_TYPE_MISMATCH') continue;
    const theirs = await oracle.ask({ expr: print(part), bindings, now, uuid });
    if (!theirs.ok && (theirs.kind === 'runtime' || isTypeCheck(theirs))) return true;
  }
  return false;
}

/** Whether a part fails in both engines when it is asked for alone: the real one never needed it. */
async function failsInPart(oracle: Oracle, tree: Node, bindings: JsonObject): Promise<boolean> {
  for (const expr of calls(print(tree))) {
    const ours = await answer({ lang: 'dataweave', expr, bindings, mode: 'strict', env: environment(now, uuid) });
    if (ours.ok || ours.kind !== 'runtime') continue;
    const theirs = await oracle.ask({ expr, bindings, now, uuid });
    if (!theirs.ok && (theirs.kind === 'runtime' || isTypeCheck(theirs))) return true;
  }
  return false;
}

/** The calls and operations in an expression as it is really read, which may not be as it was made. */
function calls(expr: string): Set<string> {
  const found = new Set<string>();
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { kind, start, end } = node as { kind?: unknown; start?: unknown; end?: unknown };
    if (typeof kind === 'string' && typeof start === 'number' && typeof end === 'number') {
      if (['call', 'binary', 'as', 'match', 'update', 'index', 'select'].includes(kind))
        found.add(expr.slice(start, end));
    }
    for (const part of Object.values(node)) walk(part);
  };
  walk(parseDataWeave(expr, { mode: 'strict' }).body);
  walk(parseDataWeave(expr, { mode: 'strict' }).declarations);
  return found;
}

/** A function whose result has no type that a checker could know. */
const hide = 'fun e(x: Any): Any = x\n';

/** The same, and it looks at all of its argument, which the real engine puts off for as long as it can. */
const force = 'fun e(x: Any): Any = if (isEmpty(write(x, "application/json"))) x else x\n';

/** JSON as a DataWeave literal. */
function literal(value: Json): string {
  return JSON.stringify(value).replaceAll('$', '\\$');
}

function ask(tree: Node, bindings: JsonObject): Promise<Answer> {
  return answer({ lang: 'dataweave', expr: print(tree), bindings, mode: 'strict', env: environment(now, uuid) });
}

/** Whether the real engine refused because of types it worked out, not because of syntax or names. */
function isTypeCheck(it: OracleAnswer): boolean {
  return (
    !it.ok &&
    it.kind === 'compile' &&
    /Expecting Type|Unable to call|cannot be used as|Type mismatch|Expecting:|can not be|Missing required property/.test(
      it.error,
    )
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
