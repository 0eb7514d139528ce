import { doc, type FaultCase } from './case.js';

const input = 'input: { schema: { type: object, properties: { leaf: { type: string }, cups: { type: integer } } } }';
const boil = (next: string, more = '') =>
  `{ type: task, task: { kind: "httpCall:v1", method: GET, url: "https://tea.example/pot", resultVar: water${more} }, next: ${next} }`;
const order = (next: string, more = '') =>
  `{ type: task, task: { kind: "httpCall:v1", method: POST, url: "https://tea.example/cups", resultVar: cup${more} }, next: ${next} }`;
const when = (expr: string, next: string, otherwise: string, lang = 'dataweave') =>
  `{ type: choice, choices: [{ when: { predicate: { lang: ${lang}, expr: '${expr}' } }, next: ${next} }], default: ${otherwise} }`;
const put = (expr: string, next: string, more = 'target: { kind: var }, resultVar: mug') =>
  `{ type: transform, transform: { mapper: { lang: dataweave, expr: '${expr}' }, ${more} }, next: ${next} }`;
const nap = (next: string) => `{ type: timer, timer: { duration: PT5S }, next: ${next} }`;
const end = 'end: { type: succeed }';

const warned = (code: FaultCase['code'], about: string, states: string, hint?: string, spec = input): FaultCase => ({
  code,
  severity: 'warning',
  about,
  text: doc({ spec, states }),
  ...(hint !== undefined && { hint }),
});

