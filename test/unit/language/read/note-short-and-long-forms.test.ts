import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../../../src/base/json/value.js';
import { load } from '../../../../src/language/load-journey.js';
import { definitionHash } from '../../../../src/library/read-document-file.js';
import { readApiCatalogue } from '../../../../src/library/read-library.js';
import { document, languages, readCases, topics } from '../../engine/harness.js';
import { call, doc, state } from '../cases/case.js';

const isExpression = (value: Json | undefined): value is { lang: string; expr: string } =>
  isObject(value) && Object.keys(value).sort().join() === 'expr,lang';

/** An expression without its language if that is the default. */
const bare = ({ lang, expr }: { lang: string; expr: string }, own: string): JsonObject =>
  lang === own ? { expr } : { lang, expr };

/** The document with every expression in its shortest form. */
function shortened(value: Json, own: string): Json {
  if (Array.isArray(value)) return value.map((item) => shortened(item, own));
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    const predicate = isObject(inner) ? inner.predicate : undefined;
    if (key === 'when' && isExpression(predicate) && Object.keys(inner as JsonObject).length === 1)
      out[key] = predicate.lang === own ? predicate.expr : bare(predicate, own);
    else if (key === 'mapper' && isExpression(inner)) Object.assign(out, bare(inner, own));
    else if (key === 'predicate' && isExpression(inner)) Object.assign(out, bare(inner, own));
    else if (isExpression(inner)) out[key] = inner.lang === own ? inner.expr : bare(inner, own);
    else out[key] = shortened(inner, own);
  }
  return out;
}

const { catalogue } = await readApiCatalogue({ root: new URL('../../../fixtures/', import.meta.url).pathname });

function hashOf(value: Json): string {
  const { definition, findings } = load({ text: JSON.stringify(value), path: 'case.journey.json' }, { catalogue });
  const errors = findings.filter(({ severity }) => severity === 'error');
  return definition ? definitionHash(definition) : JSON.stringify(errors);
}

describe('LESS-1 short forms of expressions', () => {
  it.each(topics)('the short and the long form of every case about %s have the same hash', (topic) => {
    for (const { name, spec, lang: only, ...more } of readCases(topic))
      for (const lang of languages.filter((it) => (only ?? it) === it)) {
        const long = document(spec, lang, more);
        const short = shortened(long, 'dataweave') as JsonObject;
        expect(hashOf(short), `${name} in ${lang}`).toBe(hashOf(long));
        const byDefault = shortened(long, lang) as { spec: JsonObject };
        const defaults = isObject(byDefault.spec.defaults) ? byDefault.spec.defaults : {};
        byDefault.spec = { ...byDefault.spec, defaults: { ...defaults, lang } };
        expect(hashOf(byDefault as JsonObject), `${name} with ${lang} by default`).toBe(hashOf(long));
      }
  });

  it.each(['harvest', 'quote'])(
    'the short form of the fixture %s, which has every block, has the same hash',
    (name) => {
      const file = new URL(`../../../fixtures/journeys/${name}.journey.yaml`, import.meta.url);
      const long = parse(readFileSync(file, 'utf8')) as Json;
      const short = shortened(long, 'dataweave');
      expect(JSON.stringify(short).length).toBeLessThan(JSON.stringify(long).length);
      expect(hashOf(short)).toBe(hashOf(long));
      expect(hashOf(short)).toMatch(/^[0-9a-f]{64}$/);
    },
  );

  const findings = (states: string) =>
    load({ text: doc({ states }) }).findings.map(
      ({ line, column, pointer, code }) => `${line}:${column} ${pointer} ${code}`,
    );

  it('findings point into the text of a short form', () => {
    const choice = state('type: choice\nchoices:\n  - when: context.a ++ \n    next: end\ndefault: end');
    expect(findings(choice)).toEqual(['11:28 /spec/states/a/choices/0/when DW_PARSE_ERROR']);
    const transform = state('type: transform\ntransform:\n  expr: |\n    {\n      a: contxt.b\n    }\nnext: end');
    expect(findings(transform)).toEqual(['13:16 /spec/states/a/transform/expr DW-D14']);
  });

  it.each([
    ['body: { expr: "{ n: context.n }" }', { mapper: { lang: 'dataweave', expr: '{ n: context.n }' } }, []],
    ['body: { lang: jsonata, expr: context.n }', { mapper: { lang: 'jsonata', expr: 'context.n' } }, []],
    ['body: { expr: 1 }', { json: { expr: 1 } }, ['LITERAL_EXPRESSION']],
    ['body: { expr: context.n, n: 1 }', { json: { expr: 'context.n', n: 1 } }, ['LITERAL_EXPRESSION']],
    ['body: { n: { expr: context.n } }', { json: { n: { expr: 'context.n' } } }, ['LITERAL_EXPRESSION']],
    ['body: { lang: de }', { json: { lang: 'de' } }, []],
  ])('a literal stays a literal, with a warning if it is ambiguous: %s', (body, expected, codes) => {
    const loaded = load({ text: doc({ states: call(`${body}\nresultVar: r`) }) });
    expect(loaded.findings.map(({ code }) => code)).toEqual(codes);
    expect(loaded.definition?.states.a).toMatchObject({ task: { body: expected } });
  });
});
