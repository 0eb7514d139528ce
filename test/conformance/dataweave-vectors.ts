import { existsSync, readFileSync } from 'node:fs';
import { equal, type Json, type JsonObject } from '../../src/base/json/value.js';
import { environment, withOutput } from '../../src/cli/author/eval/eval.js';
import { evaluateRequest } from '../../src/cli/author/eval/evaluate-expression.js';
import { readExactJson } from '../../src/expressions/dataweave/index.js';
import { type Section, shared, type Tally } from './section.js';

/** An expression with the real engine's result, from any file. */
export interface Vector {
  id: string;
  expr: string;
  canonical?: string;
  mode: 'strict' | 'journey';
  bindings: JsonObject;
  now: string;
  uuid?: string;
  ok: boolean;
  output?: Json;
  raw?: string;
  /** The result varies; only its existence can be checked. */
  loose: boolean;
}

/** The current time of the engine that produced the vectors, unless a vector specifies another. */
const recordedAt = '2026-11-10T12:00:00Z';
const folder = new URL('corpus/dataweave/', shared);

interface ProbeRow {
  id: string;
  expr: string;
  canonical?: string | null;
  bindings: JsonObject;
  now?: string;
  uuid?: string;
  ok: boolean;
  output?: Json;
  output_raw?: string;
  nondeterministic?: boolean;
}

interface DocumentationRow {
  id: string;
  expr: string;
  input: Record<string, { mime: string; content: string; vars?: boolean }>;
  golden: Json;
  oracle_output_raw: string;
  nondeterministic: boolean;
}

function rows<T extends object>(file: string): T[] {
  // The script that created the files writes numbers beyond doubles in a form that JSON parsers reject.
  const text = readFileSync(new URL(file, folder), 'utf8').replace(/: (-?)Infinity\b/g, ': $11e400');
  const exact = readExactJson(text) as unknown as T[];
  return (JSON.parse(text) as T[]).map((row, i) => ({ ...row, ...exactBindings(exact[i]!) }));
}

/** The bindings of a row with all their digits; the expected value stays plain JSON for the comparison. */
function exactBindings(row: object): object {
  return 'bindings' in row ? { bindings: row.bindings } : {};
}

function probes(file: string, mode: Vector['mode']): Vector[] {
  return rows<ProbeRow>(file).map((row) => ({
    id: row.id,
    expr: row.expr,
    ...(row.canonical ? { canonical: row.canonical } : {}),
    mode,
    bindings: withOutput(row.bindings),
    now: row.now ?? recordedAt,
    ...(row.uuid ? { uuid: row.uuid } : {}),
    ok: row.ok,
    ...(row.output === undefined ? {} : { output: row.output }),
    ...(row.output_raw === undefined ? {} : { raw: row.output_raw }),
    loose: row.nondeterministic ?? false,
  }));
}

/** Inputs by name; a Mule event's variables are fields of `vars`. */
function inputs(given: DocumentationRow['input']): JsonObject {
  const bindings: JsonObject = {};
  const vars: JsonObject = {};
  for (const [name, { content, vars: isVariable }] of Object.entries(given)) {
    (isVariable ? vars : bindings)[name] = readExactJson(content);
  }
  return Object.keys(vars).length > 0 ? { ...bindings, vars } : bindings;
}

function documentation(): Vector[] {
  return rows<DocumentationRow>('documentation-examples.json').map((row) => ({
    id: row.id,
    expr: row.expr,
    mode: 'strict' as const,
    bindings: inputs(row.input),
    now: recordedAt,
    ok: true,
    output: row.golden,
    raw: row.oracle_output_raw,
    loose: row.nondeterministic,
  }));
}

/** The vectors of each file, by file name. */
export const vectorFiles: Record<string, () => Vector[]> = {
  'semantic-probes.json': () => probes('semantic-probes.json', 'strict'),
  'journey-expressions.json': () => probes('journey-expressions.json', 'journey'),
  'documentation-examples.json': documentation,
};

/** The documentation's examples include XML, cryptography and error messages; this share of them must agree. */
const enough: Record<string, number> = { 'documentation-examples.json': 0.97 };

/** The reason why the corpus cannot be read; undefined if it can. */
export function missing(): string | undefined {
  return existsSync(folder) ? undefined : 'the vectors are missing (../shared/corpus/dataweave)';
}

export const dataweaveSections: Section[] = Object.entries(vectorFiles).map(([name, load]) => ({
  name,
  run: async () => {
    const skipped = missing();
    return skipped ? { skipped } : { ...(await check(load())), enough: enough[name] ?? 1 };
  },
}));

async function check(vectors: Vector[]): Promise<Tally> {
  const tally: Tally & { unsupported: Map<string, number> } = { passed: 0, failures: [], unsupported: new Map() };
  let texts = 0;
  let textsEqual = 0;
  for (const vector of vectors) {
    const { expr, bindings, mode } = vector;
    const given = await evaluateRequest({
      lang: 'dataweave',
      expr,
      bindings,
      mode,
      env: environment(vector.now, vector.uuid),
    });
    const fail = (line: string) => tally.failures.push({ id: vector.id, line: `${short(expr)}\n    ${line}` });
    if (given.ok !== vector.ok) {
      if (!given.ok && given.problem.code === 'DW_UNSUPPORTED_SYNTAX') {
        const reason = (given.problem.detail ?? given.problem.title).replace(/ \(line.*/, '');
        tally.unsupported.set(reason, (tally.unsupported.get(reason) ?? 0) + 1);
      } else if (given.ok) fail(`expected an error, got ${short(given.raw)}`);
      else fail(`expected ${short(vector.raw ?? '')}, got ${given.problem.code}: ${given.problem.detail ?? ''}`);
    } else if (!given.ok || vector.loose || equal(given.output, vector.output)) {
      tally.passed++;
      if (given.ok && !vector.loose && vector.raw !== undefined) {
        texts++;
        if (given.raw === vector.raw) textsEqual++;
      }
    } else fail(`expected ${short(vector.raw ?? '')}, got ${short(given.raw)}`);
  }
  tally.remarks = [
    `${((100 * tally.passed) / vectors.length).toFixed(1)} % of ${vectors.length}; ${textsEqual} of ${texts} equal to the last digit and space`,
  ];
  return tally;
}

function short(text: string): string {
  const line = JSON.stringify(text).slice(1, -1);
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
