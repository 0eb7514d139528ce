/** What one folder may import: rooms by value, rooms for their types alone, and packages. */
export interface Room {
  readonly uses?: readonly string[];
  readonly types?: readonly string[];
  readonly packages?: readonly string[];
}

const toolkit = ['json', 'time', 'problems'];
const core = [...toolkit, 'document', 'definition', 'expressions', 'json-schema'];

/**
 * The allowed edges. A room is a folder of `src`, or `workflows` and `activities`. Read from top to bottom: each room uses only what
 * stands above it, so there is no cycle between rooms either; types may look back, because nothing of them is left at run time.
 */
export const rooms: Readonly<Record<string, Room>> = {
  json: {},
  time: { uses: ['json'] },
  problems: { uses: ['json'] },
  document: { uses: toolkit, packages: ['yaml'] },
  expressions: { uses: toolkit, packages: ['decimal.js', 'jsonata', 're2js', '@noble/hashes'] },
  'json-schema': { uses: toolkit, packages: ['re2js'] },
  definition: { uses: ['json'], types: ['states'] },
  reading: { uses: core, packages: ['re2js'] },
  engine: { uses: core },
  scheduling: { uses: [...toolkit, 'document'], packages: ['@temporalio/client'] },
  tasks: { uses: [...core, 'reading', 'engine', 'scheduling'], types: ['service'], packages: ['fast-xml-parser'] },
  states: { uses: [...core, 'reading', 'engine'] },
  language: { uses: [...core, 'reading', 'states', 'tasks'], types: ['engine'], packages: ['ajv', 're2js'] },
  exports: { uses: [...core, 'states'] },
  compare: { uses: [...core, 'states'] },
  pipelines: {
    uses: [...core, 'reading', 'engine', 'scheduling', 'states', 'language'],
    packages: ['@noble/hashes'],
  },
  workflows: {
    uses: [...core, 'engine', 'scheduling', 'states', 'tasks', 'language', 'pipelines'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  // As pure as the rooms above, but chrono-node counts days on the machine's own calendar: no workflow may reach it.
  intents: { uses: [...toolkit, 'scheduling'], packages: ['chrono-node'] },
  service: { uses: [...core, 'engine', 'scheduling', 'states', 'intents'], types: ['pipelines'], packages: ['ajv'] },
  config: {
    uses: [...toolkit, 'document', 'expressions', 'definition', 'json-schema'],
    packages: ['ajv', 'yaml', '@temporalio/envconfig'],
  },
  // Checks tokens, keys and certificates: the gateway's own callers, and those that journeys ask about.
  credentials: { uses: [...toolkit, 'config'], types: ['service', 'tasks'], packages: ['jose', 'pkijs'] },
  cookies: { uses: ['json', 'problems', 'config'], types: ['tasks', 'service'], packages: ['tough-cookie', 're2js'] },
  library: {
    uses: [...core, 'reading', 'language', 'pipelines', 'service', 'tasks'],
    types: ['config'],
    packages: ['yaml'],
  },
  temporal: {
    uses: [...core, 'engine', 'scheduling', 'states', 'pipelines', 'service', 'config', 'workflows'],
    packages: [
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/envconfig',
      '@temporalio/proto',
      '@temporalio/worker',
    ],
  },
  activities: {
    uses: [...toolkit, 'tasks', 'scheduling', 'temporal'],
    types: ['config', 'engine', 'pipelines', 'service', 'workflows'],
    packages: ['@temporalio/activity', '@temporalio/client', 'undici', '@redis/client', '@platformatic/kafka'],
  },
  'in-process': { uses: [...core, 'engine', 'states', 'tasks', 'language', 'service'], types: ['config'] },
  channels: {
    uses: [...toolkit, 'scheduling', 'service', 'config'],
    types: ['activities'],
    packages: ['@slack/web-api'],
  },
  gateway: {
    uses: [...core, 'scheduling', 'exports', 'service', 'config', 'credentials'],
    packages: ['express', 'jose', 'pino'],
  },
  scenarios: {
    uses: [
      ...core,
      'cookies',
      'engine',
      'scheduling',
      'states',
      'tasks',
      'language',
      'pipelines',
      'service',
      'config',
      'credentials',
      'library',
    ],
    types: ['reading'],
    packages: ['@temporalio/client', '@temporalio/common', 'undici', 'yaml'],
  },
  app: {
    uses: [
      'activities',
      'channels',
      'config',
      'cookies',
      'credentials',
      'gateway',
      'in-process',
      'language',
      'library',
      'service',
      'states',
      'temporal',
      ...core,
    ],
    types: ['scenarios', 'tasks', 'workflows'],
    packages: ['@temporalio/client', '@temporalio/worker', 'pino', 'prom-client'],
  },
  cli: {
    uses: [
      'app',
      'compare',
      'config',
      'exports',
      'intents',
      'language',
      'library',
      'pipelines',
      'scenarios',
      'scheduling',
      'service',
      'states',
      'temporal',
      ...core,
    ],
    types: ['tasks'],
    packages: ['commander', 'yaml'],
  },
};

/** Rooms that can run inside a workflow: no clock, no randomness, no Node. `biome.json` keeps globals and built-ins out of them. */
export const pure: readonly string[] = [
  ...core,
  'reading',
  'engine',
  'scheduling',
  'tasks',
  'states',
  'language',
  'exports',
  'compare',
  'pipelines',
  'workflows',
];

/** Things that one file alone may do, and which. */
export const alone: readonly { what: string; pattern: RegExp; file: string }[] = [
  { what: 'changes a Schedule', pattern: /\.updateSchedule\(/, file: 'src/temporal/schedules/change.ts' },
  {
    what: 'reaches into the SDK',
    pattern: /from '@temporalio\/(?!workflow)[a-z]+\/lib\//,
    file: 'src/temporal/sdk.ts',
  },
  // What an orchestrator runs is reached through its queue, and in no other way (R3-33, R3-39).
  { what: 'starts the target of a dispatch', pattern: /\bexecuteChild[<(]/, file: 'workflows/dispatch.ts' },
  { what: 'invokes the target of a dispatch', pattern: /targets\.invoke\(/, file: 'activities/dispatch/activities.ts' },
  { what: 'posts to a channel', pattern: /adapter\.post\(/, file: 'activities/dispatch/activities.ts' },
  {
    what: 'says what a job starts',
    pattern: /workflowType: dispatchWorkflow\b/,
    file: 'src/temporal/jobs/action.ts',
  },
  // The sandbox has an SDK of its own.
  { what: 'reaches into the SDK', pattern: /from '@temporalio\/workflow\/lib\//, file: 'workflows/sdk.ts' },
];

/** Things that nobody may do. */
export const never: readonly { what: string; pattern: RegExp }[] = [
  { what: 'updates a Schedule without a conflict token', pattern: /schedule\s*\.getHandle\([^)]*\)\s*\.update\(/ },
];
