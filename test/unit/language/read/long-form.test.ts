import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { writeLong, writeShort } from '../../../../src/base/document/rewrite-short-and-long-forms.js';
import type { Definition } from '../../../../src/engine/definition/definition.js';
import { definitionHash } from '../../../../src/library/read-document-file.js';
import { readApiCatalogue } from '../../../../src/library/read-library.js';
import { loadScenarios } from '../../../../src/scenarios/load-scenarios.js';
import { runScenario } from '../../../../src/scenarios/run-scenario.js';
import { blocksOf, pages } from '../../../support/doc-blocks.js';
import { type Named, path, read, rewritten } from '../../../support/written-forms.js';
import { doc } from '../cases/case.js';

const root = new URL('../../../../', import.meta.url);
const folders = ['specs/', 'templates/', 'test/fixtures/journeys/', '../shared/corpus/journeys/'];

/** Documents in existing folders and on the pages, by name. */
const documents: Named[] = [
  ...folders
    .filter((folder) => existsSync(new URL(folder, root)))
    .flatMap((folder) =>
      readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(journey|pipeline)\.ya?ml$/.test(name))
        .map((name): Named => [`${folder}${name}`, readFileSync(path(`${folder}${name}`), 'utf8')]),
    ),
  ...pages
    .flatMap(blocksOf)
    .filter(
      ({ lang, text }) => lang === 'yaml' && /^kind: (Journey|Api|Pipeline)$/m.test(text) && /^spec:$/m.test(text),
    )
    .map(({ page, line, text }): Named => [`${page}:${line}`, text]),
];