/** Findings of the analysis of paths: data flow, reachability, cycles. */
export const wayCases: FaultCase[] = [
  warned(
    'CONTEXT_UNWRITTEN',
    'a slip of the pen, in DataWeave',
    `a: ${boil('hot')}\nhot: ${when('context.§watr.ok', 'end', 'end')}\n${end}`,
    'context.water?',
  ),
  warned(
    'CONTEXT_UNWRITTEN',
    'in JSONata',
    `a: ${boil('hot')}\nhot: ${when('context.water.ok and context.§leef = "x"', 'end', 'end', 'jsonata')}\n${end}`,
    'context.leaf?',
  ),
  warned(
    'CONTEXT_UNWRITTEN',
    'in a placeholder',
    `a: ${boil('end').replace('/pot', '/${context.§laef}')}\n${end}`,
    'context.leaf?',
  ),
  warned(
    'CONTEXT_UNWRITTEN',
    'a field that no call has',
    `a: ${boil('hot')}\nhot: ${when('context.water.§boddy.hot', 'end', 'end')}\n${end}`,
    'context.water.body?',
  ),
  warned(
    'CONTEXT_UNWRITTEN',
    'neither declared nor written',
    `a: ${when('context.§sugar > 1', 'end', 'end')}\n${end}`,
    'declare it in input.schema',
  ),
  warned(
    'CONTEXT_UNWRITTEN',
    'gone with the whole context',
    `a: ${put('{ tea: { leaf: context.leaf } }', 'b', 'target: { kind: context }')}\nb: ${when('context.§leaf == "mint"', 'end', 'end')}\n${end}`,
    'context.tea.leaf?',
  ),
  warned(
    'CONTEXT_UNWRITTEN',
    'of a branch, where they are joined',
    `a:
  type: parallel
  parallel:
    branches:
      - { name: left, start: l, states: { l: ${boil('e')}, e: { type: succeed } } }
    join: { strategy: allOf, mapper: { lang: dataweave, expr: 'branches.left.§wter.ok' }, resultVar: both }
  next: end
${end}`,
    'branches.left.water?',
  ),
  warned(
    'CONTEXT_UNWRITTEN',
    'in a subjourney, which sees only its input',
    `a: { type: subjourney, subjourney: { ref: s, input: { mapper: { lang: dataweave, expr: '{ leaf: context.leaf }' } } }, next: end }\n${end}`,
    'Write it in an earlier state',
    `${input}\nsubjourneys: { s: { start: x, states: { x: ${when('context.§cups > 1', 'y', 'y')}, y: { type: succeed } } } }`,
  ),
  warned(
    'TYPES_DIFFER',
    'a status and a text',
    `a: ${boil('hot')}\nhot: ${when('§context.water.status == "200"', 'end', 'end')}\n${end}`,
    'without quotes',
  ),
  warned(
    'TEXT_ADDED',
    'to a field',
    `a: ${boil('hot')}\nhot: ${when('§"a" + context.leaf == "x"', 'end', 'end')}\n${end}`,
    '++',
  ),
  warned('OUTPUT_UNWRITTEN', 'of an end', `a: ${boil('end')}\nend: { type: succeed, outputVar: §watre }`, '"water"'),
  warned(
    'OUTPUT_UNWRITTEN',
    'of an XML task',
    'a: { type: task, task: { kind: "xmlDecode:v1", sourceVar: §text, resultVar: x }, next: end }\nend: { type: succeed }',
  ),
  {
    ...warned(
      'CHOICE_BRANCH_DEAD',
      'after one that is always taken',
      "a:\n  type: choice\n  choices:\n    - { when: { predicate: { lang: dataweave, expr: 'true' } }, next: end }\n    - { when: { predicate: { lang: dataweave, expr: context.cups > 1 } }, next: end }\n  default: end\nend: { type: succeed }",
    ),
  },
  warned(
    'CHOICE_BRANCH_DEAD',
    'that asks the same again',
    `a:\n  type: choice\n  choices:\n    - { when: { predicate: { lang: dataweave, expr: context.cups > 1 } }, next: end }\n    - { when: { predicate: { lang: dataweave, expr: 'context.cups  > 1' } }, next: end }\n  default: end\n${end}`,
  ),
  warned('LOOP_UNBOUNDED', 'without a way out', `§a: ${nap('b')}\nb: ${nap('a')}`),
  warned(
    'LOOP_UNBOUNDED',
    'that polls for ever',
    `§a: ${boil('hot')}\nhot: ${when('context.water.ok', 'end', 'rest')}\nrest: ${nap('a')}\n${end}`,
  ),
  warned(
    'CALL_REPEATED',
    'a retry that the service takes for a new order',
    `§a: ${order('hot')}\nhot: ${when('context.cup.ok', 'end', 'rest')}\nrest: ${nap('a')}\n${end}`,
    'Idempotency-Key',
    `${input}\nexecution: { maxDurationSec: 60, onTimeout: { errorCode: SLOW, reason: Slow } }`,
  ),
  warned(
    'SECRET_IN_TEXT',
    'in a header',
    `a: ${boil('end', ', headers: { Authorization: §Bearer abcdef123456 }')}\n${end}`,
    'secret://',
  ),
  warned('SECRET_IN_TEXT', 'in a body', `a: ${order('end', ', body: { password: §hunter2x }')}\n${end}`),
  warned('SECRET_IN_TEXT', 'in a URL', `a: ${boil('end').replace('"https://', '§"https://bob:geheim@')}\n${end}`),
  {
    code: 'TRANSFORM_NOT_OBJECT',
    about: 'a text cannot be the context',
    text: doc({
      spec: input,
      states: `a: ${put('context.leaf ++ "tea"', 'end', 'target: { kind: context }').replace("expr: '", "expr: §'")}\n${end}`,
    }).replace('context.leaf ++ "tea"', '"tea"'),
  },
  {
    code: 'SUBJ_INPUT_NOT_OBJECT',
    text: doc({
      spec: 'subjourneys: { s: { start: x, states: { x: { type: succeed } } } }',
      states: `a: { type: subjourney, subjourney: { ref: s, input: { mapper: { lang: jsonata, expr: §"1 + 1" } } }, next: end }\n${end}`,
    }),
  },
  {
    code: 'TIMER_DURATION',
    about: 'after the end of time',
    text: doc({ states: `a: { type: timer, timer: { duration: §P9000Y }, next: end }\n${end}` }),
  },
  {
    code: 'HTTP_HEADERS',
    about: 'a line break',
    text: doc({ states: `a: ${boil('end', ', headers: { X-Note: §"a\\nb" }')}\n${end}` }),
  },
];
