import { mapperFields, part, shape, textOf, wholeOf, wordOf } from '../../document/schema-parts.js';

import { signSchema } from './sign.js';

/** JSON Schema of `httpCall:v1`. */
export const schema = {
  ...shape(
    'Calls an HTTP service and stores status, headers and body in resultVar. A failed call is data; it never ends the run.',
    {
      kind: { const: 'httpCall:v1' },
      mode: wordOf('notify sends the request and does not look at the answer.', 'requestResponse', 'notify'),
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
        path: part('texts'),
        query: part('texts'),
        headers: part('texts'),
        body: { description: 'Old place of body.', deprecated: true },
      }),
      headers: part('texts', 'Request headers; they win over spec.defaults.http.headers.'),
      body: {
        description: 'A text (placeholders replaced), an object or list (sent as JSON), or a mapper.',
        type: ['string', 'object', 'array'],
      },
      accept: textOf('The Accept header; application/json by default.'),
      timeoutMs: wholeOf('How long to wait for the answer; 10000 by default.'),
      resultVar: part('identifier'),
      resiliencePolicyRef: textOf('A policy of spec.policies.httpResilience.'),
      auth: shape('Outbound authentication.', { policyRef: textOf('A policy of spec.policies.httpClientAuth.') }, [
        'policyRef',
      ]),
      errorMapping: shape(
        'A transform that runs only when the call was not ok; payload is the HTTP result.',
        { when: { const: 'nonOk' }, ...mapperFields, target: part('target'), resultVar: part('identifier') },
        ['when'],
      ),
      cookies: shape('Use of the run’s cookie jar.', {
        useJar: { type: 'boolean', description: 'true by default where there is a jar.' },
      }),
      sign: signSchema,
      run: wordOf('Forces how the call runs; by default its method decides.', 'local', 'activity'),
    },
    ['kind'],
  ),
  oneOf: [{ required: ['operationRef'] }, { required: ['method', 'url'] }],
};