const hashOf = async (named: Named) => {
  const { definition, findings } = await read(named);
  return definition ? definitionHash(definition as never) : findings.map(({ code }) => code).join();
};
const comments = (text: string) => (text.match(/(^|\s)#.*$/gm) ?? []).map((it) => it.trim()).sort();
const isSpelling = (code: string) => ['EXPR_EXTENSION', 'PREDICATE_EXTENSION', 'NAME_EXTENSION'].includes(code);
const hasTwoStates = (code: string) => ['ON_ERROR_EXTENSION', 'SUCCEED_EXTENSION'].includes(code);

describe('LESS-10 the long and the short form', () => {
  it.each(documents)('of %s have the same hash and comments, and are idempotent', async (name, text) => {
    const toLong = (it: string) => rewritten([name, it], writeLong, { twoStates: [] });
    const toShort = (it: string) => rewritten([name, it], writeShort);
    const long = await toLong(text);
    const short = await toShort(text);
    const hash = await hashOf([name, text]);
    for (const form of [long, short, await toShort(long), await toLong(short)])
      expect(await hashOf([name, form])).toBe(hash);
    for (const form of [long, short]) expect(comments(form)).toEqual(comments(text));
    expect(await toLong(long)).toBe(long);
    expect(await toShort(short)).toBe(short);
    expect(short.length).toBeLessThanOrEqual(long.length);
  });

  it('of a document without other extensions passes --strict', async () => {
    let passed = 0;
    for (const [name, text] of documents) {
      const strict = await read([name, text], { compat: false });
      const codes = new Set(strict.findings.filter(({ severity }) => severity === 'error').map(({ code }) => code));
      if (codes.size === 0 || ![...codes].every((code) => isSpelling(code) || hasTwoStates(code))) continue;
      const long = await read([name, await rewritten([name, text], writeLong)], { compat: false });
      const errors = long.findings.filter(({ severity }) => severity === 'error');
      expect({ name, errors }).toEqual({ name, errors: [] });
      passed++;
    }
    expect(passed).toBeGreaterThan(20);
  });
});

describe('the long form of an example passes its scenarios', async () => {
  const { catalogue } = await readApiCatalogue({ root: path('specs') });
  const { scenarios } = await loadScenarios([path('specs')], { catalogue });
  const texts = new Map(
    documents
      .filter(([name]) => name.startsWith('specs/'))
      .map(([, text]) => [/^(?: {2}|metadata: \{ )name: ([\w-]+)/m.exec(text)?.[1], text]),
  );
  it.each(scenarios.map((it) => [`${it.definition.name}: ${it.scenario.name}`, it] as const))(
    '%s',
    async (_, { definition, scenario }) => {
      const long = await rewritten(['specs/', texts.get(definition.name)!], writeLong);
      const { definition: rewrittenOne } = await read(['specs/', long]);
      const { states: __, ...expect_ } = scenario.expect ?? {};
      expect((await runScenario(rewrittenOne as Definition, { ...scenario, expect: expect_ })).mismatches).toEqual([]);
    },
  );
});

describe('the long form', () => {
  const long = async (states: string) => {
    const text = await rewritten(['case', doc({ states })], writeLong);
    return text.slice(text.indexOf('  states:\n') + '  states:\n'.length);
  };

  it.each([
    ['refused', 'r.ok == false'],
    ['[{ on: [HTTP_404], next: refused }, { next: refused }]', 'r.ok == false and (context.r.status == 404)'],
    ['[{ on: [TIMEOUT], next: refused }, { next: refused }]', 'r.ok == false and (context.r.error."type" == "TIMEOUT"'],
  ])('of onError: %s is a choice after the task', async (onError, first) => {
    const text = await long(`    # why
    a:
      type: task
      task: { kind: "httpCall:v1", method: GET, url: "https://a.example", resultVar: r }
      next: end
      onError: ${onError} # else
    end: { type: succeed }
    refused: { type: fail, errorCode: A, reason: b }
`);
    expect(text).toContain('next: aThen');
    expect(text).toMatch(/# why\n {4}a:/);
    expect(text).toContain('# else');
    expect(text).toContain(`expr: context.${first}`);
    expect(text).toContain('default: end');
  });

  it('LESS-10 keeps every comment of a state that is split', async () => {
    const text = await long(`    a: # 1
      # 2
      type: task # 3
      # 4
      task: # 5
        kind: "httpCall:v1"
        method: GET
        url: "https://a.example" # 6
        resultVar: r
      # 7
      next: end # 8
      # 9
      onError: # 10
        # 11
        - on: [HTTP_404] # 12
          # 13
          next: end # 14
        # 15
        - { on: [TIMEOUT], next: end } # 16
        - next: end # 17
    end: # 18
      # 19
      type: succeed # 20
      # 21
      output: # 22
        # 23
        expr: context.r # 24
`);
    expect([...text.matchAll(/# (\d+)/g)].map(([, n]) => Number(n)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 24 }, (_, i) => i + 1),
    );
  });

  it('of onError without an entry for all other failures is unchanged', async () => {
    const text = await long(`    a:
      type: task
      task: { kind: "httpCall:v1", method: GET, url: "https://a.example", resultVar: r }
      next: end
      onError: [{ on: [HTTP_404], next: end }]
    end: { type: succeed }
`);
    expect(text).toContain('onError: [{ on: [HTTP_404], next: end }]');
    expect(text).not.toContain('choice');
  });

  it('of the resultVar of a step is a transform after it', async () => {
    expect(
      await long(
        '    a: { wait: { resultVar: answer, input: { schema: true } }, next: end }\n    end: { type: succeed }\n',
      ),
    ).toBe(`    a: { type: wait, wait: { channel: manual, input: { schema: true } }, next: aThen }
    aThen:
      type: transform
      transform: { mapper: { lang: dataweave, expr: context.payload }, target: { kind: var }, resultVar: answer }
      next: end
    end: { type: succeed }
`);
  });

  it('of a computed output is a transform before the end, under an unused id', async () => {
    expect(await long('    a: { type: succeed, output: { expr: "1" } } # one\n')).toBe(`    a:
      type: transform
      transform: { mapper: { lang: dataweave, expr: "1" }, target: { kind: var }, resultVar: output }
      next: aThen
      # one
    aThen: { type: succeed, outputVar: output }
`);
  });
});
