import {
  conditionFields,
  fixed,
  listOf,
  mapOf,
  mapperFields,
  mapperForms,
  open,
  part,
  shape,
  textOf,
  wholeOf,
  wordOf,
} from '../../base/document/schema-builders.js';
import type { JsonObject } from '../../base/json/value.js';

const phase = wordOf('The phase the run ended in.', 'SUCCEEDED', 'FAILED');
const fields = (description: string) => mapOf(description, { type: 'string', minLength: 1 });
const inbound = open('What is copied from the request.', {
  headersToContext: fields('Headers to context fields.'),
  queryToContext: fields('Query parameters to context fields.'),
  headersPassthrough: listOf(
    'Headers forwarded with calls made for this request; they stay out of the history.',
    open(
      'A header forwarded with calls made for this request.',
      { from: textOf('Its name here.'), to: textOf('Its name there.') },
      ['from', 'to'],
    ),
  ),
});
const status = { type: 'integer', minimum: 100, maximum: 599, description: 'An HTTP status.' };
const places = {
  path: ['the body of the start request', 'A dot path into the body.'],
  header: ['headers of the start request', 'The name of the header.'],
  key: ['W3C baggage of the start request', 'The key in the baggage.'],
} as const;
const source = (field: keyof typeof places) => shape('A source.', { [field]: textOf(places[field][1]) }, [field]);
const tagSource = (field: keyof typeof places) => listOf(`Tags from ${places[field][0]}.`, source(field));
const attributeSource = (field: keyof typeof places) =>
  mapOf(`Attributes, by name, from ${places[field][0]}.`, source(field));

const retry = open(
  'When and how often a call is repeated.',
  {
    maxAttempts: wholeOf(
      'Attempts in all, the first included. Those after the first ten are at least a second apart, whatever backoff says.',
    ),
    retryOn: listOf(
      'The failures that are retried; the first two when left out.',
      { enum: ['NETWORK_ERROR', 'HTTP_5XX', 'HTTP_429'] },
      { default: ['NETWORK_ERROR', 'HTTP_5XX'] },
    ),
    backoff: open('How long to wait between attempts.', {
      kind: wordOf('Whether the delay is constant or doubles each time.', 'fixed', 'exponential'),
      baseDelayMs: wholeOf('The first delay, in milliseconds.', 0),
      maxDelayMs: wholeOf('The longest delay, in milliseconds.', 0),
      jitter: wordOf('full picks a random delay up to the computed one.', 'none', 'full'),
      initialDelayMs: { deprecated: true, description: 'Old name of baseDelayMs.' },
      factor: { deprecated: true, description: 'Growth of an exponential delay.' },
    }),
    circuitBreaker: open('Stops calling an origin that fails.', {
      enabled: { type: 'boolean', description: 'Whether it is on; true when left out.', default: true },
      failureRateThreshold: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 1,
        description: 'The share of failed calls that opens it; 0.5 when left out.',
        default: 0.5,
      },
      slidingWindowSize: {
        ...wholeOf('How many of the latest calls count; 20 when left out.'),
        maximum: 10_000,
        default: 20,
      },
      openTimeoutSec: { ...wholeOf('Seconds until a call is let through again; 30 when left out.'), default: 30 },
    }),
    bulkhead: open(
      'Limits concurrent calls.',
      {
        maxConcurrent: wholeOf('Concurrent calls.'),
        queueSize: { ...wholeOf('Calls that wait in line; none when left out.', 0), default: 0 },
      },
      ['maxConcurrent'],
    ),
    onUncertain: {
      ...wordOf(
        'What follows an attempt of an unsafe call that may have taken effect: repeat (default) makes it again, fail does not. An extension, refused by --strict.',
        'repeat',
        'fail',
      ),
      default: 'repeat',
    },
  },
  ['maxAttempts'],
);

