import { defaultMetadataLimits } from '../definition/metadata-limits.js';
import { defaultLimits } from '../expressions/expression.js';
import { pluginSchemas } from './profile-schemas.js';
import {
  action,
  count,
  hash,
  journeyPattern,
  jwks,
  list,
  map,
  names,
  origin,
  path,
  port,
  type Schema,
  scopeName,
  secretSource,
  section,
  text,
} from './schema-parts.js';

const role: Schema = { type: 'string', enum: ['client', 'operator', 'channel'] };

/** The configuration file as JSON Schema: its keys, their meaning and every default. `journeyman schema config` prints it. */
export const configSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:journeyman:schema:config',
  title: 'Journeyman configuration',
  ...section('journeyman.config.yaml', {
    server: section('The embedded Temporal server that `journeyman up` starts when no other is named.', {
      dataDir: path('Folder of its database, log and process file.', { default: '.journeyman' }),
      ip: text('Address it binds to.', { default: '127.0.0.1' }),
      port: port('Port of its gRPC service; 0 takes a free one.', 7233, 0),
      uiPort: port('Port of its Web UI; 0 switches the Web UI off.', 8233, 0),
      inMemory: { type: 'boolean', description: 'Keep nothing between starts.', default: false },
      retentionDays: count('Days for which ended runs stay readable.', 90, { maximum: 3650 }),
      args: list('Further arguments for `temporal server start-dev`.', { type: 'string' }),
    }),
    temporal: section(
      "The Temporal service journeys run on. Temporal's own TEMPORAL_* variables and profile file come before these keys.",
      {
        address: text('host:port of a server, cluster or Temporal Cloud; without it the embedded server is used.', {
          examples: ['temporal.example.com:7233'],
        }),
        namespace: text('Namespace of all runs and schedules.', { default: 'default' }),
        taskQueue: text('Task queue of the journey workers.', { default: 'journeyman' }),
        tls: section('TLS towards the service; an empty object means TLS with the public authorities.', {
          disabled: { type: 'boolean', description: 'Connect in plain text even though an API key is set.' },
          serverName: text('Name expected in the certificate of the service.'),
          caFile: path('Certificate authority of the service, as PEM.'),
          certFile: path('Our client certificate, as PEM.'),
          keyFile: path('Key of our client certificate, as PEM.'),
        }),
        apiKey: secretSource('API key for the service; implies TLS.'),
      },
    ),
    gateway: section('The HTTP gateway.', {
      host: text('Address it binds to; beyond loopback it needs authentication.', { default: '127.0.0.1' }),
      port: port('Port it listens on; 0 takes a free one.', 8080, 0),
      bodyLimit: count('Largest request body in bytes.', 1_048_576),
      publicUrl: text('How callers reach the gateway, for the links it hands out.', {
        format: 'uri',
        // Paths are added to it, and it is handed to others: no query, and no password.
        pattern: '^https?://[^/?#@]+(/[^?#]*)?$',
      }),
      callbackDays: count('Days for which a callback URL is good, unless its run must end earlier.', 30, {
        maximum: 3650,
      }),
      auth: section('Who may call. Without any of it, everyone on this machine may.', {
        apiKeys: list(
          'API keys, known by their hash.',
          section(
            'One key.',
            {
              id: text('Name of the caller, for logs.'),
              hash,
              roles: list('What the key may do.', role, { minItems: 1, uniqueItems: true }),
              caller: text('The caller it stands for, if not its `id`: keys that replace each other share their runs.'),
              journeys: {
                type: 'array',
                description: 'Of the role `client`: the journeys and Apis it may know; `order-*` takes a beginning.',
                items: journeyPattern,
                uniqueItems: true,
              },
              actions: {
                type: 'array',
                description: 'Of the role `client`: what it may do; all of it unless given.',
                items: action,
                uniqueItems: true,
              },
              runs: {
                type: 'string',
                description: 'Of the role `client`: the runs it reaches, `own` (those it started) unless given.',
                enum: ['own', 'all'],
              },
            },
            { required: ['id', 'hash', 'roles'] },
          ),
        ),
        jwt: section(
          'Bearer tokens of an identity provider.',
          {
            issuer: text('Expected `iss`.'),
            audience: text('Expected `aud`.'),
            jwksUri: text('Where the provider publishes its keys.', { format: 'uri', pattern: '^https?://' }),
            keys: jwks,
            rolesClaim: text('Claim that lists the caller’s roles; dots go into objects.', { default: 'roles' }),
            roleMap: map(
              'Value of the roles claim → our role; other values stand for the role of the same name.',
              role,
            ),
            journeysClaim: text('Claim that lists the journeys a `client` may know, as `journeys` of a key does.'),
            actionsClaim: text('Claim that lists what a `client` may do: `start`, `read`, `submit`, `cancel`.'),
            runsClaim: text('Claim that says with `all` that a `client` reaches every run.'),
          },
          { required: ['issuer', 'audience'] },
        ),
      }),
      tls: section(
        'HTTPS instead of plain HTTP.',
        {
          certFile: path('Certificate of the gateway and what leads to its root, as PEM.'),
          keyFile: path('Key of the certificate, as PEM.'),
          clientCertificates: text(
            'Whether callers are asked for a certificate, for `mtlsValidate:v1`; `required` ones must come from clientCaFile.',
            { enum: ['none', 'optional', 'required'], default: 'none' },
          ),
          clientCaFile: path('Who issues the certificates of callers, as PEM.'),
        },
        { required: ['certFile', 'keyFile'] },
      ),
      clientCertificate: section(
        'The certificate of the caller, where a proxy ends TLS and passes it on in a header.',
        {
          header: text('The header: PEM, percent-encoded, or as RFC 9440 has it.'),
          proxies: {
            type: 'array',
            description: 'Addresses or CIDR ranges of the proxies that are believed; nobody else is.',
            items: text('Address or range.'),
            minItems: 1,
          },
        },
        { required: ['header', 'proxies'] },
      ),
      requests: section('Requests whose credentials runs may look at. They stay in the memory of the gateway.', {
        keepSec: count('Seconds for which a run may work on a request.', 300),
        maxBytes: count('Bytes of all requests together; a caller may have half of what the others leave.', 67_108_864),
      }),
    }),
    specs: path('Folder of journeys.', { default: './specs' }),
    catalogue: section('OpenAPI documents that journeys refer to.', {
      root: path('Folder that holds them; the specs folder unless given.'),
      overlays: list('OpenAPI overlays applied to them, in order.', path('An overlay file.')),
    }),
    library: section('What is served of the folders.', {
      changedContent: {
        description:
          'What becomes of a journey whose content is not that of the last run of the same name and version: `tell`, `refuse` (it is not served: for production) or `allow`.',
        enum: ['tell', 'refuse', 'allow'],
        default: 'tell',
      },
    }),
    http: section('Calls that journeys make.', {
      rewrite: map(
        'Origin → origin: calls to the first go to the second.',
        { type: 'string', pattern: origin },
        {
          propertyNames: { pattern: origin },
          examples: [{ 'https://api.example.com': 'http://127.0.0.1:9000' }],
        },
      ),
      egress: section('What journeys may reach.', {
        allowLoopback: {
          type: 'boolean',
          description:
            'Whether this machine’s own addresses may be called; unless given, only under `journeyman up` with gateway and server on loopback.',
        },
        allowPrivate: list(
          'Hosts, `host:port`s or CIDR ranges in private networks that may be called.',
          text('Host or range.'),
          {
            examples: [['127.0.0.1:9000', '10.1.0.0/16']],
          },
        ),
        allow: list(
          'If not empty, the only hosts that may be called; `*.example.com` takes subdomains.',
          text('Host.'),
        ),
      }),
      responseLimit: count('Largest response body in bytes.', 1_048_576),
      timeoutMs: count('Milliseconds a call may take when nothing closer says otherwise.', 10_000),
      userAgent: text('The `User-Agent` of calls.', { default: 'journeyman' }),
      mode: map(
        'Origin, or method and origin, → run such calls as `local` or ordinary `activity`, against what their safety suggests.',
        { type: 'string', enum: ['local', 'activity'] },
        {
          propertyNames: { pattern: '^([A-Z]+ )?https?://[^/?#@\\s]+$' },
          examples: [{ 'POST https://search.example.com': 'local' }],
        },
      ),
    }),
    plugins: section('Task kinds of one’s own, and what auth tasks check credentials by.', {
      modules: list(
        'Modules with task kinds of one’s own: names of packages, or paths that begin with a dot.',
        text('Module.'),
        { examples: [['./plugins/slugify.js']] },
      ),
      ...pluginSchemas,
    }),
    platform: section('What journeys see as `platform`.', {
      environment: text('Name of this environment.', { default: 'dev' }),
      timezone: text('IANA zone for `now()` and values without a zone, in DataWeave.', { default: 'UTC' }),
      config: map(
        'Journey → key → value, for the keys its `spec.platform.config` declares.',
        { type: 'object' },
        {
          examples: [{ 'order-risk': { threshold: 0.8 } }],
        },
      ),
    }),
    secrets: map(
      'Reference, such as `secret://…` → where its value comes from. Values themselves are never written here.',
      secretSource('Where it comes from.'),
      {
        propertyNames: { pattern: '^\\S+$' },
        examples: [{ 'secret://oauth/orders': { env: 'ORDERS_CLIENT_SECRET' } }],
      },
    ),
    cache: section('What `cache:v1` reads and writes. Without `redis`, each process keeps its own cache in memory.', {
      redis: text('URL of a Redis that all workers and gateways share; `rediss://` means TLS.', {
        pattern: '^rediss?://[^\\s]+$',
        examples: ['redis://cache.internal:6379/0'],
      }),
      redisPassword: secretSource('Its password.'),
      prefix: text('What its keys begin with.', { default: 'journeyman:' }),
      ttlSeconds: count('Seconds that a value is kept when the task does not say.', 3_600),
      maxEntries: count('Values kept in memory.', 10_000),
      maxBytes: count('Bytes kept in memory.', 67_108_864),
      timeoutMs: count('Milliseconds after which Redis counts as away.', 1_000),
    }),
    kafka: section('Where `kafkaPublish:v1` publishes when a task names no connection.', {
      brokers: list(
        '`host:port` of brokers that ask for no credentials.',
        text('A broker.', { pattern: '^[^\\s/]+:[0-9]+$' }),
        {
          examples: [['kafka.internal:9092']],
        },
      ),
      connection: secretSource(
        'A connection as JSON, with its credentials: brokers, clientId, tls, sasl. Instead of brokers.',
      ),
      timeoutMs: count('Milliseconds in which a publish must succeed, retries included.', 30_000),
    }),
    encryption: section('Encryption of everything that Temporal keeps of runs and schedules.', {
      keys: list(
        'Keys of 32 bytes in base64 or hex. The first encrypts, all of them decrypt; without any, nothing is encrypted.',
        section(
          'One key.',
          {
            id: text('Its name, which stands beside what it encrypted.', { pattern: '^[A-Za-z0-9._-]{1,64}$' }),
            key: secretSource('Where it comes from.'),
          },
          { required: ['id', 'key'] },
        ),
        { examples: [[{ id: '2026-11', key: { file: '/run/secrets/journeyman-2026-11' } }]] },
      ),
      origins: list(
        'Origins of Web UIs that may ask the gateway to decrypt, for operators; the embedded server’s own is one of them.',
        text('Origin.', { pattern: origin }),
        { examples: [['https://temporal.example.com']] },
      ),
    }),
    worker: section('The worker that runs journeys.', {
      maxConcurrentWorkflowTasks: count(
        'Workflow tasks taken at once. One is worked on at a time; whoever has used the worker least goes first among those that were taken.',
        200,
        { minimum: 2 },
      ),
      maxConcurrentActivities: count('Ordinary activities at once.', 100),
      maxConcurrentLocalActivities: count('Local activities at once.', 100),
      maxCachedWorkflows: count('Runs kept in memory between their tasks; 0 replays each from its history.', 1000, {
        minimum: 0,
      }),
      shutdownGraceMs: count('Milliseconds a stopping worker waits for what it has begun.', 10_000, { minimum: 0 }),
      healthHost: text('Address of the endpoint for probes.', { default: '127.0.0.1' }),
      healthPort: port(
        'Port where `journeyman worker` answers `/healthz`, `/readyz` and `/metrics`; 0: nowhere.',
        0,
        0,
      ),
      metricsBeyondLoopback: {
        type: 'boolean',
        description: 'Whether other machines may read `/metrics`, which names journeys and their errors.',
        default: false,
      },
    }),
    log: section('What is logged.', {
      level: {
        type: 'string',
        description: 'Least level that is logged.',
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
    schedules: section('Schedules that journeys make, and jobs.', {
      keepExhaustedDays: count('Days that a schedule stays after its last run, and a job after it was deleted.', 30),
      mirror: {
        type: 'boolean',
        description:
          'Whether workers write jobs and their runs as files below each orchestrator’s root. Unless given: with the embedded server.',
      },
    }),
    pipelines: section('Pipelines, and who may publish events.', {
      deployer: text(
        'In whose name pipelines are deployed: a document that is gone pauses only what the same deployer deployed. Unless given: the machine’s name and the folder of documents.',
      ),
      clientsPublish: {
        type: 'boolean',
        description: 'Whether callers with the role `client` may publish events; operators always may.',
        default: false,
      },
      watchSec: count(
        'Seconds after which the journey of a handler is looked at from outside, because Temporal may not have told its end.',
        600,
      ),
    }),
    orchestrators: map(
      'Id → what belongs to it. `main` is there without being named. Jobs live in one of them.',
      section('A scope for jobs.', {
        root: path('The folder that is its own; below `orchestrators/` in server.dataDir unless given.'),
        journeys: names(
          'Journeys that its jobs may start; `*` stands for all. Unless given: all for `main`, else none.',
        ),
        functions: names(
          'Functions that its jobs and channels may call; `schedule.*` takes a family, `*` all, as unless given.',
        ),
        shared: names('Shared folders that inputs may refer to.'),
      }),
      {
        propertyNames: { pattern: scopeName },
        examples: [{ eng: { journeys: ['triage'], functions: ['schedule.*'], shared: ['reports'] } }],
      },
    ),
    channelProfiles: map(
      'Id → an account of a channel, the orchestrator it belongs to, and who speaks for it.',
      section(
        'A way in and out.',
        {
          channel: text('The kind of channel.', { enum: ['slack', 'webhook'] }),
          orchestratorId: text('The orchestrator that requests from here are for.'),
          timezone: text('IANA zone that people here mean when they name none.'),
          channels: map('What people call a channel → its id there.', text('Id.')),
          callers: list(
            'Callers of the gateway that speak for this profile, like `key:<id>`; they need the role `channel`.',
            text('Caller.'),
          ),
          slack: section('What a profile of the channel `slack` needs.', {
            token: secretSource('The bot token, to post and to read threads.'),
            signingSecret: secretSource('The signing secret, to listen.'),
            apiUrl: text('Where its Web API is; https://slack.com/api/ unless given.', {
              format: 'uri',
              pattern: '^https?://',
            }),
          }),
          webhook: section('What a profile of the channel `webhook` needs.', {
            url: text('Where messages are posted.', { format: 'uri', pattern: '^https?://' }),
            secret: secretSource('Signs what is posted and what comes in.'),
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
    shared: map(
      'Name → folder that orchestrators may be allowed to refer to as `shared://<name>/…`.',
      path('Folder.'),
      {
        propertyNames: { pattern: scopeName },
        examples: [{ reports: '/srv/reports' }],
      },
    ),
    limits: section('Bounds that keep one run from harming others. A run keeps those it began with.', {
      expression: section('One evaluation of an expression.', {
        fuel: count('Evaluation steps.', defaultLimits.fuel),
        depth: count('Nested calls.', defaultLimits.depth),
        stringLength: count('Characters of a string.', defaultLimits.stringLength),
        collectionSize: count('Items of an array or object.', defaultLimits.collectionSize),
        outputBytes: count('Bytes of the result as JSON.', defaultLimits.outputBytes),
        digits: count('Digits of a number.', defaultLimits.digits),
      }),
      steps: count('States a run may pass without waiting for anything.', 10_000),
      calls: count('Calls and timers a run may make in a row; beyond them a cycle is taken for endless.', 1_000),
      callsPerMinute: count('How many of them come back every minute.', 300, { minimum: 0 }),
      historyEvents: count(
        'Events after which a long run goes on with a fresh history; the server’s own suggestion counts too.',
        2_000,
        { minimum: 20 },
      ),
      contextBytes: count('Bytes of the context that a schedule hands from run to run, as JSON.', 262_144),
      scheduleIntervalSec: count('Seconds between two runs of a schedule that a journey makes, at least.', 60),
      metadata: section(
        'Tags and attributes; lengths in characters. More is refused by `validate`, at the start, or in the run.',
        {
          definitionTags: count('Tags in a document.', defaultMetadataLimits.definitionTags, { maximum: 100 }),
          instanceTags: count('Tags of a run.', defaultMetadataLimits.instanceTags, { maximum: 100 }),
          tagLength: count('Length of a tag.', defaultMetadataLimits.tagLength, { maximum: 1_000 }),
          attributes: count('Attributes of a run.', defaultMetadataLimits.attributes, { maximum: 100 }),
          keyLength: count('Length of an attribute’s name.', defaultMetadataLimits.keyLength, { maximum: 1_000 }),
          valueLength: count('Length of an attribute’s value.', defaultMetadataLimits.valueLength, { maximum: 4_000 }),
        },
      ),
      duration: section('Deadlines of runs and of calls of Apis.', {
        defaultSec: {
          type: 'integer',
          description:
            'Seconds for a journey that has no `spec.execution`; it ends with `JOURNEY_TIMEOUT`. Unless given: no deadline.',
          minimum: 1,
        },
        maxSec: {
          type: 'integer',
          description:
            'Seconds that no journey may exceed, whatever its `spec.execution` says. Unless given: no bound.',
          minimum: 1,
        },
      }),
    }),
  }),
};
