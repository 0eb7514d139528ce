import type { Json, JsonObject } from '../../../src/base/json/value.js';
import { environment } from '../../../src/cli/author/eval/eval.js';
import { type EvalResult, evaluateRequest } from '../../../src/cli/author/eval/evaluate-expression.js';
import { parseDataWeave } from '../../../src/expressions/dataweave/index.js';
import { isCrash, knownDifferences } from './known-differences.js';
import type { Oracle, OracleAnswer } from './oracle.js';
import { sameJson } from './raw.js';
import { descendants, erased, type Node, print, size } from './tree.js';

export const now = '2025-03-14T15:09:26.535Z';
export const uuid = '3f2b8c1e-5d4a-4f6b-9a7c-0123456789ab';

/** The result of comparing one expression. */
export type Verdict =
  | { kind: 'agree'; ok: boolean }
  | { kind: 'skip'; why: string }
  | { kind: 'unsupported'; why: string }
  | { kind: 'known'; id: string }
  | { kind: 'differ'; oracle: OracleAnswer; ours: EvalResult };

const limitCodes = new Set(['DW_MAX_EVAL_TIME_EXCEEDED', 'DW_MAX_RESULT_SIZE_EXCEEDED']);

/** Evaluates each expression in both engines and compares. */
export async function judgeAll(oracle: Oracle, trees: Node[], bindings: JsonObject[]): Promise<Verdict[]> {
  const request = (expr: string, i: number) => ({ expr, bindings: bindings[i]!, now, uuid });
  const asked = oracle.askAll(trees.map((tree, i) => request(print(tree), i)));
  const ours = await Promise.all(trees.map((tree, i) => evaluate(print(tree), bindings[i]!)));
  const theirs = await asked;
  return Promise.all(trees.map((tree, i) => settle(oracle, tree, bindings[i]!, theirs[i]!, ours[i]!)));
}

/** Compares two results and, if they differ, checks whether a known difference explains it. */
async function settle(
  oracle: Oracle,
  tree: Node,
  bindings: JsonObject,
  theirs: OracleAnswer,
  ours: EvalResult,
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
    // With all its types hidden an expression may be parsed differently.
    for (const [start, end] of isSyntaxError(answered) ? partsOf(expr) : []) {
      const hidden = await again(hide, `${expr.slice(0, start)}e(${expr.slice(start, end)})${expr.slice(end)}`);
      if (hidden.verdict.kind === 'agree') return { kind: 'known', id: 'static-types' };
    }
  }
  const inputs = Object.entries(bindings).map(([name, value]) => `var ${name} = e(${literal(value)})\n`);
  if (/\b(payload|context)\b/.test(expr)) {
    const { answered, verdict } = await again(hide + inputs.join(''), isTypeCheck(theirs) ? erased(tree) : expr, {});
    if (verdict.kind === 'agree' && !isTypeCheck(answered)) return { kind: 'known', id: 'input-read-twice' };
  }
  if (last.oracle.ok && ours.ok) {
    const { verdict } = await again(materialise, erased(tree));
    if (verdict.kind === 'agree') return { kind: 'known', id: 'input-read-twice' };
  }
  if (last.oracle.ok && /concatWith/.test(expr)) {
    const { verdict } = await again(copyBinaries, erased(tree));
    if (verdict.kind === 'agree') return { kind: 'known', id: 'joined-binaries' };
  }
  if (ours.ok) {
    const [before, after] = [await again(hide, erased(tree)), await again(plain, erased(tree))];
    if (before.verdict.kind !== 'agree' && after.verdict.kind === 'agree') return { kind: 'known', id: 'plain-digits' };
  }
  if (theirs.ok && !ours.ok && ours.problem.code === 'DW_TYPE_MISMATCH' && ours.kind === 'compile') {
    if (await isWrongInPart(oracle, tree, bindings)) return { kind: 'known', id: 'static-types' };
  }
  if (theirs.ok && ours.ok) {
    const { verdict } = await again(force, erased(tree));
    if (verdict.kind === 'agree') return { kind: 'known', id: 'laziness' };
    // Find a part that makes theirs return our value: a `default` replaces a failure that theirs did not have.
    for (const [start, end] of partsOf(expr)) {
      const body = `${expr.slice(0, start)}e(${expr.slice(start, end)})${expr.slice(end)}`;
      const { verdict: forced } = await again(force + inputs.join(''), body, {});
      if (forced.kind === 'agree') return { kind: 'known', id: 'laziness' };
    }
  }
  if (theirs.ok && !ours.ok && ours.kind === 'runtime') {
    if (await failsUnneeded(oracle, expr, bindings, theirs.raw)) return { kind: 'known', id: 'laziness' };
    const { answered } = await again(force, erased(tree));
    if (isSameCoercion(answered, ours.problem.detail ?? '')) return { kind: 'known', id: 'laziness' };
  }
  if (/\btry\b/.test(expr) && (await crashesInPart(oracle, tree, bindings))) return { kind: 'known', id: 'crash' };
  return last;
}

