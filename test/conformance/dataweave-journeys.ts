import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments, visit } from 'yaml';
import { equal } from '../../src/base/json/value.js';
import { ProblemError } from '../../src/base/problems/problem.js';
import { environment } from '../../src/cli/author/eval/eval.js';
import { type EvalResult, evaluateRequest } from '../../src/cli/author/eval/evaluate-expression.js';
import { compileExpression } from '../../src/expressions/index.js';
import { missing, vectorFiles } from './dataweave-vectors.js';
import { type Section, shared, type Tally } from './section.js';

const bindings = ['context', 'payload', 'error', 'platform', 'branches', 'outcome', 'output'];

interface Found {
  file: string;
  line: number;
  expr: string;
}

/** Every `{lang: dataweave, expr}` of the public journeys. */
function expressions(folder: URL): Found[] {
  const found: Found[] = [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
    const text = readFileSync(new URL(file, folder), 'utf8');
    for (const document of parseAllDocuments(text)) {
      visit(document, {
        Map(_key, node) {
          const expr = node.get('expr');
          if (node.get('lang') !== 'dataweave' || typeof expr !== 'string') return;
          found.push({ file, line: text.slice(0, node.range?.[0]).split('\n').length, expr });
        },
      });
    }
  }
  return found;
}

function compileAll(found: Found[]): Tally {
  const tally: Tally = { passed: 0, failures: [] };
  for (const { file, line, expr } of found) {
    try {
      compileExpression({ lang: 'dataweave', expr }, { kind: 'mapper', bindings });
      tally.passed++;
    } catch (error) {
      const text = error instanceof ProblemError ? `${error.problem.code}: ${error.message}` : String(error);
      tally.failures.push({ id: `${file}:${line}`, line: text });
    }
  }
  return tally;
}

/** A non-canonical expression must return the same as its canonical spelling in strict mode, for every input of the vectors. */
async function compareCanonical(): Promise<Tally> {
  const tally: Tally = { passed: 0, failures: [] };
  for (const vector of vectorFiles['journey-expressions.json']!()) {
    if (vector.canonical === undefined) continue;
    const given = { lang: 'dataweave', bindings: vector.bindings, env: environment(vector.now, vector.uuid) };
    const journey = await evaluateRequest({ ...given, expr: vector.expr, mode: 'journey' });
    const strict = await evaluateRequest({ ...given, expr: vector.canonical, mode: 'strict' });
    if (same(journey, strict)) tally.passed++;
    else tally.failures.push({ id: vector.id, line: `journey ${short(journey)}, canonical ${short(strict)}` });
  }
  return tally;
}

function same(a: EvalResult, b: EvalResult): boolean {
  if (a.ok && b.ok) return equal(a.output, b.output);
  return !a.ok && !b.ok && a.kind === 'runtime' && b.kind === 'runtime';
}

function short(it: EvalResult): string {
  return it.ok ? it.raw.slice(0, 120) : `${it.problem.code} ${it.problem.detail ?? ''}`;
}

export const journeyExpressionSections: Section[] = [
  {
    name: 'journeys: every expression compiles',
    run: async () => {
      const folder = new URL('corpus/journeys/', shared);
      return existsSync(folder)
        ? compileAll(expressions(folder))
        : { skipped: 'the journeys are missing (../shared/corpus/journeys)' };
    },
  },
  {
    name: 'journeys: non-canonical expressions equal their canonical form',
    run: async () => {
      const skipped = missing();
      return skipped ? { skipped } : compareCanonical();
    },
  },
];