const clientAuth = open(
  'How calls authenticate to other services. Secrets are named, never written here.',
  {
    kind: wordOf('The authentication method.', 'bearerStatic', 'oauth2ClientCredentials', 'mtlsClient'),
    tokenRef: textOf('Names the token; for bearerStatic.'),
    tokenEndpoint: textOf('The absolute URL of the token endpoint; for oauth2ClientCredentials.'),
    auth: open('How the client authenticates to the token endpoint.', {
      method: wordOf('The method.', 'clientSecretPost', 'clientSecretBasic', 'tlsClientAuth'),
      clientId: textOf('The client.'),
      clientSecretRef: textOf('Names the secret.'),
      clientCertRef: textOf('Names the certificate.'),
    }),
    form: { type: 'object', description: 'Further fields of the token request.' },
    clientCertRef: textOf('Names the certificate and its key, in one PEM; for mtlsClient.'),
    trustAnchors: listOf(
      'Roots to trust in place of the public ones; for mtlsClient.',
      open('A root.', { pemRef: textOf('Names the PEM.') }, ['pemRef']),
    ),
  },
  ['kind'],
);

const apiResponses = open('Which HTTP status an Api answers with.', {
  rules: listOf('Rules; the first that matches decides.', {
    ...open(
      'A rule.',
      {
        when: open(
          'The condition.',
          { phase, errorType: textOf('The problem’s type, or its code.'), ...conditionFields },
          ['phase'],
        ),
        status,
        statusExpr: part('expression', 'Computes the status.'),
      },
      ['when'],
    ),
    oneOf: [{ required: ['status'] }, { required: ['statusExpr'] }],
  }),
  default: open('When no rule matches.', {
    SUCCEEDED: { ...status, description: 'The status of a success.' },
    FAILED: {
      description: 'The status of a failure; fromProblemStatus takes the one that the problem has.',
      anyOf: [status, { const: 'fromProblemStatus' }],
    },
  }),
});

