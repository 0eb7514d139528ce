import { createApiCatalogue } from '../../../../src/language/read/api-catalogue.js';
import { call, doc, type FaultCase, mapper, state, task } from './case.js';

const one = (body: string) => doc({ states: task(body) });
const raw = (body: string) => doc({ states: call(body) });
const result = 'resultVar: r';
const teas = {
  openapi: '3.1.0',
  servers: [{ url: 'https://tea.example/v1' }],
  paths: {
    '/pots/{potId}': {
      parameters: [{ in: 'path', name: 'potId', required: true }],
      get: { operationId: 'getPot' },
      post: {
        operationId: 'fillPot',
        parameters: [{ $ref: '#/components/parameters/cups' }, { in: 'header', name: 'X-Strength', required: true }],
      },
    },
    '/orders': {
      post: { operationId: 'order', requestBody: { content: { 'application/x-www-form-urlencoded': {} } } },
      put: { operationId: 'change', requestBody: { content: { 'text/csv': {}, 'application/json': {} } } },
    },
    '/twice': { get: { operationId: 'twin' }, post: { operationId: 'twin' } },
  },
  components: { parameters: { cups: { in: 'query', name: 'cups', required: true } } },
};
const signing = (sign: string) =>
  one(`kind: httpCall:v1\nmethod: GET\nurl: https://a.example/\nresultVar: r\nsign: ${sign}`);

/** The documents of the cases. */
export const catalogue = createApiCatalogue(
  new Map<string, never>([
    ['apis/tea.openapi.yaml', teas as never],
    [
      'apis/nowhere.yaml',
      { openapi: '3.0.3', servers: [{ url: '/v1' }], paths: { '/x': { get: { operationId: 'x' } } } } as never,
    ],
    ['apis/old.yaml', { swagger: '2.0' } as never],
  ]),
);
const operation = (body: string, apis = 'tea: { openApiRef: ./apis/tea.openapi.yaml }') =>
  doc({ spec: `apis: { ${apis} }`, states: task(`kind: httpCall:v1\n${body}\nresultVar: r`) });
const withApis = { catalogue };
const activity = (more: string, timeouts = 'startToClose: PT30S') =>
  `kind: activity:v1\nactivity: Charge\ntaskQueue: pay\ntimeouts: { ${timeouts} }\nresultVar: r\n${more}`;
const workflow = (more: string, target = 'workflow: Ship\ntaskQueue: shipping') =>
  `kind: workflow:v1\n${target}\nresultVar: r\n${more}`;
const schedule = (fields: string) => one(`kind: schedule:v1\n${fields}`);

