import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { environment } from '../../../src/cli/author/eval/eval.js';
import { evaluateRequest } from '../../../src/cli/author/eval/evaluate-expression.js';
import { sameJson } from '../../fuzz/dataweave/raw.js';

/** An expression with the result of the reference engine: JSON text, or a failure. */
interface Case {
  expr: string;
  gives?: string;
  fails?: 'compile' | 'runtime';
}

const payload = {
  person: { name: 'Ada', 'first name': 'A.', role: null },
  list: [1, 2, 3],
  rows: [
    { city: 'Oslo', n: 2 },
    { city: 'Lima', n: 1 },
    { city: 'Oslo', n: 3 },
  ],
  text: 'wave',
  number: 5,
  nothing: null,
};

const folder = new URL('./cases/', import.meta.url);

for (const file of readdirSync(folder).sort()) {
  const cases = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Case[];
  describe(`dataweave, ${file.replace('.json', '')}`, () => {
    it.each(cases.map((it) => [it.expr, it] as const))('%s', async (expr, { gives }) => {
      const env = environment('2031-05-06T07:08:09Z', 'u');
      const result = await evaluateRequest({ lang: 'dataweave', expr, bindings: { payload }, mode: 'strict', env });
      if (gives === undefined) {
        expect(result).toMatchObject({ ok: false });
        expect(result.ok ? '' : result.problem.code).not.toBe('DW_ENGINE_INTERNAL_ERROR');
      } else {
        expect(result.ok ? result.raw : result.problem).toSatisfy(
          (raw) => typeof raw === 'string' && sameJson(raw, gives),
          `gives ${gives}`,
        );
      }
    });
  });
}