/** Whether the real engine has an internal error on a part, which a `try` around it would hide. */
async function crashesInPart(oracle: Oracle, tree: Node, bindings: JsonObject): Promise<boolean> {
  const parts = [...descendants(tree)].filter((node) => node.value && size(node) < 30).map(print);
  const tried = parts.flatMap((part) => [part, `dw::Runtime::try(() -> ${part})`]);
  const answers = await oracle.askAll(tried.map((expr) => ({ expr, bindings, now, uuid })));
  return answers.some(isCrash);
}

/** Whether a part that we reject for its types also fails in the real engine when evaluated alone: it was never needed. */
async function isWrongInPart(oracle: Oracle, tree: Node, bindings: JsonObject): Promise<boolean> {
  const made = [...descendants(tree)].filter((node) => node.value && size(node) < 30).map(print);
  const whole = print(tree);
  for (const expr of new Set([...made, ...partsOf(whole).map(([start, end]) => whole.slice(start, end))])) {
    const ours = await evaluate(expr, bindings);
    if (ours.ok || ours.kind !== 'compile' || ours.problem.code !== 'DW_TYPE_MISMATCH') continue;
    const theirs = await oracle.ask({ expr, bindings, now, uuid });
    if (!theirs.ok && (theirs.kind === 'runtime' || isTypeCheck(theirs))) return true;
  }
  return false;
}

/**
 * Whether we fail only on a part that the real engine never evaluates: it returns the same with `fail()` in its place, and we do with a
 * value there.
 */
async function failsUnneeded(oracle: Oracle, expr: string, bindings: JsonObject, raw: string): Promise<boolean> {
  for (const [start, end] of partsOf(expr)) {
    const put = (text: string) => `${expr.slice(0, start)}(${text})${expr.slice(end)}`;
    const ours = await Promise.all(
      ['null', 'true', '0', '""', '[]', '{}'].map((value) => evaluate(put(value), bindings)),
    );
    if (!ours.some((it) => it.ok && sameJson(it.raw, raw))) continue;
    const theirs = await oracle.ask({ expr: put('dw::Runtime::fail()'), bindings, now, uuid });
    if (theirs.ok && sameJson(theirs.raw, raw)) return true;
  }
  return false;
}

/** The positions of the parts of an expression as it is parsed, which may differ from how it was generated. */
function partsOf(expr: string): [start: number, end: number][] {
  const found: [number, number][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { kind, start, end } = node as { kind?: unknown; start?: unknown; end?: unknown };
    if (typeof kind === 'string' && typeof start === 'number' && typeof end === 'number') found.push([start, end]);
    for (const part of Object.values(node)) walk(part);
  };
  walk(parseDataWeave(expr, { mode: 'strict' }).body);
  walk(parseDataWeave(expr, { mode: 'strict' }).declarations);
  return found;
}

/** A function with a statically unknown result type. */
const hide = 'fun e(x: Any): Any = x\n';

/** The same, but it also evaluates its whole argument, which the real engine defers for as long as possible. */
const force = 'fun e(x: Any): Any = if (isEmpty(write(x, "application/json"))) x else x\n';

/** The same, but it also computes arrays eagerly: the real engine computes them as they are read, and loses items that are read twice. */
const materialise = 'fun e(x: Any): Any = if (x is Array) (x orderBy 1) else x\n';

/** The same, but it also copies binaries: the real engine loses its position in those that `concatWith` has joined. */
const copyBinaries =
  'fun e(x: Any): Any = if (x is Binary) ((x as String {base: "16"}) as Binary {base: "16"}) else x\n';

/** The same, but it also removes the exponent from numbers that the real engine would write as `1E+3`. */
const plain = 'fun e(x: Any): Any = if (x is Number and ((x as String) contains "E+")) x + 0 else x\n';

/** JSON as a DataWeave literal. */
function literal(value: Json): string {
  return JSON.stringify(value).replaceAll('$', '\\$');
}

function evaluate(expr: string, bindings: JsonObject): Promise<EvalResult> {
  return evaluateRequest({ lang: 'dataweave', expr, bindings, mode: 'strict', env: environment(now, uuid) });
}

/** Whether the real engine fails on the same conversion as we do, except that of a function, which only writing requires. */
function isSameCoercion(it: OracleAnswer, detail: string): boolean {
  const [, from, to] = /^Cannot coerce (\w+) to (\w+)/.exec(detail) ?? [];
  if (it.ok || from === undefined || from === 'Function') return false;
  return it.error.startsWith(`Cannot coerce ${from} (`) && it.error.split('\n')[0]!.includes(` to ${to}`);
}

function isSyntaxError(it: OracleAnswer): boolean {
  return !it.ok && it.kind === 'compile' && it.error.startsWith('Invalid input');
}

/** Whether the real engine rejected the expression because of inferred types, not because of syntax or names. */
function isTypeCheck(it: OracleAnswer): boolean {
  return (
    !it.ok &&
    it.kind === 'compile' &&
    /Expecting Type|Unable to call|cannot be used as|Type mismatch|Expecting:|can not be|Missing required property/.test(
      it.error,
    )
  );
}

function compare(expr: string, oracle: OracleAnswer, ours: EvalResult): Verdict {
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
