import { doc, type FaultCase, indent, mapper, state } from './case.js';

const one = (body: string) => doc({ states: state(body) });
const predicate = 'predicate: { lang: dataweave, expr: context.ok }';
const step = (fields: string, rest = 'next: end') => one(`type: wait\nwait:\n  channel: manual\n${fields}\n${rest}`);
const schema = '  input: { schema: true }';
const parallel = (fields: string) => one(`type: parallel\nparallel:\n${fields}\nnext: end`);
const branches = '  branches: [{ name: x, start: s, states: { s: { type: succeed } } }]';
const join = `  join: { strategy: allOf, ${mapper}, resultVar: r }`;

const signed = (signature: string) =>
  one(`type: webhook\nwebhook:\n  input: { schema: true }\n  signature: ${signature}\nnext: end`);
const correlated = (correlate: string, spec = 'key: { expr: context.id }') =>
  doc({
    spec,
    states: state(
      `type: webhook\nwebhook:\n  input: { schema: true }\n  signature: { preset: github, secretRef: s }\n  correlate: ${correlate}\nnext: end`,
    ),
  });
const calling = (expr: string) =>
  doc({
    states: `a: { type: webhook, webhook: { input: { schema: true } }, next: b }
b:
  type: transform
  transform: { mapper: { lang: dataweave, expr: §"${expr}" }, target: { kind: var }, resultVar: r }
  next: end
end: { type: succeed }`,
  });

const itemGraph = '  start: s\n  states:\n    s: { type: succeed }';
const mapState = (fields: string, states = 's: { type: succeed }') =>
  state(`type: map\nmap:\n${indent(fields, 2)}\n  start: s\n  states:\n${indent(states, 4)}\nnext: end`);
/** A map with these fields, and these states for each item. */
const map = (fields: string, states?: string) => doc({ states: mapState(fields, states) });

