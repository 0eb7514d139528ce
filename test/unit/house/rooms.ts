/** What a room may import: rooms by value, rooms for their types only, and packages. */
export interface Room {
  readonly uses?: readonly string[];
  readonly types?: readonly string[];
  readonly packages?: readonly string[];
}

const core = ['base', 'expressions', 'json-schema', 'engine'];

/**
 * The allowed edges. A room is a folder of `src`, or `workflows` and `activities`; a subfolder with its own entry is a room of its own. Each
 * room uses only rooms above it, so rooms form no cycle. Type imports may point back, because they do not exist at run time.
 */
export const rooms: Readonly<Record<string, Room>> = {
  base: { packages: ['luxon', 'yaml'] },
  expressions: { uses: ['base'], packages: ['decimal.js', 'jsonata', 're2js', '@noble/hashes'] },
  'json-schema': { uses: ['base'], packages: ['re2js'] },
  // Tokens of callback URLs in map items are derived inside the workflow, where Node's crypto does not exist.
  engine: { uses: ['base', 'expressions', 'json-schema'], types: ['language'], packages: ['@noble/hashes'] },
  schedules: { uses: ['base'], packages: ['@temporalio/client', 'luxon'] },
  language: { uses: [...core, 'schedules'], types: ['service'], packages: ['ajv', 'fast-xml-parser', 're2js'] },
  graph: { uses: ['base', 'language'], types: ['engine', 'pipelines'], packages: ['@dagrejs/dagre'] },
  pipelines: { uses: [...core, 'schedules', 'language'], packages: ['@noble/hashes'] },
  workflows: {
    uses: [...core, 'schedules', 'language', 'pipelines'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  // As pure as the rooms above, but chrono-node uses the calendar of the machine, so workflows must not import it.
  'schedules/intents': { uses: ['base', 'schedules'], packages: ['chrono-node'] },
  config: { uses: core, packages: ['ajv', 'yaml', '@temporalio/envconfig'] },
  service: {
    uses: [...core, 'schedules', 'schedules/intents', 'language'],
    types: ['pipelines', 'config'],
    packages: ['ajv'],
  },
  library: { uses: [...core, 'language', 'pipelines', 'service'], types: ['config'], packages: ['yaml'] },
  temporal: {
    uses: [...core, 'schedules', 'language', 'pipelines', 'service', 'config', 'workflows'],
    packages: [
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/envconfig',
      '@temporalio/proto',
      '@temporalio/worker',
    ],
  },
  activities: {
    uses: ['base', 'schedules', 'language', 'config', 'temporal'],
    types: ['engine', 'pipelines', 'service', 'workflows'],
    packages: [
      '@temporalio/activity',
      '@temporalio/client',
      'undici',
      '@redis/client',
      '@platformatic/kafka',
      'tough-cookie',
      're2js',
    ],
  },
  gateway: {
    uses: [...core, 'schedules', 'language', 'graph', 'service', 'config'],
    packages: ['express', 'jose', 'pino', 'pkijs'],
  },
  'gateway/channels': {
    uses: ['base', 'schedules', 'service', 'config'],
    types: ['activities'],
    packages: ['@slack/web-api'],
  },
  scenarios: {
    uses: [...core, 'schedules', 'language', 'pipelines', 'service', 'config', 'library', 'activities', 'gateway'],
    packages: ['@temporalio/client', '@temporalio/common', 'undici', 'yaml'],
  },
  // Browser code that shows data from the HTTP API. None of its imports needs Node (directions.test.ts).
  console: {
    uses: [...core, 'language', 'graph', 'service', 'scenarios'],
    packages: [
      '@codemirror/autocomplete',
      '@codemirror/lang-yaml',
      '@codemirror/language',
      '@codemirror/lint',
      '@codemirror/state',
      '@codemirror/view',
      '@lezer/highlight',
      '@rjsf/core',
      '@rjsf/utils',
      '@tanstack/react-query',
      '@xyflow/react',
      'codemirror',
      'react',
      'react-dom',
      'yaml',
    ],
  },
  app: {
    uses: [
      ...core,
      'language',
      'service',
      'config',
      'library',
      'temporal',
      'activities',
      'gateway',
      'gateway/channels',
    ],
    types: ['scenarios', 'workflows'],
    packages: [
      '@opentelemetry/api',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-base',
      '@temporalio/client',
      '@temporalio/worker',
      'pino',
      'prom-client',
    ],
  },
  cli: {
    uses: [
      ...core,
      'schedules',
      'schedules/intents',
      'language',
      'graph',
      'pipelines',
      'service',
      'config',
      'library',
      'temporal',
      'scenarios',
      'app',
    ],
    packages: ['commander', 'yaml'],
  },
  // The package's `exports`: the only files whose types are published.
  'app/embed': {
    uses: [
      'base',
      'engine',
      'language',
      'graph',
      'service',
      'config',
      'library',
      'temporal',
      'gateway',
      'scenarios',
      'app',
      'cli',
    ],
    types: ['pipelines'],
    packages: ['@temporalio/client', '@temporalio/worker'],
  },
};

/** Rooms that can run inside a workflow: no clock, no randomness, no Node. `biome.json` keeps globals and built-ins out of them. */
export const pure: readonly string[] = [...core, 'schedules', 'language', 'pipelines', 'workflows'];
/** Code that is reserved for one file, and that file. */
export const alone: readonly { what: string; pattern: RegExp; file: string }[] = [
  { what: 'changes a Schedule', pattern: /\.updateSchedule\(/, file: 'src/temporal/schedules/write-schedule.ts' },
  {
    what: 'reaches into the SDK',
    pattern: /from '@temporalio\/(?!workflow)[a-z]+\/lib\//,
    file: 'src/temporal/sdk-internals.ts',
  },
  // The runs of an orchestrator start only through its queue (R3-33, R3-39).
  { what: 'starts the target of a dispatch', pattern: /\bexecuteChild[<(]/, file: 'workflows/dispatch/dispatch.ts' },
  {
    what: 'invokes the target of a dispatch',
    pattern: /targets\.invoke\(/,
    file: 'activities/dispatch/dispatch-activities.ts',
  },
  { what: 'posts to a channel', pattern: /adapter\.post\(/, file: 'activities/dispatch/dispatch-activities.ts' },
  {
    what: 'says what a job starts',
    pattern: /workflowType: dispatchWorkflow\b/,
    file: 'src/temporal/schedules/jobs/dispatch-action.ts',
  },
  // The sandbox has a different SDK.
  {
    what: 'reaches into the SDK',
    pattern: /from '@temporalio\/workflow\/lib\//,
    file: 'workflows/shared/sdk-internals.ts',
  },
];

/** Code that is forbidden everywhere. */
export const never: readonly { what: string; pattern: RegExp }[] = [
  { what: 'updates a Schedule without a conflict token', pattern: /schedule\s*\.getHandle\([^)]*\)\s*\.update\(/ },
];
