import { mapOf, mapperFields, open, part, shape, textOf, wholeOf, wordOf } from '../../document/schema-parts.js';
import type { JsonObject } from '../../json/value.js';

const phase = wordOf('The phase the run ended in.', 'SUCCEEDED', 'FAILED');
const fields = (description: string) => mapOf(description, { type: 'string', minLength: 1 });
const inbound = open('What is copied from the request.', {
  headersToContext: fields('Headers to context fields.'),
  queryToContext: fields('Query parameters to context fields.'),
  headersPassthrough: {
    type: 'array',
    items: open(
      'A header sent on with calls made for this request.',
      { from: textOf('Its name here.'), to: textOf('Its name there.') },
      ['from', 'to'],
    ),
  },
});
const status = { type: 'integer', minimum: 100, maximum: 599 };
const tagSource = (field: string) => ({
  type: 'array',
  items: shape('A source.', { [field]: textOf(`The ${field}.`) }, [field]),
});
const attributeSource = (field: string) =>
  mapOf('Attributes by name.', shape('A source.', { [field]: textOf(`The ${field}.`) }, [field]));

const retry = open(
  'When and how often a call is repeated.',
  {
    maxAttempts: wholeOf('Attempts in all, the first included.'),
    retryOn: { type: 'array', items: { enum: ['NETWORK_ERROR', 'HTTP_5XX', 'HTTP_429'] } },
    backoff: open('How long to wait between attempts.', {
      kind: wordOf('fixed or exponential.', 'fixed', 'exponential'),
      baseDelayMs: wholeOf('The first delay.', 0),
      maxDelayMs: wholeOf('The longest delay.', 0),
      jitter: wordOf('full picks a random delay up to the computed one.', 'none', 'full'),
      initialDelayMs: { deprecated: true, description: 'Old name of baseDelayMs.' },
      factor: { deprecated: true, description: 'Growth of an exponential delay.' },
    }),
    circuitBreaker: open('Stops calling an origin that fails.', {
      enabled: { type: 'boolean', description: 'true when left out.' },
      failureRateThreshold: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 1,
        description: 'The share of failed calls that opens it; 0.5 when left out.',
      },
      slidingWindowSize: wholeOf('How many of the latest calls count; 20 when left out.'),
      openTimeoutSec: wholeOf('Seconds until a call is let through again; 30 when left out.'),
    }),
    bulkhead: open(
      'Bounds the calls at once.',
      {
        maxConcurrent: wholeOf('Calls at once.'),
        queueSize: wholeOf('Calls that wait in line; none when left out.', 0),
      },
      ['maxConcurrent'],
    ),
  },
  ['maxAttempts'],
);

const clientAuth = open(
  'How calls authenticate to other services. Secrets are named, never written here.',
  {
    kind: wordOf('The way to authenticate.', 'bearerStatic', 'oauth2ClientCredentials', 'mtlsClient'),
    tokenRef: textOf('Names the token.'),
    tokenEndpoint: textOf('The absolute URL of the token endpoint.'),
    auth: open('How the client authenticates to the token endpoint.', {
      method: wordOf('The method.', 'clientSecretPost', 'clientSecretBasic', 'tlsClientAuth'),
      clientId: textOf('The client.'),
      clientSecretRef: textOf('Names the secret.'),
      clientCertRef: textOf('Names the certificate.'),
    }),
    form: { type: 'object', description: 'Further fields of the token request.' },
    clientCertRef: textOf('Names the certificate.'),
    trustAnchors: { type: 'array', items: open('A root.', { pemRef: textOf('Names the PEM.') }, ['pemRef']) },
  },
  ['kind'],
);

const apiResponses = open('Which HTTP status an Api answers with.', {
  rules: {
    type: 'array',
    items: {
      ...open(
        'A rule; the first that matches decides.',
        {
          when: open(
            'The condition.',
            { phase, errorType: textOf('The problem’s type.'), predicate: part('predicate') },
            ['phase'],
          ),
          status,
          statusExpr: part('expression'),
        },
        ['when'],
      ),
      oneOf: [{ required: ['status'] }, { required: ['statusExpr'] }],
    },
  },
  default: open('When no rule matches.', {
    SUCCEEDED: status,
    FAILED: { anyOf: [status, { const: 'fromProblemStatus' }] },
  }),
});

