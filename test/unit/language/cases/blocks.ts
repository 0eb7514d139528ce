import { call, doc, type FaultCase, mapper, state, task } from './case.js';

const spec = (block: string) => doc({ spec: block });
const api = (block: string) => doc({ kind: 'Api', spec: block });
const policy = (body: string) => spec(`policies:\n  httpResilience:\n    definitions:\n      one: ${body}`);
const auth = (body: string) => spec(`policies:\n  httpClientAuth:\n    definitions:\n      one: ${body}`);
const guard = (states: string, start = 's') =>
  spec(`subjourneys: { g: { start: ${start}, states: { ${states} } } }\naccess: { read: { guardRef: §g } }`);

/** The blocks of `spec`. */
export const blockCases: FaultCase[] = [
  { code: 'SCHEMA_INVALID', text: spec('input: { schema: { minimum: §high } }') },
  { code: 'SCHEMA_INVALID', text: spec('output: { schema: { items: §[1] } }') },
  { code: 'SCHEMA_INVALID', text: spec('context: { schema: §x }') },
  {
    code: 'RESPONSE_RESERVED_FIELD',
    text: spec('output: { response: { outputVar: r, schema: { properties: { §error: {} } } } }'),
  },
  {
    code: 'SCHEMA_KEYWORD',
    text: spec('input: { schema: { type: object, properties: { a: { type: string, §minLenght: 3 } } } }'),
    severity: 'warning',
    hint: 'minLength',
  },
  { code: 'FIELD_TYPE', text: spec('input: §none') },
  { code: 'KEY_SHAPE', text: spec('key: §orderId') },
  { code: 'KEY_SHAPE', text: spec('key: { lang: dataweave, expr: context.a, onExisting: §replace }'), hint: 'attach' },
  { code: 'KEY_SHAPE', text: spec('key: { lang: dataweave, expr: context.a, once: §"yes" }') },
  { code: 'KEY_SHAPE', text: api('§key: { lang: dataweave, expr: context.a }'), about: 'of an Api' },
  {
    code: 'KEY_SHAPE',
    text: spec('§key: { lang: dataweave, expr: context.a }').replace('name: probe', 'name: run-now'),
    about: 'a prefix of our own ids',
  },
  {
    code: 'KEY_EXTENSION',
    text: spec('§key: { mapper: { lang: dataweave, expr: context.a } }'),
    options: { compat: false },
  },
  { code: 'KEY_INVALID', text: spec(`key: { lang: dataweave, expr: §'"a/b"' }`), about: 'a slash' },
  { code: 'KEY_INVALID', text: spec(`key: { lang: dataweave, expr: §'""' }`), about: 'empty' },
  { code: 'KEY_INVALID', text: spec(`key: { lang: jsonata, expr: §'"${'x'.repeat(129)}"' }`), about: 'too long' },
  { code: 'KEY_INVALID', text: spec('key: { mapper: { lang: dataweave, expr: §"null" } }'), about: 'not a text' },
  { code: 'EXPR_REQUIRED', text: spec('key: { once: true, §mapper: {} }'), also: ['EXPR_REQUIRED'] },
  { code: 'DEFAULTS_TIMEOUT', text: spec('defaults: { http: { timeoutMs: §-1 } }') },
  { code: 'INTERPOLATION_SYNTAX', text: spec('defaults: { http: { headers: { X-Leaf: §"${leaf}" } } }') },
  { code: 'DEFAULTS_HEADERS', text: spec('defaults: { http: { headers: { Accept: §1 } } }') },
  { code: 'CONFIG_TYPE', text: spec('platform: { config: { url: { type: §text } } }') },
  { code: 'CONFIG_TYPE', text: spec('platform: { config: { url: { type: string, required: §"yes" } } }') },
  { code: 'CONFIG_DEFAULT', text: spec('platform: { config: { most: { type: integer, default: §"three" } } }') },
  {
    code: 'CONFIG_DEFAULT',
    text: spec('platform: { config: { most: { type: integer, required: true, §default: 3 } } }'),
  },
  {
    code: 'CONFIG_EXTENSION',
    text: spec('platform: { config: { most: { type: integer, §default: 3 } } }'),
    options: { compat: false },
  },
  {
    code: 'CONFIG_EXTENSION',
    text: spec('apis: { tea: { openApiRef: tea.yaml, §server: https://tea.example } }'),
    options: { compat: false },
  },
  { code: 'API_SERVER', text: spec('apis: { tea: { openApiRef: tea.yaml, server: §tea.example } }') },
  { code: 'API_SERVER', text: spec('apis: { tea: { openApiRef: tea.yaml, server: §"https://a.example?b=1" } }') },
  { code: 'API_SERVER', text: spec('apis: { tea: { openApiRef: tea.yaml, server: §"${context.server}" } }') },
  {
    code: 'CONFIG_UNDECLARED',
    text: spec('apis: { tea: { openApiRef: tea.yaml, server: §"${platform.config.tea}" } }'),
    severity: 'warning',
  },
  {
    code: 'SECRET_IN_TEXT',
    text: spec('platform: { config: { §apiKey: { type: string } } }'),
    severity: 'warning',
  },
  {
    code: 'CONFIG_UNDECLARED',
    text: doc({
      states: state(
        'type: transform\ntransform:\n  mapper: { lang: dataweave, expr: §"{ a: platform.config.url }" }\nnext: end',
      ),
    }),
    severity: 'warning',
  },
  {
    code: 'PLATFORM_UNKNOWN',
    text: doc({
      states: state(
        'type: transform\ntransform:\n  mapper: { lang: dataweave, expr: §"{ a: platform.callbacks.end }" }\nnext: end',
      ),
    }),
    severity: 'warning',
    hint: 'platform.run.callbacks',
  },
  {
    code: 'PLATFORM_UNKNOWN',
    text: spec('defaults: { http: { headers: { X-Run: §"${platform.run.ident}" } } }'),
    severity: 'warning',
  },
  { code: 'EXEC_DURATION', text: spec('execution: { maxDurationSec: §0, onTimeout: { errorCode: X, reason: x } }') },
  { code: 'EXEC_ONTIMEOUT', text: spec('§execution: { maxDurationSec: 1 }') },
  { code: 'EXEC_ONTIMEOUT', text: spec('execution: { maxDurationSec: 1, onTimeout: { errorCode: X, reason: §"" } }') },
  { code: 'COMP_MODE', text: spec('compensation: { mode: §later, start: s, states: { s: { type: succeed } } }') },
  { code: 'COMP_START_UNKNOWN', text: spec('compensation: { start: §t, states: { s: { type: succeed } } }') },
  { code: 'COMP_STATES_EMPTY', text: spec('compensation: { start: s, §states: {} }'), also: ['COMP_START_UNKNOWN'] },
  { code: 'COMP_ALSO_FOR', text: spec('compensation: { start: s, states: { s: { type: succeed } }, alsoFor: [§x] }') },
  {
    code: 'COMP_INTERACTIVE',
    text: spec(
      'compensation: { start: s, states: { §s: { type: wait, wait: { channel: manual, input: { schema: true } }, next: e }, e: { type: succeed } } }',
    ),
    about: 'A32',
  },
  {
    code: 'COMP_INTERACTIVE',
    text: spec(
      'subjourneys: { u: { start: w, states: { w: { type: webhook, webhook: { input: { schema: true } }, next: e }, e: { type: succeed } } } }\ncompensation: { start: s, states: { §s: { type: subjourney, subjourney: { ref: u }, next: e }, e: { type: succeed } } }',
    ),
    about: 'A32: in a subjourney',
  },
  { code: 'LINKS_TYPE', text: spec('httpSurface: { links: { enabled: §"no" } }') },
  { code: 'LIFECYCLE_API', text: api('§lifecycle: { startMode: sync }') },
  { code: 'LIFECYCLE_ENUM', text: spec('lifecycle: { startMode: §later }') },
  { code: 'LIFECYCLE_ENUM', text: spec('lifecycle: { cancellable: §1 }') },
  { code: 'META_BINDING_SHAPE', text: spec('metadata: { bindings: { tags: { §fromPayload: { path: a } } } }') },
  { code: 'META_BINDING_SHAPE', text: spec('metadata: { bindings: { tags: { fromPayload: [{ path: §7 }] } } }') },
  { code: 'META_BINDING_SHAPE', text: spec('metadata: { bindings: { attributes: { §orderId: order.id } } }') },
  {
    code: 'META_BINDING_SHAPE',
    text: spec(`metadata: { bindings: { attributes: { fromPayload: { §${'k'.repeat(33)}: { path: a } } } } }`),
    about: 'a name that a start would reject',
  },
  {
    code: 'META_BINDING_SHAPE',
    text: spec('metadata: { bindings: { attributes: { fromPayload: { §"": { path: a } } } } }'),
    about: 'no name',
  },
  {
    code: 'POLICY_UNKNOWN',
    text: doc({ states: call('resultVar: r\nresiliencePolicyRef: §standard') }),
    severity: 'warning',
    about: 'C17',
  },
  {
    code: 'POLICY_UNKNOWN',
    text: doc({ states: call('resultVar: r\nresiliencePolicyRef: §standard') }),
    options: { compat: false },
    about: 'D2: strict',
  },
  {
    code: 'POLICY_UNKNOWN',
    text: spec('defaults: { tasks: { resiliencePolicyRef: §standard } }'),
    options: { compat: false },
    severity: 'warning',
  },
  { code: 'POLICY_ATTEMPTS', text: policy('{ maxAttempts: §0 }') },
  { code: 'POLICY_SHAPE', text: policy('{ maxAttempts: 2, retryOn: [§HTTP_404] }') },
  { code: 'POLICY_SHAPE', text: policy('{ maxAttempts: 2, backoff: { kind: §random } }') },
  { code: 'POLICY_SHAPE', text: policy('{ maxAttempts: 2, backoff: { baseDelayMs: §-5 } }') },
  { code: 'POLICY_SHAPE', text: policy('{ maxAttempts: 2, circuitBreaker: { failureRateThreshold: §3 } }') },
  { code: 'POLICY_SHAPE', text: policy('{ maxAttempts: 2, circuitBreaker: { slidingWindowSize: §10001 } }') },
  { code: 'POLICY_SHAPE', text: policy('{ maxAttempts: 2, bulkhead: { maxConcurrent: §0 } }') },
  { code: 'AUTHPOL_KIND', text: auth('{ kind: §basic }') },
  { code: 'AUTHPOL_FIELDS', text: auth('{ kind: bearerStatic, tokenRef: §"" }') },
  { code: 'AUTHPOL_FIELDS', text: auth('{ kind: mtlsClient, clientCertRef: §7 }') },
  {
    code: 'AUTHPOL_FIELDS',
    text: auth(
      '{ kind: oauth2ClientCredentials, tokenEndpoint: §/token, auth: { method: clientSecretPost, clientId: me, clientSecretRef: s } }',
    ),
  },
  {
    code: 'AUTHPOL_FIELDS',
    text: auth(
      '{ kind: oauth2ClientCredentials, tokenEndpoint: "https://id.example/token", auth: { method: tlsClientAuth, clientId: me, clientSecretRef: s } }',
    ),
    about: 'the wrong credential',
  },
  {
    code: 'AUTHPOL_FIELDS',
    text: auth(
      '{ kind: oauth2ClientCredentials, tokenEndpoint: "https://id.example/token", auth: { method: clientSecretBasic, clientId: me, clientSecretRef: s }, form: { grant_type: §password } }',
    ),
  },
  { code: 'BINDING_UNSUPPORTED', text: spec('bindings: { §mqtt: {} }') },
  { code: 'BINDING_UNSUPPORTED', text: spec('bindings: { §queue: { starts: [] } }') },
  {
    about: 'JL-U23 a binding that this release does not support',
    code: 'BINDING_UNSUPPORTED',
    text: spec('bindings: { §websocket: {} }'),
    hint: 'over HTTP',
  },
  { code: 'BINDING_UNSUPPORTED', text: api('bindings: { §grpc: {} }') },
  { code: 'BINDING_SHAPE', text: spec('bindings: { cli: §x }') },
  { code: 'UNKNOWN_FIELD', text: spec('bindings: { cli: { §command: run } }') },
  { code: 'BINDING_UNSUPPORTED', text: api('bindings: { §function: {} }') },
  { code: 'BINDING_KIND', text: spec('bindings: { §grpc: {} }') },
  { code: 'BINDING_KIND', text: api('bindings: { §websocket: {} }') },
  { code: 'BINDING_SHAPE', text: spec('bindings: { http: { start: { headersToContext: { X-User: §"" } } } }') },
  { code: 'BINDING_SHAPE', text: spec('bindings: { http: { start: { headersPassthrough: [{ from: a, to: §1 }] } } }') },
  { code: 'PATH_SYNTAX', text: spec('bindings: { http: { start: { queryToContext: { lang: §a..b } } } }') },
  { code: 'BINDING_STEP_UNKNOWN', text: spec('bindings: { http: { steps: { §a: {} } } }') },
  {
    code: 'UNKNOWN_FIELD',
    text: spec('bindings: { http: { §security: {} } }'),
    hint: 'jwtValidate',
  },
  { code: 'ROUTE_PATH', text: api('bindings: { http: { route: { path: §tea } } }') },
  { code: 'ROUTE_PATH', text: api('bindings: { http: { route: { path: §//tea.example/x } } }') },
  { code: 'ROUTE_PATH', text: api('bindings: { http: { route: { path: §/tea/../cake } } }'), hint: '. and ..' },
  { code: 'ROUTE_PATH', text: api('bindings: { http: { route: { path: §/tea/. } } }') },
  { code: 'ROUTE_PATH', text: api('bindings: { http: { route: { path: §/%2e%2E/tea } } }') },
  { code: 'ROUTE_PATH', text: api('bindings: { http: { route: { path: §/tea/100% } } }'), hint: '%25' },
  { code: 'ROUTE_PATH', text: api('bindings: { http: { route: { path: §/tea/%ff } } }') },
  { code: 'ROUTE_PATH', text: api("bindings: { http: { route: { path: §'/tea\\\\cake' } } }"), hint: '%5C' },
  { code: 'ROUTE_RESERVED', text: api('bindings: { http: { route: { path: §/journeys/tea/foo } } }') },
  { code: 'ROUTE_RESERVED', text: api('bindings: { http: { route: { path: §/j%6fbs } } }') },
  {
    code: 'ROUTE_RESERVED',
    text: api('bindings: { http: { route: { path: §"/api/v1/schedules/mine" } } }'),
    hint: 'another first segment',
  },
  { code: 'ROUTE_METHOD', text: api('bindings: { http: { route: { path: /tea, method: §PUT } } }') },
  {
    code: 'ROUTE_EXTENSION',
    text: api('bindings: { http: { route: { path: /tea, method: §GET } } }'),
    options: { compat: false },
  },
  {
    code: 'ROUTE_EXTENSION',
    text: api('bindings: { http: { route: { path: "/tea/{leaf}" }, start: { §pathToContext: { leaf: leaf } } } }'),
    options: { compat: false },
  },
  { code: 'ROUTE_PARAMETER', text: api('bindings: { http: { route: { path: §"/tea/{leaf}", method: GET } } }') },
  {
    code: 'ROUTE_PARAMETER',
    text: api('bindings: { http: { route: { path: "/tea/{leaf}" }, start: { pathToContext: { §leef: leaf } } } }'),
    hint: '"leaf"',
  },
  { code: 'ROUTE_ON_JOURNEY', text: spec('bindings: { http: { §route: { path: /tea } } }') },
  { code: 'APIRESP_ON_JOURNEY', text: spec('bindings: { http: { §apiResponses: {} } }') },
  {
    code: 'APIRESP_PHASE',
    text: api('bindings: { http: { apiResponses: { rules: [{ when: { phase: §DONE }, status: 200 }] } } }'),
  },
  {
    code: 'APIRESP_STATUS',
    text: api('bindings: { http: { apiResponses: { rules: [{ when: { phase: FAILED }, status: §99 }] } } }'),
  },
  {
    code: 'APIRESP_STATUS',
    severity: 'warning',
    text: api('bindings: { http: { apiResponses: { rules: [{ when: { phase: FAILED }, status: §103 }] } } }'),
  },
  {
    code: 'APIRESP_STATUS',
    text: api('bindings: { http: { apiResponses: { rules: [§{ when: { phase: FAILED } }] } } }'),
  },
  { code: 'APIRESP_DEFAULT', text: api('bindings: { http: { apiResponses: { default: { SUCCEEDED: §fine } } } }') },
  { code: 'OUTCOME_PHASE', text: spec('outcomes: { Good: { when: { phase: §OK } } }') },
  { code: 'OUTCOME_PHASE', text: spec('outcomes: { §Good: {} }') },
  { code: 'COOKIES_MODE', text: spec('cookies: { jar: {}, returnToClient: { mode: §all } }') },
  { code: 'COOKIES_PATTERN', text: spec('cookies: { jar: { domains: [{ pattern: §"" }] } }') },
  {
    code: 'COOKIES_REGEX',
    text: spec('cookies: { jar: {}, returnToClient: { mode: filtered, include: { namePatterns: [§"(a"] } } }'),
  },
  { code: 'COOKIES_NO_JAR', text: spec('cookies: { §returnToClient: { mode: none } }'), severity: 'warning' },
  { code: 'GUARD_UNKNOWN', text: spec('access: { read: { guardRef: §g } }') },
  {
    code: 'GUARD_STATE_FORBIDDEN',
    text: guard('s: { type: timer, timer: { duration: PT1S }, next: e }, e: { type: succeed }'),
    about: 'A50: a pause',
  },
  {
    code: 'GUARD_STATE_FORBIDDEN',
    text: guard(
      `s: { type: transform, transform: { ${mapper}, target: { kind: attributes } }, next: e }, e: { type: succeed }`,
    ),
    about: 'attributes',
  },
  { code: 'ERRORS_FORMAT', text: spec('errors: { canonicalFormat: §soap }') },
  { code: 'ERRORS_FORMAT', text: spec('errors: { envelope: { format: §xml } }') },
  { code: 'ERRORS_ENVELOPE_MAPPER', text: spec('errors: { §envelope: { format: custom } }') },
  {
    code: 'ERRORS_ENVELOPE_MAPPER',
    severity: 'warning',
    text: spec('errors: { §envelope: { mapper: { lang: dataweave, expr: payload } } }'),
    hint: 'format: custom',
  },
  { code: 'EXPR_REQUIRED', text: spec('mappers: { brew: { lang: dataweave, expr: §7 } }') },
  {
    code: 'AUTHPOL_UNKNOWN',
    text: doc({
      states: task('kind: httpCall:v1\nmethod: GET\nurl: https://tea.example\nresultVar: r\nauth: { policyRef: §x }'),
    }),
  },
];