/** The blocks of `spec` beside its states. */
export const blockSchemas: Record<string, JsonObject> = {
  subjourneys: mapOf(
    'Graphs called by states of type subjourney.',
    open(
      'A local graph.',
      {
        start: part('stateId', 'The state at which it starts.'),
        states: part('states'),
        input: open('What it is called with, for readers and tools.', { schema: part('jsonSchema') }),
        output: open('What it returns, for readers and tools.', { schema: part('jsonSchema') }),
      },
      ['start', 'states'],
    ),
  ),
  key: {
    ...shape('The business key of a run: its id is then <journey>/<key>. An extension, refused by --strict.', {
      ...mapperFields,
      onExisting: {
        ...wordOf(
          'A start with the key of a running run returns that run (attach, the default) or is refused.',
          'attach',
          'reject',
        ),
        default: 'attach',
      },
      once: {
        type: 'boolean',
        description: 'Whether the key of an ended run stays taken, as long as the namespace keeps that run.',
        default: false,
      },
    }),
    oneOf: mapperForms,
  },
  input: open('The body of a start, which becomes the first context.', { schema: part('jsonSchema') }),
  output: open('The output of the journey.', { schema: part('jsonSchema'), response: part('projection') }),
  context: open('The context during a run; for tools.', { schema: part('jsonSchema') }),
  apis: mapOf(
    'OpenAPI documents by the name operationRef uses.',
    open(
      'An API.',
      {
        openApiRef: textOf('Path below the catalogue’s root.'),
        server: textOf(
          'Replaces the document’s servers: a URL, or one that begins with ${platform.config.<key>}. An extension, refused by --strict.',
        ),
      },
      ['openApiRef'],
    ),
  ),
  defaults: open('Fallbacks for tasks and expressions.', {
    lang: wordOf(
      'The language of expressions that name none; an extension, refused by --strict.',
      'dataweave',
      'jsonata',
    ),
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
          required: { type: 'boolean', description: 'Whether runs are refused without it.', default: false },
          default: {
            description: 'Its value where the configuration has none; an extension, refused by --strict.',
            type: ['string', 'number', 'boolean', 'object'],
          },
          description: textOf('What it is for.'),
        },
        ['type'],
      ),
    ),
  }),
  execution: open(
    'The total duration of a run.',
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
      mode: { ...wordOf('Whether the caller waits for it; async by default.', 'sync', 'async'), default: 'async' },
      start: part('stateId', 'The state at which it starts.'),
      states: part('states'),
      alsoFor: listOf(
        'Successes that are compensated too.',
        open('A kind of success that is compensated too.', {
          when: {
            description: 'The condition; a text is the expression, an extension.',
            oneOf: [{ type: 'string', minLength: 1 }, open('The condition.', conditionFields)],
          },
        }),
      ),
    },
    ['start', 'states'],
  ),
  httpSurface: open('What responses carry.', {
    links: open('Hypermedia links.', {
      enabled: { type: 'boolean', description: 'Whether answers have _links; true by default.', default: true },
    }),
  }),
  lifecycle: open('How a journey starts and ends. Journeys only.', {
    cancellable: { type: 'boolean', description: 'Whether callers may cancel; true by default.', default: true },
    startMode: {
      ...wordOf('sync (default) answers at the first pause or the end; async at once.', 'sync', 'async'),
      default: 'sync',
    },
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
    http: {
      ...open('HTTP.', {
        route: open('The path of an Api.', {
          path: { type: 'string', pattern: '^/', description: 'Absolute, without a host.' },
          method: wordOf('POST by default. GET is an extension, refused by --strict.', 'POST', 'GET'),
        }),
        start: {
          ...inbound,
          description: 'What is copied from the start request.',
          properties: {
            ...inbound.properties,
            pathToContext: mapOf(
              'Of an Api: a part {name} of route.path to a context field; an extension, refused by --strict.',
              textOf('A field or dot path of the context.'),
            ),
          },
        },
        steps: mapOf('What is copied from submissions, by step id.', inbound),
        apiResponses,
      }),
      // The language has no `security`; an author who writes it would believe that the journey is protected.
      not: { required: ['security'] },
    },
    cli: shape(
      'Declares that the journey may be started from the command line, as every journey may. It has no fields.',
      {},
    ),
  }),
  outcomes: mapOf(
    'Named outcomes; the first that matches is shown as outcomeId.',
    open(
      'An outcome.',
      {
        when: open('The condition.', { phase, ...conditionFields }, ['phase']),
      },
      ['when'],
    ),
  ),
  cookies: open('A cookie jar for the run’s calls.', {
    jar: open('The jar.', {
      domains: listOf(
        'The domains whose cookies are kept.',
        open('A domain.', { pattern: textOf('A host, or .suffix for its subdomains.') }, ['pattern']),
      ),
    }),
    returnToClient: open(
      'Which cookies the caller gets on success.',
      {
        mode: wordOf('None, all of the jar, or those under include.', 'none', 'allFromAllowedDomains', 'filtered'),
        include: open('With mode filtered.', {
          names: listOf('Names of cookies.', { type: 'string' }),
          namePatterns: listOf('Regular expressions (RE2) that names of cookies match.', { type: 'string' }),
        }),
      },
      ['mode'],
    ),
  }),
  access: open('Who may read runs.', {
    read: open('Reads of status and result.', {
      guardRef: textOf('A subjourney whose output has allowed: true or false.'),
    }),
  }),
  errors: open('The shape of errors.', {
    canonicalFormat: fixed('rfc9457', 'The internal format of errors; the only one.'),
    normalisers: mapOf('Mappers to problems, by id.', {
      oneOf: [{ type: 'string', minLength: 1 }, open('A mapper.', mapperFields)],
    }),
    envelope: open('The body callers see.', {
      format: {
        ...wordOf('problemDetails (default), or custom with a mapper.', 'problemDetails', 'custom'),
        default: 'problemDetails',
      },
      ...mapperFields,
    }),
  }),
};
