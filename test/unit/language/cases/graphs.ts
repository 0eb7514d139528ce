import { doc, type FaultCase, indent, mapper, state } from './case.js';

const next = (id: string) => `{ type: transform, transform: { ${mapper} }, next: ${id} }`;
const step = (id: string) => `{ type: wait, wait: { channel: manual, input: { schema: true } }, next: ${id} }`;
const schedule = (start: string) =>
  `{ type: task, task: { kind: schedule:v1, start: ${start}, interval: P1D, maxRuns: 3 }, next: end }`;
const call = (ref: string, to = 'end') => `{ type: subjourney, subjourney: { ref: ${ref} }, next: ${to} }`;
const parallel = (...branches: string[]) => `type: parallel
parallel:
  branches:
${branches.map((body, i) => `    - name: b${i}\n      start: s\n      states:\n${indent(body, 8)}`).join('\n')}
  join: { strategy: allOf, ${mapper}, resultVar: r }
next: end`;

/** Graphs: references, ends and reachability. */
const poll = (next: string) =>
  `{ type: task, task: { kind: "httpCall:v1", method: GET, url: "https://x.test/a" }, next: ${next} }`;
const again = (next: string) =>
  `{ type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: "context.n == 1" } }, next: ${next} }], default: end }`;

export const graphCases: FaultCase[] = [
  { code: 'START_UNKNOWN', text: doc({ start: '§b', states: 'begin: { type: succeed }' }) },
  { code: 'START_UNKNOWN', text: doc({ start: '§begi', states: 'begin: { type: succeed }' }), hint: '"begin"' },
  { code: 'START_UNKNOWN', text: doc({}).replace('spec:', '§spec:').replace('  start: a\n', ''), about: 'missing' },
  {
    code: 'STATES_EMPTY',
    text: doc({}).replace('  states:\n    a: { type: succeed }', '  §states: {}'),
    also: ['START_UNKNOWN'],
  },
  { code: 'STATE_ID', text: doc({ states: 'a: { type: succeed }\n§" ": { type: succeed }' }) },
  { code: 'STATE_TYPE', text: doc({ states: 'a: { type: §suceed }' }), hint: '"succeed"' },
  { code: 'STATE_TYPE', text: doc({ states: '§a: { outputVar: x }' }) },
  { code: 'STATE_TYPE', text: doc({ states: 'a: §done' }) },
  { code: 'STATE_TYPE', text: doc({ states: 'a: { type: §constructor }' }), about: 'a name from a prototype' },
  {
    code: 'STATE_TYPE',
    text: doc({ states: '§a: { timer: { duration: PT1S }, choices: [], next: end }\nend: { type: succeed }' }),
    about: 'blocks of two types',
  },
  {
    code: 'NAME_EXTENSION',
    text: doc({ states: '§a: { timer: { duration: PT1S }, next: end }\nend: { type: succeed }' }),
    options: { compat: false },
    hint: 'type: timer',
  },
  {
    code: 'TIMER_IN_API',
    text: doc({ kind: 'Api', states: '§a: { timer: { duration: PT1S }, next: end }\nend: { type: succeed }' }),
  },
  { code: 'STATE_BLOCK', text: doc({ states: '§a:\n  type: timer\n  timer:\n  next: end\nend: { type: succeed }' }) },
  {
    code: 'UNKNOWN_FIELD',
    text: doc({
      states: `a:\n  type: timer\n  timer: { duration: PT1S }\n  next: end\n  §end: { type: succeed }\nend: { type: succeed }`,
    }),
    hint: 'looks like a state',
  },
  {
    code: 'UNKNOWN_FIELD',
    text: doc({
      states: 'a:\n  type: timer\n  timer: { duration: PT1S, §next: end }\n  next: end\nend: { type: succeed }',
    }),
    hint: 'one level up',
  },
  { code: 'REF_UNKNOWN', text: doc({ states: `a: ${next('§ennd')}\nend: { type: succeed }` }), hint: '"end"' },
  { code: 'REF_UNKNOWN', text: doc({ states: `a: ${next('§[end]')}\nend: { type: succeed }` }) },
  { code: 'REF_UNKNOWN', text: doc({ states: `a: ${next('§__proto__')}\nend: { type: succeed }` }) },
  {
    code: 'REF_UNKNOWN',
    text: doc({
      states: `a: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: "true" } }, next: end }], default: §nd }\nend: { type: succeed }`,
    }),
    hint: '"end"',
  },
  {
    code: 'REF_UNKNOWN',
    text: doc({ states: state(parallel(`s: ${next('§end')}`)) }),
    hint: 'cannot leave',
    about: 'out of a branch',
  },
  {
    code: 'REF_UNKNOWN',
    text: doc({
      spec: `subjourneys:\n  pour:\n    start: p\n    states:\n      p:\n${indent(parallel(`s: ${next('§end')}`), 8)}\n      end: { type: succeed }`,
      states: `a: ${call('pour')}\nend: { type: succeed }`,
    }),
    hint: 'cannot leave',
    about: 'out of a branch of a subjourney',
  },
  { code: 'NEXT_MISSING', text: doc({ states: `§a: { type: timer, timer: { duration: PT1S } }` }), about: 'R2-06' },
  {
    code: 'REF_UNKNOWN',
    text: doc({ states: 'a: { type: timer, timer: { duration: PT1S }, next: §ennd }\nend: { type: succeed }' }),
    hint: '"end"',
    about: 'R2-06: after a timer',
  },
  {
    code: 'NEXT_MISSING',
    text: doc({
      states: `a: { type: choice, choices: [§{ when: { predicate: { lang: dataweave, expr: "true" } } }], default: end }\nend: { type: succeed }`,
    }),
  },
  {
    code: 'STATE_UNREACHABLE',
    text: doc({ states: 'a: { type: succeed }\n§island: { type: succeed }' }),
    severity: 'warning',
  },
  {
    code: 'SUBJ_START_UNKNOWN',
    text: doc({
      spec: 'subjourneys: { pour: { start: §x, states: { s: { type: succeed } } } }',
      states: state(
        call('pour').slice(2, -2).replaceAll(', next', '\nnext').replace('type: subjourney, ', 'type: subjourney\n'),
      ),
    }),
    about: 'R1-08',
  },
  {
    code: 'SUBJ_STATE_REF_LEAK',
    text: doc({
      spec: 'subjourneys: { pour: { start: inner, states: { inner: { type: succeed } } } }',
      states: `a: ${next('§inner')}\nb: ${call('pour')}\nend: { type: succeed }`,
    }),
    about: 'R1-08: into it',
  },
  {
    code: 'SUBJ_STATE_REF_LEAK',
    text: doc({
      spec: `subjourneys: { pour: { start: s, states: { s: ${next('§end')} } } }`,
      states: `a: ${call('pour')}\nend: { type: succeed }`,
    }),
    about: 'R1-08: out of it',
  },
  {
    code: 'SUBJ_REF_UNKNOWN',
    text: doc({
      spec: 'subjourneys: { pour: { start: s, states: { s: { type: succeed } } } }',
      states: `a: ${call('§poor', 'b')}\nb: ${call('pour')}\nend: { type: succeed }`,
    }),
    hint: '"pour"',
    about: 'R1-02',
  },
  {
    code: 'SUBJ_REF_UNKNOWN',
    text: doc({ states: state(parallel(`s: ${call('§pour', 'e')}\ne: { type: succeed }`)) }),
    about: 'R1-02: in a branch, without any subjourney',
  },
  {
    code: 'SUBJ_REF_UNKNOWN',
    text: doc({
      spec: `subjourneys: { pour: { start: s, states: { s: ${call('§poor', 'e')}, e: { type: succeed } } } }`,
      states: `a: ${call('pour')}\nend: { type: succeed }`,
    }),
    about: 'R1-02: in a subjourney',
  },
  {
    code: 'SUBJ_RECURSION',
    text: doc({
      spec: `subjourneys:\n  §pour: { start: s, states: { s: ${call('pour')}, end: { type: succeed } } }`,
      states: `a: ${call('pour')}\nend: { type: succeed }`,
    }),
    about: 'R1-26: by itself',
  },
  {
    code: 'SUBJ_RECURSION',
    text: doc({
      spec: `subjourneys:\n  §pour:\n    start: p\n    states:\n      p:\n${indent(parallel(`s: ${call('pour', 'e')}\ne: { type: succeed }`), 8)}\n      end: { type: succeed }`,
      states: `a: ${call('pour')}\nend: { type: succeed }`,
    }),
    about: 'R1-26: in a branch of its own',
  },
  {
    code: 'SUBJ_RECURSION',
    text: doc({
      spec: `subjourneys:\n  §one: { start: s, states: { s: ${call('two')}, end: { type: succeed } } }\n  two: { start: s, states: { s: ${call('one')}, end: { type: succeed } } }`,
      states: `a: ${call('one')}\nend: { type: succeed }`,
    }),
    also: ['SUBJ_RECURSION'],
    about: 'R1-26: through another',
  },
  {
    code: 'SUBJ_UNUSED',
    text: doc({ spec: 'subjourneys:\n  §pour: { start: s, states: { s: { type: succeed } } }' }),
    severity: 'warning',
  },
  {
    code: 'STEP_ID_RESERVED',
    text: doc({ start: 'cancel', states: `§cancel: ${step('end')}\nend: { type: succeed }` }),
  },
  {
    code: 'STEP_ID_RESERVED',
    text: doc({ start: 'result', states: `§result: ${step('end')}\nend: { type: succeed }` }),
  },
  {
    code: 'STEP_ID_DUP',
    text: doc({
      states: state(
        parallel(
          `s: ${next('ask')}\nask: ${step('e')}\ne: { type: succeed }`,
          `s: ${next('ask')}\n§ask: ${step('e')}\ne: { type: succeed }`,
        ),
      ),
    }),
    about: 'A9: in two branches',
  },
  {
    code: 'STEP_ID_DUP',
    text: doc({
      spec: `subjourneys: { pour: { start: ask, states: { §ask: ${step('e')}, e: { type: succeed } } } }`,
      start: 'ask',
      states: `ask: ${step('a')}\na: ${call('pour')}\nend: { type: succeed }`,
    }),
    about: 'A9: across the file',
  },
  {
    code: 'STEP_ID_DUP',
    text: doc({
      spec: `subjourneys: { pour: { start: ask, states: { ask: ${step('e')}, e: { type: succeed } } } }`,
      states: state(
        parallel(`s: ${call('pour', 'e')}\ne: { type: succeed }`, `s: ${call('pour', 'e')}\ne: { type: succeed }`),
      ).replace('- name: b1', '- §name: b1'),
    }),
    about: 'A52: one subjourney in two concurrent branches',
  },
  {
    code: 'SCHED_PATH_INTERACTIVE',
    text: doc({ states: `a: ${schedule('§run')}\nend: { type: succeed }\nrun: ${next('ask')}\nask: ${step('end')}` }),
    about: 'A41: along next',
  },
  {
    code: 'SCHED_PATH_INTERACTIVE',
    text: doc({
      spec: `subjourneys: { pour: { start: ask, states: { ask: ${step('e')}, e: { type: succeed } } } }`,
      states: `a: ${schedule('§run')}\nend: { type: succeed }\nrun: ${call('pour')}`,
    }),
    about: 'A41: through a subjourney',
  },
  {
    code: 'SCHED_PATH_INTERACTIVE',
    text: doc({
      states: `a: ${schedule('§run')}\nend: { type: succeed }\nrun:\n${indent(parallel(`s: ${step('e')}\ne: { type: succeed }`), 2)}`,
    }),
    about: 'A41: in a branch',
  },
  { code: 'API_NO_TERMINAL_PATH', text: doc({ kind: 'Api', states: `§a: ${next('b')}\nb: ${next('a')}` }) },
  {
    code: 'WAIT_IN_API',
    text: doc({
      kind: 'Api',
      states: `a: ${step('end').replace('type: wait', 'type: §wait')}\nend: { type: succeed }`,
    }),
  },
  {
    code: 'TIMER_IN_API',
    text: doc({
      kind: 'Api',
      states: 'a: { type: §timer, timer: { duration: PT1S }, next: end }\nend: { type: succeed }',
    }),
    about: 'R2-12',
  },
  {
    code: 'TIMER_IN_API',
    text: doc({
      kind: 'Api',
      states: state(parallel('s: { type: §timer, timer: { duration: PT1S }, next: e }\ne: { type: succeed }')),
    }),
    about: 'R2-12: in a branch',
  },
  {
    code: 'TIMER_IN_API',
    text: doc({
      kind: 'Api',
      states:
        'a: { type: task, task: { kind: "httpCall:v1", method: GET, url: "https://x.test/", resultVar: r }, §poll: { until: { lang: dataweave, expr: result.ok == true }, every: PT1S, max: 3 }, next: end }\nend: { type: succeed }',
    }),
    about: 'LESS-9: a poll',
  },
  {
    code: 'SCHED_IN_API',
    text: doc({ kind: 'Api', states: `a: ${schedule('end').replace('kind: ', 'kind: §')}\nend: { type: succeed }` }),
  },
  {
    code: 'TRANSFORM_ATTR_API',
    text: doc({
      kind: 'Api',
      states: `a: { type: transform, transform: { ${mapper}, target: { kind: §attributes } }, next: end }\nend: { type: succeed }`,
    }),
  },
  {
    code: 'API_STATE_FORBIDDEN',
    text: doc({
      kind: 'Api',
      spec: `subjourneys: { pour: { start: s, states: { s: { type: §timer, timer: { duration: PT1S }, next: e }, e: { type: succeed } } } }`,
      states: `a: ${call('pour')}\nend: { type: succeed }`,
    }),
    about: 'R1-01 R2-12: a timer in a subjourney',
  },
  ...[step('e'), step('e').replaceAll('wait', 'webhook').replace('channel: manual, ', '')].map(
    (pausing, i): FaultCase => ({
      code: 'API_STATE_FORBIDDEN',
      text: doc({
        kind: 'Api',
        spec: `subjourneys: { pour: { start: s, states: { s: ${pausing.replace('type: ', 'type: §')}, e: { type: succeed } } } }`,
        states: `a: ${call('pour')}\nend: { type: succeed }`,
      }),
      about: `R1-01: a ${['wait', 'webhook'][i]} in a subjourney`,
    }),
  ),
  {
    code: 'API_STATE_FORBIDDEN',
    text: doc({
      kind: 'Api',
      spec: `subjourneys:\n  pour: { start: s, states: { s: ${call('inner', 'e')}, e: { type: succeed } } }\n  inner: { start: s, states: { s: { type: §timer, timer: { duration: PT1S }, next: e }, e: { type: succeed } } }`,
      states: `a: ${call('pour')}\nend: { type: succeed }`,
    }),
    about: 'R1-01: a timer in a subjourney of a subjourney',
  },
  {
    code: 'API_STATE_FORBIDDEN',
    text: doc({
      kind: 'Api',
      spec: `compensation: { start: s, states: { s: { type: §timer, timer: { duration: PT1S }, next: e }, e: { type: succeed } } }`,
    }),
    about: 'in a compensation',
  },
  {
    code: 'START_SYNC_TIMER',
    text: doc({ states: '§a: { type: timer, timer: { duration: PT1S }, next: end }\nend: { type: succeed }' }),
    severity: 'warning',
    about: 'R2-20 A14',
  },
  {
    code: 'START_SYNC_TIMER',
    text: doc({
      spec: 'subjourneys:\n  nap: { start: z, states: { z: { type: timer, timer: { duration: PT1S }, next: end }, end: { type: succeed } } }',
      states: '§a: { type: subjourney, subjourney: { ref: nap }, next: end }\nend: { type: succeed }',
    }),
    severity: 'warning',
    about: 'A14: in a subjourney',
  },
  {
    code: 'CYCLE_WITHOUT_PAUSE',
    text: doc({ states: `§a: ${poll('b')}\nb: ${again('a')}\nend: { type: succeed }` }),
    severity: 'warning',
    about: 'FLT-6',
  },
  {
    code: 'CYCLE_WITHOUT_PAUSE',
    text: doc({
      spec: `subjourneys:\n  look: { start: z, states: { z: ${poll('end')}, end: { type: succeed } } }`,
      states: `§a: { type: subjourney, subjourney: { ref: look }, next: b }\nb: ${again('a')}\nend: { type: succeed }`,
    }),
    severity: 'warning',
    about: 'FLT-6: in a subjourney',
  },
  {
    code: 'OUTPUT_FULL_CONTEXT',
    text: doc({ states: 'a: { type: task, task: { kind: jwtValidate:v1 }, next: end }\n§end: { type: succeed }' }),
    severity: 'warning',
    about: 'A44',
  },
  {
    code: 'OUTPUT_FULL_CONTEXT',
    text: doc({
      states: `a: { type: task, task: { kind: "httpCall:v1", method: POST, url: "https://id.test/oauth/token", resultVar: grant }, next: end }
§end: { type: succeed }`,
    }),
    severity: 'warning',
    about: 'FLT-8 A44: an OAuth token in the context',
  },
  {
    code: 'OUTPUT_FULL_CONTEXT',
    text: doc({
      spec: 'bindings: { http: { start: { headersToContext: { Authorization: caller } } } }',
      states: '§a: { type: succeed }',
    }),
    severity: 'warning',
    about: 'FLT-8 A44: a header with credentials',
  },
  {
    code: 'OUTPUT_FULL_CONTEXT',
    text: doc({
      states: `a: { type: parallel, parallel: { branches: [{ name: b, start: v, states: { v: { type: task, task: { kind: "jwtValidate:v1" }, next: w }, w: { type: succeed } } }, { name: c, start: w, states: { w: { type: succeed } } }], join: { strategy: allOf } }, next: end }
§end: { type: succeed }`,
    }),
    severity: 'warning',
    about: 'FLT-8 A44: in a branch',
  },
];
