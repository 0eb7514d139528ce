import { fixed, mapperFields, part, shape, textOf, wholeOf, wordOf } from '../../document/schema-parts.js';

import { signSchema } from './sign.js';

/** JSON Schema of `httpCall:v1`. */
export const schema = {
  ...shape(
    'Calls an HTTP service and stores status, headers and body in resultVar. A failed call is data; it never ends the run.',
    {
      kind: fixed('httpCall:v1', 'The kind of task.'),
      mode: {
        ...wordOf('notify sends the request and does not look at the answer.', 'requestResponse', 'notify'),
        default: 'requestResponse',
      },
      operationRef: textOf('<api>.<operationId>, of an API declared in spec.apis. Excludes method and url.'),
      method: wordOf(
        'The method of a call by URL. PATCH is an extension, refused by --strict.',
        'GET',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
      ),
      url: textOf('An absolute URL; ${context.<path>} is replaced.'),
      params: shape('Values for the operation’s parameters.', {
        path: part('texts', 'Parameters in the path.'),
        query: part('texts', 'Parameters in the query.'),
        headers: part('texts', 'Parameters in headers; they win over headers.'),
        body: { description: 'Old place of body.', deprecated: true },
      }),
      headers: part('texts', 'Request headers; they win over spec.defaults.http.headers.'),
      body: {
        description: 'A text (placeholders replaced), an object or list (sent as JSON), or a mapper.',
        type: ['string', 'object', 'array'],
      },
      accept: { ...textOf('The Accept header; application/json by default.'), default: 'application/json' },
      timeoutMs: { ...wholeOf('How long to wait for the answer; 10000 by default.'), default: 10_000 },
      resultVar: part('identifier', 'The context variable that takes status, ok, headers, body and error.'),
      resiliencePolicyRef: textOf('A policy of spec.policies.httpResilience.'),
      auth: shape('Outbound authentication.', { policyRef: textOf('A policy of spec.policies.httpClientAuth.') }, [
        'policyRef',
      ]),
      errorMapping: shape(
        'A transform that runs only when the call was not ok; payload is the HTTP result.',
        {
          when: fixed('nonOk', 'When it runs: no answer, or one that is not 2xx.'),
          ...mapperFields,
          target: part('target'),
          resultVar: part('identifier', 'The context variable that takes the value.'),
        },
        ['when'],
      ),
      cookies: shape('Use of the run’s cookie jar.', {
        useJar: { type: 'boolean', description: 'true by default where there is a jar.', default: true },
      }),
      sign: signSchema,
      run: wordOf('Forces how the call runs; by default its method decides.', 'local', 'activity'),
    },
    ['kind'],
  ),
  oneOf: [{ required: ['operationRef'] }, { required: ['method', 'url'] }],
  examples: [
    {
      kind: 'httpCall:v1',
      operationRef: 'shop.releaseStock',
      params: { path: { reservationId: '${context.reservationId}' } },
      timeoutMs: 2000,
      resiliencePolicyRef: 'patient',
      resultVar: 'release',
    },
    {
      kind: 'httpCall:v1',
      method: 'POST',
      url: 'https://pay.example.com/charges',
      headers: { 'X-Channel': 'web' },
      body: { mapper: { lang: 'dataweave', expr: '{ amount: context.total }' } },
      accept: 'application/json',
      auth: { policyRef: 'partner' },
      sign: {
        algorithm: 'hmac-sha256',
        secretRef: 'secret://pay/signing',
        header: 'X-Signature',
        prefix: 'sha256=',
        encoding: 'hex',
        over: { mapper: { lang: 'dataweave', expr: 'request.body' } },
      },
      errorMapping: {
        when: 'nonOk',
        mapper: { lang: 'dataweave', expr: '{ code: payload.status }' },
        target: { kind: 'var' },
        resultVar: 'failure',
      },
      cookies: { useJar: false },
      run: 'activity',
      resultVar: 'charge',
    },
    {
      kind: 'httpCall:v1',
      method: 'GET',
      url: 'https://shop.example.com/orders',
      params: { query: { page: 2 }, headers: { 'X-Channel': 'web' } },
      resultVar: 'orders',
    },
    {
      kind: 'httpCall:v1',
      mode: 'notify',
      method: 'POST',
      url: 'https://log.example.com/events',
      body: { event: 'order-paid' },
    },
  ],
};