/** The blocks of `spec` beside its states. */
export const blockSchemas: Record<string, JsonObject> = {
  subjourneys: mapOf(
    'Graphs called by states of type subjourney.',
    open(
      'A local graph.',
      {
        start: part('stateId'),
        states: part('states'),
        input: open('A contract for readers and tools.', { schema: part('jsonSchema') }),
        output: open('A contract for readers and tools.', { schema: part('jsonSchema') }),
      },
      ['start', 'states'],
    ),
  ),
  input: open('The body of a start, which becomes the first context.', { schema: part('jsonSchema') }),
  output: open('What the journey gives.', { schema: part('jsonSchema'), response: part('projection') }),
  context: open('What the context holds during a run; for tools.', { schema: part('jsonSchema') }),
  apis: mapOf(
    'OpenAPI documents by the name operationRef uses.',
    open('An API.', { openApiRef: textOf('Path below the catalogue’s root.') }, ['openApiRef']),
  ),
  defaults: open('Fallbacks for tasks.', {
    http: open('For HTTP calls.', {
      timeoutMs: wholeOf('Timeout of calls that set none.'),
      headers: fields('Headers of every call.'),
    }),
    tasks: open('For every task.', { resiliencePolicyRef: textOf('A policy of policies.httpResilience.') }),
  }),
  platform: open('What the journey needs from its environment.', {
    config: mapOf(
      'Keys of platform.config.',
      open(
        'A key.',
        {
          type: wordOf('Its type.', 'string', 'integer', 'number', 'boolean', 'object'),
          required: { type: 'boolean', description: 'Whether runs are refused without it.' },
          description: textOf('What it is for.'),
        },
        ['type'],
      ),
    ),
  }),
  execution: open(
    'How long a run may take in all.',
    {
      maxDurationSec: wholeOf('Seconds from the start.'),
      onTimeout: open(
        'The failure when time is up.',
        { errorCode: textOf('Its code.'), reason: textOf('Its reason.') },
        ['errorCode', 'reason'],
      ),
    },
    ['maxDurationSec', 'onTimeout'],
  ),
  compensation: open(
    'A second graph that runs after a failure, a timeout or a cancel.',
    {
      mode: wordOf('Whether the caller waits for it; async by default.', 'sync', 'async'),
      start: part('stateId'),
      states: part('states'),
      alsoFor: {
        type: 'array',
        items: open('A kind of success that is compensated too.', {
          when: open('The condition.', { predicate: part('predicate') }),
        }),
      },
    },
    ['start', 'states'],
  ),
  httpSurface: open('What responses carry.', {
    links: open('Hypermedia links.', { enabled: { type: 'boolean', description: 'true by default.' } }),
  }),
  lifecycle: open('How a journey starts and ends. Journeys only.', {
    cancellable: { type: 'boolean', description: 'Whether callers may cancel; true by default.' },
    startMode: wordOf('sync answers at the first pause or the end; async at once.', 'sync', 'async'),
  }),
  metadata: open('Tags and attributes of runs.', {
    bindings: open('Where they come from, once, at the start.', {
      tags: open('Tags.', {
        fromPayload: tagSource('path'),
        fromHeaders: tagSource('header'),
        fromBaggage: tagSource('key'),
      }),
      attributes: open('Attributes.', {
        fromPayload: attributeSource('path'),
        fromHeaders: attributeSource('header'),
        fromBaggage: attributeSource('key'),
      }),
    }),
  }),
  mappers: mapOf('Expressions by name, for mapperRef.', part('expression')),
  policies: open('Rules that calls refer to.', {
    httpResilience: open('Retries.', {
      default: textOf('The policy of calls that name none.'),
      definitions: mapOf('Policies by id.', retry),
    }),
    httpClientAuth: open('Outbound authentication.', {
      default: textOf('A hint for readers; never applied by itself.'),
      definitions: mapOf('Policies by id.', clientAuth),
    }),
  }),
  bindings: shape('How callers reach the journey.', {
    http: open('HTTP.', {
      route: open('The path of an Api.', {
        path: { type: 'string', pattern: '^/', description: 'Absolute, without a host.' },
        method: wordOf('POST by default. GET is an extension, refused by --strict.', 'POST', 'GET'),
      }),
      start: {
        ...inbound,
        properties: {
          ...inbound.properties,
          pathToContext: mapOf(
            'Of an Api: a part {name} of route.path to a context field; an extension, refused by --strict.',
            textOf('A field or dot path of the context.'),
          ),
        },
      },
      steps: mapOf('By step id.', inbound),
      apiResponses,
    }),
  }),
  outcomes: mapOf(
    'Names for ways to end; the first that matches is shown as outcomeId.',
    open(
      'An outcome.',
      {
        when: open('The condition.', { phase, predicate: part('predicate') }, ['phase']),
      },
      ['when'],
    ),
  ),
  cookies: open('A cookie jar for the run’s calls.', {
    jar: open('The jar.', {
      domains: {
        type: 'array',
        items: open('A domain.', { pattern: textOf('A host, or .suffix for its subdomains.') }, ['pattern']),
      },
    }),
    returnToClient: open(
      'Which cookies the caller gets on success.',
      {
        mode: wordOf('Which.', 'none', 'allFromAllowedDomains', 'filtered'),
        include: open('With mode filtered.', {
          names: { type: 'array', items: { type: 'string' } },
          namePatterns: { type: 'array', items: { type: 'string' } },
        }),
      },
      ['mode'],
    ),
  }),
  access: open('Who may read runs.', {
    read: open('Reads of status and result.', { guardRef: textOf('A subjourney that says allowed: true or false.') }),
  }),
  errors: open('The shape of errors.', {
    canonicalFormat: { const: 'rfc9457' },
    normalisers: mapOf(
      'Mappers to problems, by id.',
      open('A mapper.', { ...mapperFields, lang: textOf('Its language.'), expr: textOf('Its text.') }),
    ),
    envelope: open('The body callers see.', {
      format: wordOf('problemDetails by default.', 'problemDetails', 'custom'),
      ...mapperFields,
    }),
  }),
};
