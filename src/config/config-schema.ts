import { defaultMetadataLimits } from '../engine/definition/metadata-limits.js';
import { defaultLimits } from '../expressions/expression-engine-interface.js';
import {
  accessAction,
  countValue,
  journeyPattern,
  jwks,
  keyHash,
  listValue,
  mapValue,
  nameList,
  origin,
  pathValue,
  portValue,
  type Schema,
  scopeName,
  secretSource,
  section,
  stringValue,
} from './config-schema-builders.js';
import { authProfileSchemas } from './inbound-auth-profile-schemas.js';

/** The task queue if neither it nor the deployment has a name. */
export const defaultTaskQueue = 'journeyman';

const role: Schema = { type: 'string', enum: ['client', 'operator', 'channel'] };

/** The JSON Schema of the configuration file: settings, descriptions and defaults. `journeyman schema config` prints it. */
export const configSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:journeyman:schema:config',
  title: 'Journeyman configuration',
  ...section('journeyman.config.yaml', {
    server: section('The embedded Temporal server that `journeyman up` starts if `temporal.address` is not set.', {
      dataDir: pathValue('Folder of its database, log and process file.', { default: '.journeyman' }),
      ip: stringValue('Address it binds to.', { default: '127.0.0.1' }),
      port: portValue('Port of its gRPC service; 0 selects a free port.', 7233, 0),
      uiPort: portValue('Port of its Web UI; 0 disables the Web UI.', 8233, 0),
      inMemory: {
        type: 'boolean',
        description: 'Use an in-memory database, which is lost when the server stops.',
        default: false,
      },
      retentionDays: countValue('Retention of ended runs, in days.', 90, { maximum: 3650 }),
      args: listValue('Additional arguments for `temporal server start-dev`.', { type: 'string' }),
    }),
    temporal: section(
      "The Temporal service that journeys run on. Temporal's own TEMPORAL_* variables and profile file take precedence over these keys.",
      {
        address: stringValue(
          'host:port of a server, cluster or Temporal Cloud. If not set, the embedded server is used.',
          {
            examples: ['temporal.example.com:7233'],
          },
        ),
        namespace: stringValue('Namespace of all runs and schedules.', { default: 'default' }),
        taskQueue: stringValue('Task queue of the journey workers.', { default: defaultTaskQueue }),
        tls: section(
          'TLS for connections to the service; an empty object enables TLS with the public certificate authorities.',
          {
            disabled: { type: 'boolean', description: 'Connect without TLS even if an API key is set.' },
            serverName: stringValue('Name expected in the certificate of the service.'),
            caFile: pathValue('Certificate authority of the service, as PEM.'),
            certFile: pathValue('Our client certificate, as PEM.'),
            keyFile: pathValue('Key of our client certificate, as PEM.'),
          },
        ),
        apiKey: secretSource('API key for the service; implies TLS.'),
      },
    ),
    deployment: section(
      'The installation that this configuration belongs to.',
      {
        name: stringValue(
          'Name of the installation, to distinguish several on one Temporal service. It is part of the task queue (`journeyman-<name>`, unless `temporal.taskQueue` is set) and identifies the deployer of pipelines. Workers with the same name poll the same queue, whatever their folder.',
          { pattern: scopeName, examples: ['shop'] },
        ),
        buildId: stringValue(
          "Build of the workers, for Temporal's worker deployments. Setting this or `behavior` makes workers versioned: they get no work until an operator makes their version current. The version is `<name>:<buildId>.i<interpreter version>`; the default build is the version of this package.",
          { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$' },
        ),
        behavior: {
          type: 'string',
          enum: ['auto-upgrade', 'pinned'],
          description:
            'Version of the workers that continue a running journey: `auto-upgrade` (the default) is the current one, `pinned` the one that started the run, until the run continues as new.',
        },
      },
      { dependentRequired: { buildId: ['name'], behavior: ['name'] } },
    ),
    gateway: section('The HTTP gateway.', {
      host: stringValue('Address it binds to; any other than loopback requires authentication.', {
        default: '127.0.0.1',
      }),
      port: portValue('Port it listens on; 0 selects a free port.', 8080, 0),
      bodyLimit: countValue('Largest request body in bytes.', 1_048_576),
      publicUrl: stringValue('Public URL of the gateway, used in links and callback URLs.', {
        format: 'uri',
        // Paths are appended to it and callers see it: no query, and no password.
        pattern: '^https?://[^/?#@]+(/[^?#]*)?$',
      }),
      callbackDays: {
        type: 'integer',
        description: 'Days for which a callback URL is valid; without it, as long as its step waits.',
        minimum: 1,
        maximum: 3650,
      },
      hooks: section('Fixed URLs of correlated steps.', {
        owner: stringValue(
          'Owner of the runs that requests to these URLs start: a caller such as `key:shop`, which may then read them as its own. The default is nobody but operators.',
          { default: 'hooks' },
        ),
      }),
      auth: section('Authentication of callers. Without it, every process on this machine may call.', {
        apiKeys: listValue(
          'API keys, stored as hashes.',
          section(
            'One key.',
            {
              id: stringValue('Name of the caller, for logs.'),
              hash: keyHash,
              roles: listValue('Roles of the key.', role, { minItems: 1, uniqueItems: true }),
              caller: stringValue(
                'Id of the caller; `id` by default. Keys with the same caller share their runs, for rotation.',
              ),
              journeys: {
                type: 'array',
                description:
                  'For the role `client`: the journeys and Apis it has access to; `order-*` matches a prefix.',
                items: journeyPattern,
                uniqueItems: true,
              },
              actions: {
                type: 'array',
                description: 'For the role `client`: the permitted actions; all by default.',
                items: accessAction,
                uniqueItems: true,
              },
              runs: {
                type: 'string',
                description: 'For the role `client`: the runs it has access to; by default `own`, those it started.',
                enum: ['own', 'all'],
              },
            },
            { required: ['id', 'hash', 'roles'] },
          ),
        ),
        jwt: section(
          'Bearer tokens of an identity provider.',
          {
            issuer: stringValue('Expected `iss`.'),
            audience: stringValue('Expected `aud`.'),
            jwksUri: stringValue('URL of the provider’s public keys (JWKS).', { format: 'uri', pattern: '^https?://' }),
            keys: jwks,
            rolesClaim: stringValue('Claim that lists the caller’s roles; a dot path for nested claims.', {
              default: 'roles',
            }),
            roleMap: mapValue('Value of the roles claim → role; other values map to the role of the same name.', role),
            journeysClaim: stringValue(
              'Claim that lists the journeys a `client` has access to, like `journeys` of a key.',
            ),
            actionsClaim: stringValue(
              'Claim that lists the permitted actions of a `client`: `start`, `read`, `submit`, `cancel`.',
            ),
            runsClaim: stringValue('Claim whose value `all` gives a `client` access to every run.'),
          },
          { required: ['issuer', 'audience'] },
        ),
      }),
      origins: listValue(
        'Origins of web pages, in addition to its own, that may call it without authentication; others are rejected.',
        stringValue('Origin.', { pattern: origin }),
        { examples: [['http://localhost:5173']] },
      ),
      shutdownDelayMs: countValue(
        'Milliseconds for which a stopping `journeyman gateway` keeps serving while `/readyz` returns 503, so that load balancers notice.',
        5_000,
        { minimum: 0 },
      ),
      tls: section(
        'HTTPS instead of plain HTTP.',
        {
          certFile: pathValue('Certificate chain of the gateway, as PEM.'),
          keyFile: pathValue('Key of the certificate, as PEM.'),
          clientCertificates: stringValue(
            'Client certificates, for `mtlsValidate:v1`; with `required` they must be issued by clientCaFile.',
            { enum: ['none', 'optional', 'required'], default: 'none' },
          ),
          clientCaFile: pathValue('Certificate authority of client certificates, as PEM.'),
        },
        { required: ['certFile', 'keyFile'] },
      ),
      clientCertificate: section(
        'Client certificate in a header, set by a proxy that terminates TLS.',
        {
          header: stringValue('Name of the header; its value is percent-encoded PEM or as in RFC 9440.'),
          proxies: {
            type: 'array',
            description: 'Addresses or CIDR ranges of trusted proxies; the header is ignored from any other address.',
            items: stringValue('Address or range.'),
            minItems: 1,
          },
        },
        { required: ['header', 'proxies'] },
      ),
      console: section('The web app at `/console`.', {
        enabled: { type: 'boolean', description: 'Whether it is served.', default: true },
        temporalUi: stringValue(
          'Page of the namespace in Temporal’s Web UI, to which it links; by default that of the embedded server.',
          { format: 'uri', pattern: '^https?://', examples: ['https://temporal.example.com/namespaces/journeys'] },
        ),
        signIn: section(
          'Sign-in by OpenID Connect (authorization code with PKCE), for an identity provider whose tokens `gateway.auth.jwt` accepts. Without it, people enter an API key or a token.',
          {
            issuer: stringValue('Issuer; `/.well-known/openid-configuration` below it describes it.', {
              format: 'uri',
              pattern: '^https?://',
            }),
            clientId: stringValue('Id of the public client that is registered for the console.'),
            scope: stringValue('Requested scopes.', { default: 'openid' }),
          },
          { required: ['issuer', 'clientId'] },
        ),
      }),
      requests: section('Requests whose credentials runs may use. They are kept in the memory of the gateway.', {
        keepSec: countValue('Seconds for which a run may use a request.', 300),
        maxBytes: countValue(
          'Maximum total size of all requests in bytes; one caller may use half of what is left by others.',
          67_108_864,
        ),
      }),
    }),
    specs: pathValue('Folder of journeys.', { default: './specs' }),
    catalogue: section('OpenAPI documents that journeys refer to.', {
      root: pathValue('Folder of the documents; the specs folder by default.'),
      overlays: listValue('OpenAPI overlays applied to them, in order.', pathValue('An overlay file.')),
    }),
    library: section('Journeys that are served.', {
      changedContent: {
        description:
          'Policy for a journey whose content differs from that of the last run of the same name and version: `tell` (warn), `refuse` (do not serve it; for production) or `allow`.',
        enum: ['tell', 'refuse', 'allow'],
        default: 'tell',
      },
    }),
    http: section('Calls that journeys make.', {
      rewrite: mapValue(
        'Origin → replacement origin for calls.',
        { type: 'string', pattern: origin },
        {
          propertyNames: { pattern: origin },
          examples: [{ 'https://api.example.com': 'http://127.0.0.1:9000' }],
        },
      ),
      egress: section('Hosts that journeys may call.', {
        allowLoopback: {
          type: 'boolean',
          description:
            'Whether loopback addresses may be called. By default, only under `journeyman up` with gateway and server on loopback.',
        },
        allowPrivate: listValue(
          'Hosts, `host:port` pairs or CIDR ranges in private networks that may be called.',
          stringValue('Host or range.'),
          {
            examples: [['127.0.0.1:9000', '10.1.0.0/16']],
          },
        ),
        allow: listValue(
          'If not empty, the only hosts that may be called; `*.example.com` matches subdomains.',
          stringValue('Host.'),
        ),
      }),
      responseLimit: countValue('Largest response body in bytes.', 1_048_576),
      timeoutMs: countValue('Default timeout of a call in milliseconds, unless the journey sets one.', 10_000),
      userAgent: stringValue('The `User-Agent` of calls.', { default: 'journeyman' }),
      mode: mapValue(
        'Origin, or method and origin → how such calls run, as a `local` or an ordinary `activity`, overriding the choice by safety.',
        { type: 'string', enum: ['local', 'activity'] },
        {
          propertyNames: { pattern: '^([A-Z]+ )?https?://[^/?#@\\s]+$' },
          examples: [{ 'POST https://search.example.com': 'local' }],
        },
      ),
    }),
    plugins: section('Custom task kinds, and profiles of auth tasks.', {
      modules: listValue(
        'Modules with custom task kinds: package names, or paths that start with a dot.',
        stringValue('Module.'),
        { examples: [['./plugins/slugify.js']] },
      ),
      ...authProfileSchemas,
    }),
    tasks: section('Work that journeys may give to workers of yours.', {
      activities: mapValue(
        'Task queue → types of activities that `activity:v1` may run there. Queues and activities of Journeyman itself are refused.',
        listValue('Types.', stringValue('Type.', { pattern: '^\\S+$' }), { uniqueItems: true }),
        { examples: [{ payments: ['ChargeCard', 'RefundCard'] }] },
      ),
      workflows: mapValue(
        'Task queue → types of workflows that `workflow:v1` may start there. Queues and workflows of Journeyman itself are refused.',
        listValue('Types.', stringValue('Type.', { pattern: '^\\S+$' }), { uniqueItems: true }),
        { examples: [{ shipping: ['ShipOrder'] }] },
      ),
    }),
    platform: section('Values that journeys see as `platform`.', {
      environment: stringValue('Name of this environment.', { default: 'dev' }),
      timezone: stringValue('IANA zone for `now()` and values without a zone, in DataWeave.', { default: 'UTC' }),
      config: mapValue(
        'Journey → key → value, for the keys its `spec.platform.config` declares; `*` is for all journeys. Never secrets.',
        { type: 'object' },
        {
          examples: [{ '*': { shop: 'https://shop.staging.example.com' }, 'order-risk': { threshold: 0.8 } }],
        },
      ),
    }),
    secrets: mapValue(
      'Reference, such as `secret://…` → source of its value. Literal values are not allowed.',
      secretSource('Source of its value.'),
      {
        propertyNames: { pattern: '^\\S+$' },
        examples: [{ 'secret://oauth/orders': { env: 'ORDERS_CLIENT_SECRET' } }],
      },
    ),
    cache: section('Cache of `cache:v1` tasks. Without `redis`, each process has its own cache in memory.', {
      redis: stringValue('URL of a Redis that all workers and gateways share; `rediss://` means TLS.', {
        pattern: '^rediss?://[^\\s]+$',
        examples: ['redis://cache.internal:6379/0'],
      }),
      redisPassword: secretSource('Its password.'),
      prefix: stringValue('Prefix of its keys.', { default: 'journeyman:' }),
      ttlSeconds: countValue('Default time to live of a value in seconds.', 3_600),
      maxEntries: countValue('Maximum number of values in memory.', 10_000),
      maxBytes: countValue('Maximum size of the values in memory, in bytes.', 67_108_864),
      timeoutMs: countValue('Milliseconds after which Redis counts as unavailable.', 1_000),
    }),
    kafka: section('Default Kafka connection of `kafkaPublish:v1` tasks.', {
      brokers: listValue(
        '`host:port` of brokers that need no credentials.',
        stringValue('A broker.', { pattern: '^[^\\s/]+:[0-9]+$' }),
        {
          examples: [['kafka.internal:9092']],
        },
      ),
      connection: secretSource(
        'A connection as JSON, with its credentials: brokers, clientId, tls, sasl. Instead of brokers.',
      ),
      timeoutMs: countValue('Timeout for publishing an event in milliseconds, retries included.', 30_000),
    }),
    encryption: section('Encryption of all payloads of runs and schedules that Temporal stores.', {
      keys: listValue(
        'Keys of 32 bytes in base64 or hex. The first encrypts, all of them decrypt; without any, nothing is encrypted.',
        section(
          'One key.',
          {
            id: stringValue('Its id, stored in plain text with each payload that it encrypts.', {
              pattern: '^[A-Za-z0-9._-]{1,64}$',
            }),
            key: secretSource('Source of its value.'),
          },
          { required: ['id', 'key'] },
        ),
        { examples: [[{ id: '2026-11', key: { file: '/run/secrets/journeyman-2026-11' } }]] },
      ),
      origins: listValue(
        'Origins of Web UIs that may request decryption from the gateway, for operators; the embedded server’s Web UI is always included.',
        stringValue('Origin.', { pattern: origin }),
        { examples: [['https://temporal.example.com']] },
      ),
    }),
    worker: section('The worker that runs journeys.', {
      maxConcurrentWorkflowTasks: countValue(
        'Workflow tasks polled concurrently. They are processed one at a time; runs that have used the worker least come first.',
        200,
        { minimum: 2 },
      ),
      maxConcurrentActivities: countValue('Concurrent ordinary activities.', 100),
      maxConcurrentLocalActivities: countValue('Concurrent local activities.', 100),
      maxCachedWorkflows: countValue(
        'Runs cached in memory between workflow tasks; 0 replays every run from its history.',
        1000,
        {
          minimum: 0,
        },
      ),
      shutdownGraceMs: countValue('Milliseconds for which a stopping worker waits for activities in flight.', 10_000, {
        minimum: 0,
      }),
      healthHost: stringValue('Address of the probe endpoint.', { default: '127.0.0.1' }),
      healthPort: portValue(
        'Port on which `journeyman worker` serves `/healthz`, `/readyz` and `/metrics`; 0 disables it.',
        0,
        0,
      ),
      metricsBeyondLoopback: {
        type: 'boolean',
        description: 'Whether other machines may read `/metrics`, which contains names of journeys and their errors.',
        default: false,
      },
    }),
    log: section('Logging.', {
      level: {
        type: 'string',
        description: 'Minimum level that is logged.',
        enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
        default: 'info',
      },
      format: {
        type: 'string',
        description: '`json` lines, `pretty` text, or `auto`: pretty in a terminal.',
        enum: ['auto', 'json', 'pretty'],
        default: 'auto',
      },
    }),
    schedules: section('Schedules that journeys create, and jobs.', {
      keepExhaustedDays: countValue(
        'Days for which a schedule is kept after its last run, and a job after it was deleted.',
        30,
      ),
      mirror: {
        type: 'boolean',
        description:
          'Whether workers write jobs and their runs as files below each orchestrator’s root. By default, only with the embedded server.',
      },
    }),
    pipelines: section('Pipelines.', {
      deployer: stringValue(
        'Identity that pipelines are deployed under: removing a document pauses its pipeline only if the same deployer deployed it. By default `deployment.name`, else the machine’s name and the folder of documents.',
      ),
      clientsPublish: {
        type: 'boolean',
        description: 'Whether callers with the role `client` may publish events; operators always may.',
        default: false,
      },
      watchSec: countValue(
        'Seconds after which the state of a handler’s journey is polled, in case Temporal did not report its end.',
        600,
      ),
    }),
    orchestrators: mapValue(
      'Id → orchestrator. Every job belongs to one of them; `main` always exists.',
      section('A scope for jobs.', {
        root: pathValue('Its private folder; by default below `orchestrators/` in server.dataDir.'),
        journeys: nameList(
          'Journeys that its jobs may start; `*` means all. By default all for `main`, none for others.',
        ),
        functions: nameList(
          'Functions that its jobs and channels may call; `schedule.*` matches a family, `*` all (the default).',
        ),
        shared: nameList('Shared folders that its inputs may refer to.'),
      }),
      {
        propertyNames: { pattern: scopeName },
        examples: [{ eng: { journeys: ['triage'], functions: ['schedule.*'], shared: ['reports'] } }],
      },
    ),
    channelProfiles: mapValue(
      'Id → channel account, its orchestrator, and the callers that may use it.',
      section(
        'A channel profile.',
        {
          channel: stringValue('Kind of channel.', { enum: ['slack', 'webhook'] }),
          orchestratorId: stringValue('Orchestrator that handles its requests.'),
          timezone: stringValue('Default IANA zone of its requests.'),
          channels: mapValue('Name of a channel → its id.', stringValue('Id.')),
          callers: listValue(
            'Callers of the gateway that may act for this profile, like `key:<id>`; they need the role `channel`.',
            stringValue('Caller.'),
          ),
          slack: section('Settings of a `slack` profile.', {
            token: secretSource('Bot token, for posting and reading threads.'),
            signingSecret: secretSource('Signing secret, for receiving messages.'),
            apiUrl: stringValue('URL of its Web API; https://slack.com/api/ by default.', {
              format: 'uri',
              pattern: '^https?://',
            }),
          }),
          webhook: section('Settings of a `webhook` profile.', {
            url: stringValue('URL that messages are posted to.', { format: 'uri', pattern: '^https?://' }),
            secret: secretSource('Secret that signs outgoing and incoming messages.'),
          }),
        },
        { required: ['channel', 'orchestratorId'] },
      ),
      {
        propertyNames: { pattern: scopeName },
        examples: [
          {
            slack_main: {
              channel: 'slack',
              orchestratorId: 'main',
              channels: { '#team': 'C100' },
              slack: { token: { env: 'SLACK_TOKEN' }, signingSecret: { env: 'SLACK_SIGNING_SECRET' } },
            },
          },
        ],
      },
    ),
    alerts: section(
      'Messages about what needs a person: what the console’s home page shows as a problem, and failed runs of chosen journeys.',
      {
        enabled: {
          type: 'boolean',
          description:
            'Whether gateways look for problems. By default, if `to` has a destination; without one, they are only logged and counted.',
        },
        to: listValue(
          'Destinations of messages.',
          section(
            'A channel.',
            {
              channelProfileId: stringValue('Channel profile that posts.'),
              channelId: stringValue('Slack: id of the channel, or its name in `channels` of the profile.'),
            },
            { required: ['channelProfileId'] },
          ),
          { examples: [[{ channelProfileId: 'slack_main', channelId: '#team' }]] },
        ),
        journeys: listValue(
          'Journeys whose failed runs are reported; `*` stands for any end of a name.',
          journeyPattern,
        ),
        except: listValue('Kinds of problems that are not reported.', {
          type: 'string',
          enum: ['blockedRun', 'pipeline', 'schedule', 'job', 'compensation', 'failedRun'],
        }),
        everySec: countValue('Seconds between two searches.', 30),
        windowSec: countValue(
          'Seconds after a message in which further problems of the same kind are collected, to be sent together.',
          900,
        ),
      },
    ),
    shared: mapValue(
      'Name → folder that orchestrators with access refer to as `shared://<name>/…`.',
      pathValue('Folder.'),
      {
        propertyNames: { pattern: scopeName },
        examples: [{ reports: '/srv/reports' }],
      },
    ),
    limits: section('Limits that protect runs from each other. A run keeps the limits it started with.', {
      expression: section('One evaluation of an expression.', {
        fuel: countValue('Evaluation steps.', defaultLimits.fuel),
        depth: countValue('Nested calls.', defaultLimits.depth),
        stringLength: countValue('Characters of a string.', defaultLimits.stringLength),
        collectionSize: countValue('Items of an array or object.', defaultLimits.collectionSize),
        outputBytes: countValue('Bytes of the result as JSON.', defaultLimits.outputBytes),
        digits: countValue('Digits of a number.', defaultLimits.digits),
      }),
      steps: countValue('Consecutive states without a wait.', 10_000),
      calls: countValue(
        'Budget of calls and timers of a run; a run that exceeds it counts as an endless cycle.',
        1_000,
      ),
      callsPerMinute: countValue('Refill of this budget per minute.', 300, { minimum: 0 }),
      historyEvents: countValue(
        'History events after which a run continues as new; it also does when the server suggests it.',
        2_000,
        { minimum: 20 },
      ),
      contextBytes: countValue(
        'Maximum size of the context that a schedule passes from run to run, in bytes of JSON.',
        262_144,
      ),
      scheduleIntervalSec: countValue('Shortest interval of a schedule that a journey creates, in seconds.', 60),
      backoffSec: countValue(
        'Seconds for which a pipeline consumer sleeps after it reserved nothing, unless an event arrives. Takes effect at the next deployment.',
        300,
        { maximum: 86_400 },
      ),
      metadata: section(
        'Tags and attributes; lengths in characters. Enforced by `validate`, at the start and during the run.',
        {
          definitionTags: countValue('Tags in a document.', defaultMetadataLimits.definitionTags, { maximum: 100 }),
          runTags: countValue('Tags of a run.', defaultMetadataLimits.runTags, { maximum: 100 }),
          tagLength: countValue('Length of a tag.', defaultMetadataLimits.tagLength, { maximum: 1_000 }),
          attributes: countValue('Attributes of a run.', defaultMetadataLimits.attributes, { maximum: 100 }),
          keyLength: countValue('Length of an attribute’s name.', defaultMetadataLimits.keyLength, { maximum: 1_000 }),
          valueLength: countValue('Length of an attribute’s value.', defaultMetadataLimits.valueLength, {
            maximum: 4_000,
          }),
        },
      ),
      duration: section('Deadlines of runs and of Api calls.', {
        defaultSec: {
          type: 'integer',
          description:
            'Default deadline in seconds of a journey without `spec.execution`; it ends with `JOURNEY_TIMEOUT`. No deadline by default.',
          minimum: 1,
        },
        maxSec: {
          type: 'integer',
          description:
            'Upper limit in seconds of every journey, even if its `spec.execution` is longer. No limit by default.',
          minimum: 1,
        },
        compensationSec: {
          type: 'integer',
          description:
            'Deadline of a compensation in seconds; it ends with `COMPENSATION_TIMEOUT`. No limit by default.',
          minimum: 1,
        },
      }),
    }),
  }),
};