/** Task kinds. */
export const taskCases: FaultCase[] = [
  { code: 'TASK_KIND_FORMAT', text: one('§kind: httpCall'), hint: 'httpCall:v1' },
  { code: 'TASK_KIND_FORMAT', text: doc({ states: state('type: task\n§task: {}\nnext: end') }) },
  { code: 'TASK_KIND_UNKNOWN', text: one('kind: §httpCal:v1'), hint: 'httpCall:v1' },
  { code: 'TASK_KIND_UNKNOWN', text: one('kind: §httpCall:v2') },
  {
    code: 'NAME_EXTENSION',
    text: one('method: GET\nurl: https://shop.example.com').replace('task:\n', '§task:\n'),
    options: { compat: false },
    hint: 'kind: httpCall:v1',
  },
  { code: 'STATE_BLOCK', text: doc({ states: '§a: { type: task, next: end }\nend: { type: succeed }' }) },
  { code: 'UNKNOWN_FIELD', text: raw(`${result}\n§timeout: 5`), hint: 'timeoutMs' },

  {
    code: 'FIELD_REQUIRED',
    text: one('kind: signal:v1\njourney: shop\nstep: paid\nkey: { expr: context.id }').replace('task:\n', '§task:\n'),
  },
  {
    code: 'FIELD_TYPE',
    text: one('kind: signal:v1\njourney: shop\nstep: paid\nkey: §order-1\nresultVar: r'),
  },
  {
    code: 'TYPE_EXTENSION',
    text: one(`kind: §signal:v1\njourney: shop\nstep: paid\nkey: { ${mapper} }\nresultVar: r`),
    options: { compat: false },
  },
  {
    code: 'SIGNAL_IN_API',
    text: doc({
      kind: 'Api',
      states: task(`kind: §signal:v1\njourney: shop\nstep: paid\nkey: { ${mapper} }\nresultVar: r`),
    }),
  },
  {
    code: 'FIELD_REQUIRED',
    text: one('kind: activity:v1\nactivity: Charge\ntaskQueue: pay\n§timeouts: { heartbeat: PT5S }\nresultVar: r'),
    hint: 'startToClose',
  },
  { code: 'FIELD_REQUIRED', text: one(activity('').replace('resultVar: r', '')).replace('task:\n', '§task:\n') },
  { code: 'FIELD_TYPE', text: one(activity('args: §order')) },
  { code: 'FIELD_TYPE', text: one(activity('safe: §maybe')) },
  { code: 'FIELD_TYPE', text: one(activity('', 'startToClose: §30s')), hint: 'PT30S' },
  { code: 'FIELD_TYPE', text: one(activity('', 'startToClose: §PT0S')) },
  { code: 'FIELD_TYPE', text: one(activity('', 'startToClose: §P200Y')) },
  { code: 'FIELD_REQUIRED', text: one(activity('§retry: {}')) },
  { code: 'FIELD_TYPE', text: one(activity('retry: { maximumAttempts: §0 }')) },
  { code: 'FIELD_TYPE', text: one(activity('retry: { maximumAttempts: 2, backoffCoefficient: §0.5 }')) },
  { code: 'FIELD_TYPE', text: one(activity('priority: { priorityKey: §high }')) },
  { code: 'INTERPOLATION_SYNTAX', text: one(activity('summary: §"order ${id}"')) },
  { code: 'UNKNOWN_FIELD', text: one(activity('', 'startToClose: PT1S, §startToStart: PT1S')) },
  {
    code: 'TYPE_EXTENSION',
    text: one(activity('').replace('activity:v1', '§activity:v1')),
    options: { compat: false },
  },
  {
    code: 'ACTIVITY_IN_API',
    text: doc({ kind: 'Api', states: task(activity('').replace('activity:v1', '§activity:v1')) }),
  },
  {
    code: 'ACTIVITY_NOT_ALLOWED',
    text: one(activity('').replace('Charge', '§Charge')),
    options: { tasks: { activities: { pay: ['Refund'], other: ['Charge'] }, workflows: {} } },
    hint: 'tasks: { activities: { pay: [Charge] } }',
  },
  {
    code: 'ACTIVITY_NOT_ALLOWED',
    text: one(
      'kind: activity:v1\nactivity: §toString\ntaskQueue: constructor\ntimeouts: { startToClose: PT1S }\nresultVar: r',
    ),
    options: { tasks: { activities: {}, workflows: {} } },
  },
  { code: 'FIELD_REQUIRED', text: one(workflow('', 'taskQueue: shipping')).replace('task:\n', '§task:\n') },
  { code: 'FIELD_REQUIRED', text: one(workflow('', 'workflow: Ship')).replace('task:\n', '§task:\n') },
  { code: 'FIELD_REQUIRED', text: one(workflow('').replace('resultVar: r', '')).replace('task:\n', '§task:\n') },
  { code: 'FIELD_TYPE', text: one(workflow('§taskQueue: shipping', 'journey: ship')), hint: 'Remove taskQueue' },
  { code: 'FIELD_TYPE', text: one(workflow('§timeouts: { execution: PT1H }', 'journey: ship')) },
  { code: 'FIELD_TYPE', text: one(workflow('§input: { expr: context.order }')), hint: 'args' },
  { code: 'FIELD_TYPE', text: one(workflow('id: §order')) },
  { code: 'FIELD_TYPE', text: one(workflow('timeouts: { execution: §1h }')) },
  { code: 'FIELD_TYPE', text: one(workflow('parentClosePolicy: §kill')) },
  { code: 'FIELD_TYPE', text: one(workflow('cancellationType: §never')) },
  { code: 'FIELD_TYPE', text: one(workflow('detach: true\n§parentClosePolicy: terminate')) },
  { code: 'FIELD_TYPE', text: one(workflow('detach: §yes please')) },
  { code: 'FIELD_REQUIRED', text: one(workflow('§retry: { initialInterval: PT1S }')) },
  { code: 'FIELD_TYPE', text: one(workflow('retry: { maximumAttempts: 2, maximumInterval: §PT0.5S }')) },
  { code: 'FIELD_TYPE', text: one(activity('retry: { maximumAttempts: 2, maximumInterval: §PT0.5S }')) },
  { code: 'FIELD_TYPE', text: one(activity('retry: { maximumAttempts: §3000000000 }')) },
  { code: 'UNKNOWN_FIELD', text: one(workflow('timeouts: { §startToClose: PT1H }')) },
  {
    code: 'TYPE_EXTENSION',
    text: one(workflow('').replace('workflow:v1', '§workflow:v1')),
    options: { compat: false },
  },
  {
    code: 'WORKFLOW_IN_API',
    text: doc({ kind: 'Api', states: task(workflow('').replace('workflow:v1', '§workflow:v1')) }),
  },
  {
    code: 'WORKFLOW_NOT_ALLOWED',
    text: one(workflow('').replace('Ship', '§Ship')),
    options: { tasks: { activities: { shipping: ['Ship'] }, workflows: { shipping: ['Send'], other: ['Ship'] } } },
    hint: 'tasks: { workflows: { shipping: [Ship] } }',
  },
  { code: 'HTTP_BINDING_XOR', text: one(`kind: httpCall:v1\n${result}`).replace('task:\n', '§task:\n') },
  { code: 'HTTP_BINDING_XOR', text: raw(`operationRef: tea.pour\n${result}`).replace('task:\n', '§task:\n') },
  {
    code: 'HTTP_METHOD',
    text: one(`kind: httpCall:v1\nmethod: §post\nurl: https://tea.example\n${result}`),
    hint: 'POST',
  },
  { code: 'HTTP_METHOD', text: one(`kind: httpCall:v1\nmethod: §TRACE\nurl: https://tea.example\n${result}`) },
  { code: 'HTTP_URL', text: one(`kind: httpCall:v1\nmethod: GET\nurl: §/pots\n${result}`) },
  { code: 'HTTP_URL', text: one(`kind: httpCall:v1\nmethod: GET\nurl: §ftp://tea.example\n${result}`) },
  { code: 'HTTP_MODE', text: raw(`mode: §async\n${result}`) },
  { code: 'HTTP_BODY', text: raw(`body: §7\n${result}`) },
  {
    code: 'HTTP_BODY_ON_GET',
    text: one(`kind: httpCall:v1\nmethod: GET\nurl: https://tea.example\n§body: x\n${result}`),
  },
  {
    code: 'HTTP_BODY_ON_GET',
    text: operation('operationRef: tea.getPot\nparams: { path: { potId: "1" } }\n§body: x'),
    options: withApis,
  },
  { code: 'HTTP_HEADERS', text: raw(`headers: { §"X Tea": green }\n${result}`) },
  { code: 'HTTP_HEADERS', text: raw(`headers: { X-Tea: §[green] }\n${result}`) },
  { code: 'HTTP_HEADERS', text: raw(`headers: §none\n${result}`) },
  { code: 'HTTP_PARAMS', text: raw(`params: { §path: { id: "1" } }\n${result}`) },
  {
    code: 'HTTP_PARAMS',
    text: operation('operationRef: tea.getPot\nparams: { path: { §potId: {} } }'),
    options: withApis,
    also: ['OPREF_PARAM_MISSING'],
  },
  { code: 'HTTP_TIMEOUT', text: raw(`timeoutMs: §0.5\n${result}`) },
  { code: 'HTTP_RUN', text: raw(`run: §remote\n${result}`) },
  {
    code: 'HTTP_RUN',
    text: raw(`run: §local\nonUncertain: fail\n${result}`),
    about: 'a call that must not be repeated',
  },
  { code: 'HTTP_ON_UNCERTAIN', text: raw(`onUncertain: §retry\n${result}`) },
  {
    code: 'HTTP_EXTENSION',
    text: raw(`§onUncertain: fail\n${result}`),
    options: { compat: false },
    about: 'GAP-3 onUncertain',
  },
  { code: 'IDENT', text: raw('resultVar: §my-result') },
  { code: 'RESULT_DROPPED', text: raw('accept: text/plain').replace('task:\n', '§task:\n'), severity: 'warning' },
  { code: 'NOTIFY_RESULTVAR', text: raw('mode: notify\n§resultVar: r') },
  { code: 'NOTIFY_ERRORMAPPING', text: raw(`mode: notify\n§errorMapping: { when: nonOk, ${mapper}, resultVar: p }`) },
  {
    code: 'NOTIFY_RESILIENCE',
    text: doc({
      spec: 'policies: { httpResilience: { definitions: { twice: { maxAttempts: 2 } } } }',
      states: call('mode: notify\n§resiliencePolicyRef: twice'),
    }),
    severity: 'warning',
  },
  { code: 'ERRMAP_WHEN', text: raw(`${result}\nerrorMapping: { when: §always, ${mapper}, resultVar: p }`) },
  { code: 'ERRMAP_TARGET', text: raw(`${result}\n§errorMapping: { when: nonOk, ${mapper} }`), about: 'D18' },
  { code: 'FIELD_TYPE', text: raw(`${result}\nerrorMapping: §x`) },
  {
    code: 'INTERPOLATION_SYNTAX',
    text: one(`kind: httpCall:v1\nmethod: GET\nurl: §"https://tea.example/\${leaf}"\n${result}`),
  },
  { code: 'INTERPOLATION_SYNTAX', text: raw(`headers: { X-Leaf: §"\${context.leaves[0]}" }\n${result}`) },
  { code: 'INTERPOLATION_SYNTAX', text: raw(`body: §"\${context.leaf"\n${result}`) },
  { code: 'LITERAL_EXPRESSION', text: raw(`body: { leaf: §context.leaf }\n${result}`), severity: 'warning' },
  { code: 'INTERPOLATION_LITERAL', text: raw(`body: { leaf: §"\${context.leaf}" }\n${result}`), severity: 'warning' },
  { code: 'AUTHPOL_UNKNOWN', text: raw(`auth: { policyRef: §bank }\n${result}`) },
  { code: 'COOKIES_TYPE', text: raw(`cookies: { useJar: §"maybe" }\n${result}`) },
  { code: 'COOKIES_TYPE', text: raw(`cookies: §true\n${result}`) },
  { code: 'COOKIES_NON_HTTP', text: one('kind: jwtValidate:v1\n§cookies: { useJar: true }') },

  {
    code: 'HTTP_BODY',
    text: operation('operationRef: tea.order\n§body: { cups: 2 }'),
    options: withApis,
    severity: 'warning',
    about: 'JL-11 JSON for an operation that expects another type',
    hint: 'as a text',
  },
  { code: 'OPREF_FORMAT', text: operation('operationRef: §pour'), options: withApis },
  { code: 'OPREF_API', text: operation('operationRef: §tee.getPot'), options: withApis, hint: '"tea"' },
  { code: 'OPREF_OPERATION', text: operation('operationRef: §tea.getPots'), options: withApis, hint: '"getPot"' },
  { code: 'OPREF_OPERATION', text: operation('operationRef: §tea.twin'), options: withApis, about: 'not unique' },
  {
    code: 'OPREF_PARAM_MISSING',
    text: operation('operationRef: tea.getPot').replace('task:\n', '§task:\n'),
    options: withApis,
    hint: 'params.path.potId',
  },
  {
    code: 'OPREF_PARAM_MISSING',
    text: operation('operationRef: tea.fillPot\nparams: { path: { potId: "1" }, query: { cups: 2 } }'),
    options: withApis,
    hint: 'params.headers.X-Strength',
  },
  {
    code: 'OPREF_PARAM_UNKNOWN',
    text: operation('operationRef: tea.getPot\nparams: { path: { potId: "1", §pot: "2" } }'),
    options: withApis,
    severity: 'warning',
  },
  {
    code: 'OPREF_PARAM_UNKNOWN',
    text: operation('operationRef: tea.getPot\nparams: { path: { §potID: "1" } }'),
    options: withApis,
    hint: '"potId"',
    about: 'a misspelt field is not also reported as missing',
  },
  {
    code: 'OPREF_SERVERS',
    text: operation('operationRef: §tea.x', 'tea: { openApiRef: apis/nowhere.yaml }'),
    options: withApis,
  },
  {
    code: 'API_REF_UNREADABLE',
    text: operation('operationRef: §tea.x', 'tea: { openApiRef: apis/gone.yaml }'),
    options: withApis,
  },
  {
    code: 'API_REF_UNREADABLE',
    text: operation('operationRef: §tea.x', 'tea: { openApiRef: ../../secret.yaml }'),
    options: withApis,
  },
  {
    code: 'API_REF_UNREADABLE',
    text: operation('operationRef: §tea.x', 'tea: { openApiRef: apis/old.yaml }'),
    options: withApis,
  },
  {
    code: 'API_REF_UNREADABLE',
    text: operation('operationRef: §tea.getPot'),
    hint: '--catalogue',
    about: 'no catalogue',
  },
  { code: 'API_REF_UNREADABLE', text: doc({ spec: 'apis: { tea: §tea.yaml }' }) },

  ...[
    '§text',
    '{ algorithm: §md5, secretRef: s, header: h }',
    '{ algorithm: hmac-sha256, secretRef: s, header: §"a b" }',
  ].map((sign): FaultCase => ({ code: 'HTTP_SIGN', text: signing(sign), about: sign })),
  {
    code: 'HTTP_SIGN',
    text: signing('{ algorithm: hmac-sha256, secretRef: s, header: h, over: §body }'),
    about: 'over is a mapper',
  },
  {
    code: 'HTTP_EXTENSION',
    text: signing('{ algorithm: hmac-sha256, secretRef: s, header: h }').replace('sign:', '§sign:'),
    options: { compat: false },
  },
  {
    code: 'HTTP_EXTENSION',
    text: one(`kind: httpCall:v1\nmethod: GET\nurl: https://tea.example/\n${result}\nparams: { §query: { cups: 2 } }`),
    options: { compat: false },
  },

  { code: 'KAFKA_TOPIC', text: one(`kind: kafkaPublish:v1\ntopic: §""\nvalue: { ${mapper} }`) },
  { code: 'KAFKA_KEY', text: one(`kind: kafkaPublish:v1\ntopic: t\nkey: §7\nvalue: { ${mapper} }`) },
  { code: 'KAFKA_VALUE', text: one('kind: kafkaPublish:v1\ntopic: t\nvalue: §text') },
  {
    code: 'KAFKA_SCHEMA',
    text: one(`kind: kafkaPublish:v1\ntopic: t\nvalue: { ${mapper} }\nvalueSchemaRef: §events/paid.json`),
    severity: 'warning',
  },
  {
    code: 'KAFKA_SCHEMA',
    text: one(`kind: kafkaPublish:v1\ntopic: t\nvalue: { ${mapper} }\nkeySchemaRef: §key.json`),
    options: { catalogue: createApiCatalogue(new Map([['key.json', { type: 'txet' }]])) },
    about: 'not a schema',
  },
  { code: 'KAFKA_HEADERS', text: one(`kind: kafkaPublish:v1\ntopic: t\nvalue: { ${mapper} }\nheaders: { a: §[] }`) },
  ...['resultVar: r', 'errorMapping: {}', 'resiliencePolicyRef: x'].map(
    (field): FaultCase => ({
      code: 'KAFKA_FORBIDDEN_FIELD',
      text: one(`kind: kafkaPublish:v1\ntopic: t\nvalue: { ${mapper} }\n§${field}`),
      about: field,
    }),
  ),

  { code: 'SCHED_START_UNKNOWN', text: schedule('start: §edn\ninterval: P1D\nmaxRuns: 3'), hint: '"end"' },
  { code: 'SCHED_INTERVAL', text: schedule('start: end\ninterval: §daily\nmaxRuns: 3') },
  { code: 'SCHED_INTERVAL', text: schedule('start: end\ninterval: §PT10S\nmaxRuns: 3'), about: 'A40: under a minute' },
  { code: 'SCHED_CRON', text: schedule('start: end\ncron: §0 2 * *\ntimezone: UTC\nmaxRuns: 3'), hint: 'all five' },
  {
    code: 'SCHED_CRON',
    text: schedule('start: end\n§cron: 0 2 * * *\ninterval: P1D\ntimezone: UTC\nmaxRuns: 3'),
    about: 'beside an interval',
  },
  {
    code: 'SCHED_TIMEZONE',
    text: schedule('start: end\ncron: 0 2 * * *\ntimezone: §EST\nmaxRuns: 3'),
    hint: 'New_York',
  },
  {
    code: 'SCHED_TIMEZONE',
    text: schedule('start: end\ncron: 0 2 * * *\nmaxRuns: 3'),
    hint: 'together',
  },
  {
    code: 'SCHED_EXTENSION',
    text: schedule('start: end\n§cron: 0 2 * * *\ntimezone: Europe/Rome\nmaxRuns: 3'),
    options: { compat: false },
  },
  {
    code: 'TYPE_EXTENSION',
    text: schedule('start: end').replace('schedule:v1', '§unschedule:v1').replace('"§', '§"'),
    options: { compat: false },
    about: 'LESS-6: unschedule:v1',
  },
  {
    code: 'SCHED_EXTENSION',
    text: schedule('start: end\ninterval: P1M\n§anchor: "2030-01-31T09:00:00Z"\nmaxRuns: 3'),
    options: { compat: false },
    about: 'LESS-6: anchor',
  },
  {
    code: 'SCHED_ANCHOR',
    text: schedule('start: end\ninterval: P1M\nanchor: §soon\nmaxRuns: 3'),
    about: 'LESS-6: not an instant',
  },
  {
    code: 'SCHED_ANCHOR',
    text: schedule('start: end\ncron: 0 2 * * *\ntimezone: Europe/Rome\n§anchor: "2030-01-31T09:00:00Z"\nmaxRuns: 3'),
    about: 'LESS-6: with a cron',
  },
  { code: 'SCHED_INTERVAL', text: schedule('start: end\ninterval: §monthly\nmaxRuns: 3'), hint: 'P1M' },
  { code: 'SCHED_MAXRUNS', text: schedule('start: end\ninterval: P1D\nmaxRuns: §0') },
  { code: 'SCHED_MAXRUNS', text: schedule('start: end\ninterval: P1D\nmaxRuns: §"12"'), hint: 'without quotes' },
  { code: 'SCHED_STARTAT', text: schedule('start: end\ninterval: P1D\nmaxRuns: 3\nstartAt: §soon') },
  { code: 'SCHED_ENUM', text: schedule('start: end\ninterval: P1D\nmaxRuns: 3\nonExisting: §replace') },
  { code: 'SCHED_MAPPER', text: schedule('start: end\ninterval: P1D\nmaxRuns: 3\nsubjectId: §me'), hint: '{ expr:' },

  { code: 'CACHE_OP', text: one(`kind: cache:v1\noperation: §delete\nkey: { ${mapper} }`) },
  { code: 'CACHE_KEY', text: one('kind: cache:v1\noperation: get\nkey: §leaf\nresultVar: r') },
  { code: 'CACHE_VALUE', text: one(`kind: cache:v1\noperation: put\nkey: { ${mapper} }`) },
  {
    code: 'CACHE_TTL',
    text: one(`kind: cache:v1\noperation: put\nkey: { ${mapper} }\nvalue: { ${mapper} }\nttlSeconds: §0`),
  },
  {
    code: 'CACHE_RESULTVAR',
    text: one(`kind: cache:v1\noperation: get\nkey: { ${mapper} }`).replace('task:\n', '§task:\n'),
  },
  {
    code: 'CACHE_RESULTVAR',
    text: one(`kind: cache:v1\noperation: put\nkey: { ${mapper} }\nvalue: { ${mapper} }\n§resultVar: r`),
  },

  { code: 'XML_SOURCE', text: one('kind: xmlDecode:v1\nsourceVar: §a.b') },
  { code: 'XML_TARGET', text: one('kind: xmlDecode:v1\nsourceVar: x\ntarget: { kind: §attributes }') },
  {
    code: 'XML_RESULTVAR',
    text: one('kind: xmlDecode:v1\nsourceVar: x\ntarget: { kind: var }').replace('task:\n', '§task:\n'),
  },

  {
    code: 'AUTH_PROFILE_UNKNOWN',
    text: one('kind: jwtValidate:v1\nprofile: §parnters'),
    options: { profiles: { 'jwtValidate:v1': { partners: { lacksSource: false } } } },
    hint: '"partners"',
  },
  {
    code: 'AUTH_PROFILE_UNKNOWN',
    text: one('kind: apiKeyValidate:v1').replace('task:\n', '§task:\n'),
    options: { profiles: { 'apiKeyValidate:v1': { x: { lacksSource: false } } } },
    about: 'default is a name too',
  },
  {
    code: 'AUTH_SOURCE_MISSING',
    text: one('kind: jwtValidate:v1\nprofile: §partners'),
    options: { profiles: { 'jwtValidate:v1': { partners: { lacksSource: true } } } },
  },
  {
    code: 'AUTH_SOURCE',
    text: one('kind: jwtValidate:v1\nsource: §header:Authorization'),
    hint: 'two fields',
    about: 'D12',
  },
  { code: 'AUTH_SOURCE', text: one('kind: apiKeyValidate:v1\nsource: { location: §cookie, name: k }') },
  { code: 'AUTH_SOURCE', text: one('kind: jwtValidate:v1\n§source: { location: header }') },
  { code: 'UNKNOWN_FIELD', text: one('kind: jwtValidate:v1\n§requiredScopes: [a]'), about: 'D12' },
  { code: 'IDENT', text: one('kind: jwtValidate:v1\nauthVar: §a.b') },
  { code: 'AUTH_FILTER', text: one('kind: mtlsValidate:v1\nallowSans: [§{}]') },
  {
    code: 'AUTH_FILTER',
    text: one('kind: mtlsValidate:v1\ntrustAnchors: [§{ pem: "" }]'.replace('§', '').replace('""', '§""')),
  },
  { code: 'AUTH_FILTER', text: one('kind: mtlsValidate:v1\nallowAnyFromTrusted: §maybe') },
];