/** The rules of each state type, and those that states share. */
export const stateCases: FaultCase[] = [
  { code: 'EXPR_REQUIRED', text: doc({ states: 'a: { type: succeed, output: §x }' }), hint: 'outputVar' },
  { code: 'IDENT', text: doc({ states: 'a: { type: succeed, outputVar: §result.body }' }) },
  { code: 'IDENT', text: doc({ states: 'a: { type: succeed, outputVar: §7 }' }) },
  {
    code: 'FAIL_FIELDS',
    text: doc({ states: 'a: §{ type: fail, errorCode: X }'.replace('§', '').replace(' a:', ' §a:') }),
  },
  { code: 'FAIL_FIELDS', text: doc({ states: 'a: { type: fail, errorCode: §404, reason: gone }' }), hint: 'quotes' },
  {
    code: 'INTERPOLATION_LITERAL',
    text: doc({ states: 'a: { type: fail, errorCode: X, reason: §"no ${context.leaf}" }' }),
    severity: 'warning',
  },

  {
    code: 'SCHEMA_INVALID',
    text: step('  input: { schema: { type: thing, properties: { a: { pattern: §"(" } } } }'),
    about: 'every fault at once',
  },
  { code: 'CHOICE_EMPTY', text: one('type: choice\n§choices: []\ndefault: end') },
  { code: 'CHOICE_EMPTY', text: doc({ states: '§a: { type: choice, default: end }\nend: { type: succeed }' }) },
  {
    code: 'CHOICE_NO_DEFAULT',
    text: doc({
      states: `§a: { type: choice, choices: [{ when: { ${predicate} }, next: end }] }\nend: { type: succeed }`,
    }),
    severity: 'warning',
  },
  {
    code: 'PREDICATE_REQUIRED',
    text: one(`type: choice\nchoices:\n  - §when:\n    ${predicate}\n    next: end\ndefault: end`),
    hint: 'Write when',
    about: 'D5: predicate beside when',
  },
  {
    code: 'PREDICATE_REQUIRED',
    text: one('type: choice\nchoices:\n  - when: { predicate: §[context.ok] }\n    next: end\ndefault: end'),
  },
  ...['"yes"', '1 + 1', '{ ok: true }', 'if (context.ok) 1 else 2', 'now()'].map(
    (expr): FaultCase => ({
      code: 'PREDICATE_NOT_BOOLEAN',
      text: one(
        `type: choice\nchoices:\n  - when: { predicate: { lang: dataweave, expr: §'${expr}' } }\n    next: end\ndefault: end`,
      ),
      hint: 'Compare',
      about: expr,
    }),
  ),
  {
    code: 'PREDICATE_NOT_BOOLEAN',
    text: one(
      "type: choice\nchoices:\n  - when: { predicate: { lang: jsonata, expr: §'context.a & context.b' } }\n    next: end\ndefault: end",
    ),
    about: 'in JSONata',
  },
  {
    code: 'EXPR_REQUIRED',
    text: one(
      'type: choice\nchoices:\n  - when: { predicate: { lang: §"", expr: "true" } }\n    next: end\ndefault: end',
    ),
    about: 'no language',
  },
  {
    code: 'EXPR_REQUIRED',
    text: one('type: transform\ntransform: { mapper: { lang: dataweave, expr: §"" } }\nnext: end'),
  },
  { code: 'EXPR_REQUIRED', text: one('type: transform\n§transform: { target: { kind: context } }\nnext: end') },

  ...[
    ['transform: { §expr: context.leaf }', 'Write mapper: { lang: dataweave, expr: context.leaf }'],
    ['transform: { lang: jsonata, §expr: context.leaf }', 'Write mapper: { lang: jsonata, expr: context.leaf }'],
    ['transform: { §mapper: "{ a: 1 }" }', "Write { lang: dataweave, expr: '{ a: 1 }' }"],
    ['transform: { mapper: { §expr: context.leaf } }', 'Write { lang: dataweave, expr: context.leaf }'],
  ].map(
    ([block, hint]): FaultCase => ({
      code: 'EXPR_EXTENSION',
      text: one(`type: transform\n${block}\nnext: end`),
      options: { compat: false },
      hint: hint!,
      about: block!,
    }),
  ),
  ...[
    ['§when: context.ok', 'Write predicate: { lang: dataweave, expr: context.ok }'],
    ['when: { §expr: context.ok }', 'Write predicate: { lang: dataweave, expr: context.ok }'],
    ['when: { §predicate: context.ok }', 'Write { lang: dataweave, expr: context.ok }'],
  ].map(
    ([when, hint]): FaultCase => ({
      code: 'EXPR_EXTENSION',
      text: one(`type: choice\nchoices:\n  - ${when}\n    next: end\ndefault: end`),
      options: { compat: false },
      hint: hint!,
      about: when!,
    }),
  ),
  {
    code: 'EXPR_EXTENSION',
    text: doc({ spec: 'defaults: { §lang: jsonata }' }),
    options: { compat: false },
    about: 'a default for lang',
  },
  {
    code: 'ON_ERROR_EXTENSION',
    text: doc({
      states:
        'a: { type: task, task: { kind: "httpCall:v1", method: GET, url: "https://x.test", resultVar: r }, next: end, §onError: end }\nend: { type: succeed }',
    }),
    options: { compat: false },
  },
  {
    code: 'SUCCEED_EXTENSION',
    text: doc({ states: `a: { type: succeed, §output: { ${mapper} } }` }),
    options: { compat: false },
  },
  { code: 'LANG_UNKNOWN', text: doc({ spec: 'defaults: { lang: §jsonta }' }), hint: '"jsonata"' },
  { code: 'EXPR_REQUIRED', text: one('type: transform\ntransform: { §expr: { a: 1 } }\nnext: end'), hint: 'in quotes' },
  { code: 'EXPR_REQUIRED', text: one('type: transform\n§transform: { lang: jsonata }\nnext: end') },
  {
    code: 'MAPPER_BOTH',
    text: one(`type: transform\ntransform: { ${mapper}, §expr: context.leaf }\nnext: end`),
    about: 'mapper and expr',
  },
  {
    code: 'UNKNOWN_FIELD',
    text: one(`type: transform\ntransform: { ${mapper}, §lang: jsonata }\nnext: end`),
    hint: 'under mapper',
    about: 'lang beside mapper',
  },
  {
    code: 'UNKNOWN_FIELD',
    text: one('type: transform\ntransform: { §exp: context.leaf }\nnext: end'),
    hint: '"expr"',
    about: 'expr misspelt',
  },
  {
    code: 'MAPPER_UNKNOWN',
    text: doc({
      spec: 'mappers: { brew: { lang: dataweave, expr: "{}" } }',
      states: state('type: transform\ntransform: { mapperRef: §brw }\nnext: end'),
    }),
    hint: '"brew"',
  },
  {
    code: 'MAPPER_BOTH',
    text: doc({
      spec: 'mappers: { brew: { lang: dataweave, expr: "{}" } }',
      states: state(`type: transform\ntransform: { ${mapper}, §mapperRef: brew }\nnext: end`),
    }),
  },
  {
    code: 'TRANSFORM_TARGET',
    text: one(`type: transform\ntransform: { ${mapper}, target: { kind: §vars } }\nnext: end`),
  },
  { code: 'TRANSFORM_TARGET', text: one(`type: transform\ntransform: { ${mapper}, target: §context }\nnext: end`) },
  {
    code: 'TRANSFORM_VAR_NO_RESULTVAR',
    text: one(`type: transform\n§transform: { ${mapper}, target: { kind: var } }\nnext: end`),
  },
  {
    code: 'PATH_SYNTAX',
    text: one(
      `type: transform\ntransform: { ${mapper}, target: { kind: context, path: §"items[0].name" } }\nnext: end`,
    ),
  },
  { code: 'PATH_SYNTAX', text: one(`type: transform\ntransform: { ${mapper}, target: { path: §a..b } }\nnext: end`) },

  { code: 'WAIT_CHANNEL', text: one(`type: wait\nwait: { §channel: email, input: { schema: true } }\nnext: end`) },
  {
    code: 'NAME_EXTENSION',
    text: one('type: wait\n§wait: { input: { schema: true } }\nnext: end'),
    options: { compat: false },
    about: 'no channel',
  },
  {
    code: 'STEP_EXTENSION',
    text: one('type: wait\nwait: { channel: manual, §resultVar: answer, input: { schema: true } }\nnext: end'),
    options: { compat: false },
    about: 'the variable of the body',
  },
  { code: 'IDENT', text: one('wait: { resultVar: §the answer, input: { schema: true } }\nnext: end') },
  { code: 'WAIT_SCHEMA_MISSING', text: one('type: wait\n§wait: { channel: manual }\nnext: end') },
  { code: 'WAIT_SCHEMA_MISSING', text: one('type: webhook\nwebhook: { §input: {} }\nnext: end') },
  {
    code: 'SIGNATURE_SHAPE',
    text: signed('§{ preset: github }'.replace('§', '')).replace('signature:', '§signature:'),
  },
  { code: 'SIGNATURE_SHAPE', text: signed('{ preset: §gitlab, secretRef: s }'), hint: 'github' },
  { code: 'SIGNATURE_SHAPE', text: signed('{ preset: github, §prefix: v1, secretRef: s }'), about: 'beside a preset' },
  {
    code: 'SIGNATURE_SHAPE',
    text: signed('{ header: §"X Signature", secretRef: s }'),
    about: 'an invalid header name',
  },
  { code: 'SIGNATURE_SHAPE', text: signed('{ header: X, algorithm: §md5, secretRef: s }'), hint: 'sha512' },
  { code: 'SIGNATURE_SHAPE', text: signed('{ header: X, §secretRefs: [] }'), about: 'no secret' },
  {
    code: 'SIGNATURE_SHAPE',
    text: signed('{ header: X, content: §"{timestamp}", secretRef: s, timestamp: { header: T } }'),
  },
  { code: 'SIGNATURE_SHAPE', text: signed('{ header: X, content: §"{timestamp}.{body}", secretRef: s }') },
  {
    code: 'SIGNATURE_SHAPE',
    text: signed('{ header: X, content: §"{id}.{body}", secretRef: s }'),
    hint: '{header:<name>}',
  },
  {
    code: 'STEP_EXTENSION',
    text: signed('{ preset: stripe, secretRef: s }').replace('signature:', '§signature:'),
    options: { compat: false },
  },
  {
    code: 'STEP_EXTENSION',
    text: calling('platform.run.callbacks.a'),
    options: { compat: false },
    about: 'a callback URL',
  },
  { code: 'CORRELATE_SHAPE', text: correlated('§payload.id') },
  { code: 'CORRELATE_SHAPE', text: correlated('{ expr: payload.id, startIfMissing: §yes please }') },
  { code: 'CORRELATE_SHAPE', text: correlated('{ expr: payload.id, §startIfMissing: {} }') },
  { code: 'CORRELATE_SHAPE', text: correlated('{ expr: payload.id, startIfMissing: { input: { expr: \'"x"\' } } }') },
  { code: 'EXPR_REQUIRED', text: correlated('{ dedupe: { expr: payload.id } }').replace('correlate:', '§correlate:') },
  {
    code: 'CORRELATE_IN_MAP',
    text: map(
      'items: context.list',
      's: { type: webhook, webhook: { input: { schema: true }, signature: { preset: github, secretRef: s }, §correlate: { expr: payload.id } }, next: e }\ne: { type: succeed }',
    ).replace('start: a', 'key: { expr: context.id }\n  start: a'),
  },
  { code: 'CORRELATE_KEY', text: correlated('{ expr: payload.id }', '').replace('correlate:', '§correlate:') },
  {
    code: 'CORRELATE_SIGNATURE',
    text: correlated('{ expr: payload.id }')
      .replace(/ +signature: .*\n/, '')
      .replace('correlate:', '§correlate:'),
  },
  {
    code: 'STEP_EXTENSION',
    text: correlated('{ expr: payload.id }').replace('correlate:', '§correlate:'),
    options: { compat: false },
    also: ['KEY_EXTENSION', 'STEP_EXTENSION', 'EXPR_EXTENSION'],
  },
  { code: 'CALLBACK_STEP_UNKNOWN', text: calling('{ url: platform.run.callbacks.b }'), hint: 'a' },
  { code: 'CALLBACK_STEP_UNKNOWN', text: calling("platform.run.callbacks['not there']") },
  { code: 'CALLBACK_STEP_UNKNOWN', text: calling("platform.run['callbacks'].b"), about: 'in other quotes' },
  {
    code: 'CALLBACK_STEP_UNKNOWN',
    text: doc({
      states:
        'a:\n  type: task\n  task: { kind: "httpCall:v1", method: GET, url: §"https://a.example/${platform.run.callbacks.none}", resultVar: r }\n  next: end\nend: { type: succeed }',
    }),
    about: 'in a text',
  },
  { code: 'WAIT_TIMEOUT', text: step(`${schema}\n  timeoutSec: §0\n  onTimeout: end`) },
  {
    code: 'WAIT_ONTIMEOUT_MISSING',
    text: one('type: webhook\n§webhook: { input: { schema: true }, timeoutSec: 5 }\nnext: end'),
  },
  {
    code: 'WAIT_ONTIMEOUT_MISSING',
    text: one('type: webhook\n§webhook: { input: { schema: true }, onTimeout: end }\nnext: end'),
    severity: 'warning',
  },
  {
    code: 'STATE_BLOCK',
    text: doc({ states: '§a:\n  type: wait\n  wait:\n  next: end\nend: { type: succeed }' }),
    about: 'C16: an empty wait',
  },
  { code: 'REF_UNKNOWN', text: step(`${schema}\n  timeoutSec: 5\n  onTimeout: §edn`), hint: '"end"' },
  { code: 'SCHEMA_INVALID', text: step('  input: { schema: { type: object, required: §name } }') },
  { code: 'SCHEMA_INVALID', text: step('  input: { schema: { type: §objekt } }') },
  { code: 'SCHEMA_INVALID', text: step('  input: { schema: { properties: { enum: §[a, b] } } }') },
  { code: 'SCHEMA_INVALID', text: step('  input: { schema: { properties: { a: { $ref: §"#/$defs/leaf" } } } }') },
  ...[
    '{ $dynamicRef: §"#nowhere" }',
    '{ $ref: §"https://json-schema.org/draft/2020-12/schema" }',
    '{ anyOf: [{ $ref: §"#leaf" }, { const: { $anchor: leaf } }] }',
    '{ $ref: §"#/allOf/", allOf: [{}] }',
    '{ $ref: §"#" }',
    '{ anyOf: [{ $ref: "#/$defs/leaf" }], $defs: { leaf: { $ref: §"#/$defs/leaf" } } }',
    '{ $defs: { leaf: {}, inner: { $id: "https://example.com/inner", $ref: §"#/$defs/leaf" } } }',
  ].map(
    (given): FaultCase => ({
      code: 'SCHEMA_INVALID',
      text: step(`  input: { schema: ${given} }`),
      about: 'a reference that cannot be resolved',
    }),
  ),
  { code: 'SCHEMA_INVALID', text: step('  input: { schema: { pattern: §"(unclosed" } }') },
  { code: 'SCHEMA_INVALID', text: step('  input: { schema: { pattern: §"(?=look)ahead" } }'), hint: 'look-ahead' },
  { code: 'SCHEMA_INVALID', text: step('  input: { schema: { patternProperties: { "(": §true } } }') },
  {
    code: 'SCHEMA_INVALID',
    text: step('  input: { schema: { $schema: §"http://json-schema.org/draft-07/schema#" } }'),
  },
  { code: 'SCHEMA_INVALID', text: step('  input: { schema: §[] }') },
  {
    code: 'RESPONSE_RESERVED_FIELD',
    text: step(`${schema}\n  response: { outputVar: r, schema: { properties: { §phase: {} } } }`),
  },
  { code: 'IDENT', text: step(`${schema}\n  response: { outputVar: §a.b }`) },
  {
    about: 'JL-12.1 a response that is only described',
    code: 'FIELD_REQUIRED',
    text: step(`${schema}\n  §response: { schema: { properties: { total: {} } } }`),
    severity: 'warning',
  },
  { code: 'FIELD_TYPE', text: step(`${schema}\n  response: §r`) },

  {
    code: 'REF_UNKNOWN',
    text: step(`${schema}\n  default: §nowhere`),
    about: 'C1: a dangling default next to next',
  },
  {
    code: 'UNKNOWN_FIELD',
    text: one('type: timer\ntimer: { duration: PT1S, §onTimeout: end }\nnext: end'),
    about: 'R2-25: a timer with a second transition',
  },
  {
    code: 'UNKNOWN_FIELD',
    text: one('type: timer\ntimer: { duration: PT1S, §input: { schema: true } }\nnext: end'),
    about: 'R2-25: a timer with input',
  },

  {
    code: 'FAIL_EXTENSION',
    text: doc({ states: `a: { type: fail, §errorCode: { ${mapper} }, reason: It is }` }),
    options: { compat: false },
  },
  {
    code: 'FAIL_EXTENSION',
    text: doc({ states: `a: { type: fail, errorCode: X, §reason: { ${mapper} } }` }),
    options: { compat: false },
  },
  { code: 'MAPPER_UNKNOWN', text: doc({ states: 'a: { type: fail, errorCode: { mapperRef: §x }, reason: It is }' }) },
  {
    code: 'FAIL_FIELDS',
    text: doc({ states: 'a: { type: fail, errorCode: §{ code: x }, reason: It is }' })
      .replace('§{', '{')
      .replace('errorCode', '§errorCode'),
    about: 'an object without a mapper',
  },
  {
    code: 'PREDICATE_EXTENSION',
    text: doc({
      spec: 'mappers: { big: { lang: dataweave, expr: context.n > 3 } }',
      states:
        'a: { type: choice, choices: [{ when: { predicate: { §mapperRef: big } }, next: end }], default: end }\nend: { type: succeed }',
    }),
    options: { compat: false },
  },
  {
    code: 'MAPPER_UNKNOWN',
    text: doc({
      spec: 'mappers: { big: { lang: dataweave, expr: context.n > 3 } }',
      states:
        'a: { type: choice, choices: [{ when: { predicate: { mapperRef: §bigg } }, next: end }], default: end }\nend: { type: succeed }',
    }),
    hint: '"big"',
    about: 'in a predicate',
  },
  {
    code: 'PREDICATE_NOT_BOOLEAN',
    text: doc({
      spec: 'mappers: { big: { lang: dataweave, expr: §"1 + 2" } }',
      states:
        'a: { type: choice, choices: [{ when: { predicate: { mapperRef: big } }, next: end }], default: end }\nend: { type: succeed }',
    }),
    about: 'by name',
  },
  {
    code: 'HTTP_EXTENSION',
    text: one('type: task\ntask: { kind: "httpCall:v1", method: §PATCH, url: "https://x.test/a" }\nnext: end'),
    options: { compat: false },
    about: 'PATCH by URL',
  },
  { code: 'MAP_ITEMS', text: one(`type: map\n§map:\n${itemGraph}\nnext: end`), about: 'no items' },
  { code: 'MAP_ITEMS', text: map('§items: [1, 2]'), about: 'a list' },
  { code: 'MAP_ITEMS', text: map('§items: { context: a }'), hint: '{ expr:' },
  { code: 'MAP_ITEMS', text: map(`items: { ${mapper} }\n§input: yes please`), about: 'the input' },
  { code: 'MAPPER_UNKNOWN', text: map('items: { mapperRef: §none }'), about: 'items of a map' },
  { code: 'MAP_START', text: map(`items: { ${mapper} }`).replace('start: s', 'start: §end') },
  { code: 'MAP_CONCURRENCY', text: map(`items: { ${mapper} }\nmaxConcurrency: §0`) },
  { code: 'MAP_CONCURRENCY', text: map(`items: { ${mapper} }\nmaxConcurrency: §101`) },
  { code: 'MAP_ERROR_POLICY', text: map(`items: { ${mapper} }\nerrorPolicy: §alll`), hint: '"all"' },
  { code: 'MAP_ERROR_POLICY', text: map(`items: { ${mapper} }\nerrorPolicy: { tolerate: §-1 }`) },
  { code: 'MAP_ERROR_POLICY', text: map(`items: { ${mapper} }\n§errorPolicy: { allow: 3 }`) },
  {
    code: 'MAP_NO_RESULTVAR',
    severity: 'warning',
    text: map(`items: { ${mapper} }\n${mapper}`).replace('map:\n', '§map:\n'),
  },
  {
    code: 'REF_UNKNOWN',
    text: map(`items: { ${mapper} }`, `s: { type: timer, timer: { duration: PT1S }, next: §end }`),
    hint: 'cannot leave',
    about: 'out of a map',
  },
  {
    code: 'MAP_NESTED',
    text: map(
      `items: { ${mapper} }`,
      `§s: { type: map, map: { items: { ${mapper} }, start: t, states: { t: { type: succeed } } }, next: e }\ne: { type: succeed }`,
    ),
    hint: 'flatten',
  },
  {
    code: 'MAP_NESTED',
    text: doc({
      spec: `subjourneys:\n  many:\n    start: m\n    states:\n      m: { type: map, map: { items: { ${mapper} }, start: t, states: { t: { type: succeed } } }, next: e }\n      e: { type: succeed }`,
      states: mapState(
        `items: { ${mapper} }`,
        '§s: { type: subjourney, subjourney: { ref: many }, next: e }\ne: { type: succeed }',
      ),
    }),
    about: 'in a subjourney that an item calls',
  },
  {
    code: 'POLL_EXTENSION',
    text: one(
      'type: task\ntask: { kind: "httpCall:v1", method: GET, url: "https://x.test/", resultVar: r }\n§poll: { until: { lang: dataweave, expr: result.ok == true }, every: PT1S, max: 3 }\nnext: end',
    ),
    options: { compat: false },
    about: 'LESS-9',
  },
  {
    code: 'INTERPOLATION_SYNTAX',
    text: one('type: task\ntask: { kind: "httpCall:v1", method: GET, url: §"https://x.test/${item.id}" }\nnext: end'),
    hint: 'in a map',
    about: 'an item outside of a map',
  },

  { code: 'PAR_BRANCHES', text: parallel(`  §branches: []\n${join}`) },
  { code: 'PAR_BRANCHES', text: parallel(`  branches: [§nope]\n${join}`) },
  { code: 'PAR_BRANCHES', text: parallel(`  branches: [§{ start: s, states: { s: { type: succeed } } }]\n${join}`) },
  {
    code: 'PAR_BRANCH_START',
    text: parallel(`  branches: [{ name: x, start: §t, states: { s: { type: succeed } } }]\n${join}`),
  },
  {
    code: 'PAR_BRANCH_NAME_DUP',
    text: parallel(
      `  branches: [{ name: x, start: s, states: { s: { type: succeed } } }, { name: §x, start: s, states: { s: { type: succeed } } }]\n${join}`,
    ),
  },
  { code: 'PAR_JOIN_MISSING', text: one(`type: parallel\n§parallel:\n${branches}\nnext: end`) },
  {
    code: 'PAR_STRATEGY',
    text: parallel(`${branches}\n  join: { strategy: §allof, ${mapper}, resultVar: r }`),
    hint: '"allOf"',
  },
  {
    code: 'PAR_STRATEGY',
    text: doc({
      states: `a:
  type: parallel
  parallel:
    branches:
      - name: b
        start: called
        states:
          called: { type: webhook, webhook: { input: { schema: {} } }, next: z }
          z: { type: succeed }
    join: { strategy: §any, mapper: { lang: dataweave, expr: platform.run.callbacks.called }, resultVar: r }
  next: end
end: { type: succeed }`,
    }),
    about: 'the steps of its branches are still known',
  },
  {
    code: 'PAR_ERROR_POLICY',
    text: parallel(`${branches}\n  join: { strategy: allOf, errorPolicy: §ignore, ${mapper}, resultVar: r }`),
  },
  {
    code: 'PAR_JOIN_LANG',
    text: parallel(`${branches}\n  join: { strategy: allOf, mapper: { lang: §jolt, expr: "[]" }, resultVar: r }`),
  },
  {
    code: 'JOIN_NO_RESULTVAR',
    text: parallel(`${branches}\n  §join: { strategy: allOf, ${mapper} }`),
    severity: 'warning',
    about: 'A3',
  },
  {
    code: 'JOIN_NO_MAPPER',
    text: parallel(`${branches}\n  join: { strategy: allOf, §resultVar: r }`),
    severity: 'warning',
  },

  {
    code: 'SUBJ_ENUM',
    text: doc({
      spec: 'subjourneys: { s: { start: x, states: { x: { type: succeed } } } }',
      states: state('type: subjourney\nsubjourney: { ref: s, resultKind: §result }\nnext: end'),
    }),
    about: 'R1-29',
  },
  {
    code: 'SUBJ_ENUM',
    text: doc({
      spec: 'subjourneys: { s: { start: x, states: { x: { type: succeed } } } }',
      states: state('type: subjourney\nsubjourney: { ref: s, onFailure: { behavior: §ignore } }\nnext: end'),
    }),
    about: 'R1-29',
  },
  ...['mode: async', 'journeyRef: other', 'target: { kind: context }', 'compensation: {}'].map(
    (field): FaultCase => ({
      code: 'UNKNOWN_FIELD',
      text: doc({
        spec: 'subjourneys: { s: { start: x, states: { x: { type: succeed } } } }',
        states: state(`type: subjourney\nsubjourney: { ref: s, §${field} }\nnext: end`),
      }),
      about: `R1-28: ${field}`,
    }),
  ),
];
