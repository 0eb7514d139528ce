import { expect, it } from 'vitest';
import { load } from '../../../src/language/load-journey.js';
import { call, doc, state } from './cases/case.js';

const spec = `input:
  schema:
    type: object
    properties: { n: { type: number }, name: { type: string }, done: { type: boolean }, day: { type: string } }`;

/** Warnings about a document with a state `a`, by code and position. */
function warnings(states: string): string[] {
  const { findings } = load({ text: doc({ spec, states }) });
  return findings.map(({ code, line, column, message, hint }) => `${line}:${column} ${code} ${message} (${hint})`);
}

const choice = (expr: string, lang = 'dataweave') =>
  state(
    `type: choice\nchoices: [{ when: { predicate: { lang: ${lang}, expr: '${expr}' } }, next: end }]\ndefault: end`,
  );
const transform = (expr: string, lang = 'dataweave') =>
  state(
    `type: transform\ntransform: { mapper: { lang: ${lang}, expr: '${expr}' }, target: { kind: var }, resultVar: r }\nnext: end`,
  );
const after = (expr: string) =>
  `a: { type: task, task: { kind: "httpCall:v1", method: GET, url: "https://x.test/", resultVar: r }, next: b }
b: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: '${expr}' } }, next: end }], default: end }
end: { type: succeed, outputVar: r }`;

it.each([
  ['body: context.n\nresultVar: r', 'LITERAL_EXPRESSION "context.n" is a text here'],
  ['body: { n: context.n }\nresultVar: r', 'LITERAL_EXPRESSION "context.n" is a text here'],
  ["body: '{ n: context.n }'\nresultVar: r", 'LITERAL_EXPRESSION "{ n: context.n }" is a text here'],
  ['headers: { X-N: context.n }\nresultVar: r', 'LITERAL_EXPRESSION "context.n" is a text here'],
  ['params: { query: { n: context.n + 1 } }\nresultVar: r', 'LITERAL_EXPRESSION "context.n + 1" is a text here'],
])('GAP-5 a literal that looks like an expression is a warning: %s', (body, expected) => {
  const found = warnings(call(body));
  expect(found).toEqual([expect.stringContaining(expected)]);
  expect(found[0]).toMatch(body.startsWith('body') ? /^1[6-9]:\d+ .*\{ expr: / : /^1[6-9]:\d+ .*\$\{context/);
});

it.each(['context.name', `'"No " ++ context.name'`, 'upper(context.name)'])(
  'GAP-5 and so is one in a fail: %s',
  (reason) => {
    expect(warnings(`a: { type: fail, errorCode: X, reason: ${reason} }`)).toEqual([
      expect.stringContaining('LITERAL_EXPRESSION'),
    ]);
  },
);

const schedule = (fields: string) =>
  state(`type: task\ntask: { kind: "schedule:v1", start: end, ${fields} }\nnext: end`);

it.each([
  ['TIMER_DURATION', state('type: timer\ntimer: { duration: context.n }\nnext: end')],
  ['TIMER_UNTIL', state('type: timer\ntimer: { until: context.n }\nnext: end')],
  ['SCHED_INTERVAL', schedule('interval: context.n, maxRuns: 1')],
  ['SCHED_STARTAT', schedule('interval: P1D, startAt: context.n, maxRuns: 1')],
  ['SCHED_MAXRUNS', schedule('interval: P1D, maxRuns: context.n')],
])('LESS-1 an expression in place of another literal is an error with a hint how to compute it: %s', (code, states) => {
  const errors = load({ text: doc({ spec, states }) }).findings.filter(({ severity }) => severity === 'error');
  expect(errors).toMatchObject([{ code, hint: 'Write { expr: context.n } to compute it.' }]);
});

it.each([
  [choice('"a" + context.n == context.name'), 'TEXT_ADDED + adds numbers', 'Join texts with ++.'],
  [transform('"a" + context.other'), 'TEXT_ADDED + adds numbers', 'Join texts with ++.'],
  [transform('context.name + 1'), 'TEXT_ADDED + adds numbers, and context.name is a text.', '++'],
  [transform('"a" + context.n', 'jsonata'), 'TEXT_ADDED + adds numbers', 'Join texts with &.'],
  [
    after('context.r.status == "200"'),
    'TYPES_DIFFER context.r.status is a number, compared with a text',
    'without quotes',
  ],
  [choice('context.n == "1"'), 'TYPES_DIFFER context.n is a number, compared with a text', 'without quotes'],
  [choice('context.n = "1"', 'jsonata'), 'TYPES_DIFFER context.n is a number, compared with a text', 'without quotes'],
  [choice('context.name > 5'), 'TYPES_DIFFER context.name is a text, compared with a number', 'convert'],
  [choice('"true" == context.done'), 'TYPES_DIFFER context.done is a boolean, compared with a text', 'without quotes'],
  [choice('context.n'), 'PREDICATE_NOT_BOOLEAN A predicate returns true or false, and this returns a number.', ''],
])('GAP-5 mismatched types are a warning: %#', (states, expected, hint) => {
  const found = warnings(states).filter((it) => !it.includes('CONTEXT_UNWRITTEN'));
  expect(found).toEqual([expect.stringContaining(expected)]);
  expect(found[0]).toContain(hint);
});

it.each([
  call('body: the context.n of it\nresultVar: r'),
  call('body: \'"Ada" wants context.n\'\nresultVar: r'),
  'a: { type: fail, errorCode: X, reason: "The order (context.n) was refused" }',
  call('body: \'{"text": "context.n", "n": ${context.n}}\'\nresultVar: r'),
  call('headers: { Host: platform.example.com }\nresultVar: r'),
  transform('context.day + |P1D|'),
  transform('[] + "a"'),
  transform('"$(context.n)" ++ context.n'),
  choice('(context.n default "none") == "none"'),
  choice('context.n as String == "1"'),
  choice('context.done'),
  choice('context.n > 5 and context.name == "a"'),
  after('context.r.status == 200'),
  after('context.r.body == "200"'),
])('GAP-5 nothing is reported if it may be intended: %#', (states) => {
  expect(warnings(states)).toEqual([]);
});
