import type { JsonObject } from '../../../src/base/json/value.js';
import type { Verdict } from './judge.js';
import { relevant } from './minimise.js';
import { descendants, type Node, print } from './tree.js';

type Differing = Verdict & { kind: 'differ' };

/** A cause of disagreement with its smallest example. */
export interface Finding {
  cause: string;
  tree: Node;
  verdict: Differing;
  bindings: JsonObject;
  cases: number[];
}

const quiet = new Set(['literal', 'fixed', 'parens', 'path', 'variable', 'items', 'fields', 'list', 'field', 'cases']);

function isQuiet(label: string): boolean {
  return quiet.has(label) || label.startsWith('fixed');
}

/** The signature of a disagreement: the result of each engine, and the constructs of the expression. */
export function causeOf(tree: Node, { oracle, ours }: Differing, coarse: boolean): string {
  const labels = [tree, ...descendants(tree)].map(({ label }) => label).filter((label) => !isQuiet(label));
  const constructs = labels.slice(0, coarse ? 1 : 2).join(' + ') || 'literal';
  const theirs = oracle.ok ? 'value' : `${oracle.kind} error`;
  const mine = ours.ok ? 'value' : ours.problem.code;
  return `${constructs}: real ${theirs}, ours ${mine}`;
}

/** Counts for one kind of expression. A refusal is an explained error of ours where the real engine returns a value. */
export interface Tally {
  expressions: number;
  agree: number;
  known: number;
  refused: number;
  skipped: number;
  silent: number;
}

export function newTally(): Tally {
  return { expressions: 0, agree: 0, known: 0, refused: 0, skipped: 0, silent: 0 };
}

/** Adds a verdict to the counts of its kind. */
export function tally(numbers: Tally, verdict: Verdict): void {
  const column = { agree: 'agree', known: 'known', unsupported: 'refused', skip: 'skipped', differ: 'silent' } as const;
  numbers.expressions++;
  numbers[verdict.kind === 'differ' && !verdict.ours.ok ? 'refused' : column[verdict.kind]]++;
}

/** The human-readable report of a run. */
export function render(run: {
  seed: number;
  /** The only generated kind, if the command specified one. */
  kind: string | undefined;
  done: number;
  differing: number;
  counts: Map<string, number>;
  perKind: Map<string, Tally>;
  findings: Finding[];
}): string {
  const lines = [
    `seed ${run.seed}: ${run.done} cases, ${run.differing} disagreements in ${run.findings.length} groups`,
  ];
  for (const [kind, numbers] of run.perKind) lines.push(`  kind ${kind} ${JSON.stringify(numbers)}`);
  for (const [what, count] of [...run.counts].sort((a, b) => b[1] - a[1])) lines.push(`  ${count} ${what}`);
  for (const finding of run.findings.sort((a, b) => b.cases.length - a.cases.length)) {
    const { oracle, ours } = finding.verdict;
    const expr = print(finding.tree);
    lines.push('', `## ${finding.cause} (${finding.cases.length} shrunk)`, `  expr     ${expr}`);
    const bindings = relevant(expr, finding.bindings);
    if (Object.keys(bindings).length > 0) lines.push(`  bindings ${JSON.stringify(bindings)}`);
    lines.push(`  real     ${oracle.ok ? oneLine(oracle.raw) : `${oracle.kind}: ${oneLine(oracle.error)}`}`);
    lines.push(
      `  ours     ${ours.ok ? oneLine(ours.raw) : `${ours.problem.code}: ${oneLine(ours.problem.detail ?? '')}`}`,
    );
    lines.push(
      `  again    npm run fuzz:dataweave -- --seed ${run.seed} --case ${finding.cases[0]}${run.kind ? ` --kind ${run.kind}` : ''}`,
    );
  }
  return lines.join('\n');
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 260 ? `${line.slice(0, 260)}…` : line;
}
