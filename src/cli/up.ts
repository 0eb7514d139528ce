import { randomUUID } from 'node:crypto';
import { basename, relative } from 'node:path';
import type { Command } from 'commander';
import { type DeployLine, type DeployOptions, deployPipelines, deployProblem } from '../app/deploy-pipelines.js';
import { missingSecrets, missingSecretText } from '../app/missing-secrets.js';
import { type ProcessPart, runUntilStopped } from '../app/run-until-stopped.js';
import { safe } from '../app/safe-terminal-text.js';
import type { Json, JsonObject } from '../base/json/value.js';
import { refuse } from '../base/problems/problem.js';
import type { Config } from '../config/config-types.js';
import { validate } from '../json-schema/validate.js';
import { type FolderLibrary, firstErrors } from '../library/read-library.js';
import { entriesOf, LiveLibrary } from '../library/reloading-library.js';
import { watchPaths } from '../library/watch-files.js';
import type { StandIn } from '../scenarios/live/stand-in-server.js';
import { schemaSample } from '../scenarios/simulate/schema-samples.js';
import { auditedPipelines } from '../service/audit/audited-pipelines.js';
import { missingConfigKeys } from '../service/check-platform-config.js';
import { type RunningServer, startServer } from '../temporal/server/start-server.js';
import { assertPortFree } from '../temporal/server/tcp-ports.js';
import { findingCount, printFindings } from './author/print-findings.js';
import { commandWithConfig, serviceConfigOf } from './options.js';
import { deployLine } from './pipeline/pipeline-text.js';
import { ProgressLine, table } from './tables-progress-and-failures.js';
import { terminalAudit, terminalUser } from './terminal-user-and-audit.js';

/** `journeyman up`: runs server, worker and gateway in one terminal. */
export function upCommand(): Command {
  return commandWithConfig('up')
    .description(
      'Run everything in one terminal: a Temporal server (found, or installed on first use), a worker and the HTTP gateway.\n' +
        'With TEMPORAL_ADDRESS set, that service is used instead. Ctrl-C stops all of it; the next start resumes unfinished runs.',
    )
    .option('--take-over', 'replace pipelines that were deployed from another folder')
    .option('--watch', 'reload journeys, pipelines and OpenAPI documents within a second of a change')
    .addHelpText(
      'after',
      `
Examples:
  $ journeyman up
  $ journeyman up --watch
  $ JOURNEYMAN_GATEWAY_PORT=9090 journeyman up --config staging.config.yaml`,
    )
    .action(async (options: UpOptions) => up(serviceConfigOf(options), options));
}

interface UpOptions {
  config?: string;
  watch?: true;
  takeOver?: true;
}

async function up(configured: Config, { watch, takeOver }: UpOptions): Promise<void> {
  // The server starts while the rest of the program loads.
  const starting = startServerIfNeeded(configured);
  const [{ createLog }, { prepareNamespace }, { startGateway }, { startWorker }, { contentDriftAt }, standIn, server] =
    await Promise.all([
      import('../app/telemetry/log.js'),
      import('../app/prepare-namespace.js'),
      import('../app/start-gateway.js'),
      import('../app/worker/start-worker.js'),
      import('../app/content-drift.js'),
      openStandIn(configured),
      starting,
    ]);
  // An explicit rewrite takes precedence over the stand-in.
  const { http } = configured;
  const config = standIn
    ? { ...configured, http: { ...http, rewrite: { ...standIn.rewrite, ...http.rewrite } } }
    : configured;
  const log = createLog(config);
  const parts: ProcessPart[] = server ? [serverPart(server)] : [];
  if (standIn) parts.unshift({ name: 'stand-in', running: new Promise(() => undefined), stop: () => standIn.close() });
  let worker: Promise<ProcessPart> | undefined;
  try {
    const address = await prepareNamespace(config, server?.address);
    await refuseForeignWorkers(config, address);
    // The worker loads its bundle in another thread while the journeys are read.
    const reading = LiveLibrary.open(config);
    worker = startWorker(config, log, { address: server?.address, together: true, library: () => reading });
    worker.catch(() => undefined);
    const library = await reading;
    printFindings(library);
    const changed = await contentDriftAt(config, library, { address: server?.address });
    printFindings({ findings: changed }, 'warning');
    const gateway = await startGateway(config, library, log, server?.address, true);
    parts.unshift(gateway);
    parts.splice(1, 0, await worker);
    const deployed = await deployAll(config, library, server?.address, { ...(takeOver && { takeOver }) }).catch(
      undeployed,
    );
    announce(config, library, { url: gateway.url, address, server, standIn });
    for (const line of deployed) if ('problem' in line || 'pause' in line) console.error(deployLine(line));
    if (watch) parts.unshift(watching(config, library, server?.address, contentDriftAt));
  } catch (error) {
    const late = await worker?.catch(() => undefined);
    if (late && !parts.includes(late)) parts.unshift(late);
    for (const part of parts) await part.stop();
    throw error;
  }
  await runUntilStopped(parts, log);
}

/** Refuses to poll a task queue that a worker with another specs folder polls: this worker would run its tasks with the wrong configuration. */
async function refuseForeignWorkers(config: Config, address: string): Promise<void> {
  const [{ connect }, { foreignPollers, pollerText }, { pollersOf }] = await Promise.all([
    import('../temporal/connection.js'),
    import('../temporal/worker/worker-identity.js'),
    import('../temporal/queue-pollers.js'),
  ]);
  const { client, close } = await connect(config, { address });
  const { taskQueue } = config.temporal;
  const { pollers } = await pollersOf(client, taskQueue).finally(close);
  const [foreign] = foreignPollers(config, pollers);
  if (!foreign) return;
  refuse(
    'TASK_QUEUE_IN_USE',
    `A worker with another specs folder polls the task queue ${taskQueue}: ${pollerText(foreign)}.`,
    {
      pointer: '/deployment/name',
      hint: 'Name this installation with deployment.name in journeyman.config.yaml, or JOURNEYMAN_DEPLOYMENT_NAME. A worker that has just stopped is still listed for about a minute.',
    },
  );
}

async function startServerIfNeeded(config: Config): Promise<RunningServer | undefined> {
  const { host, port } = config.gateway;
  // Fails early: the gateway binds its port long after the server has started.
  const check = async () => {
    if (port !== 0) await assertPortFree(host, port, 'gateway.port');
  };
  if (config.temporal.address !== undefined) {
    await check();
    return undefined;
  }
  const progress = new ProgressLine(process.stderr);
  try {
    return await startServer(config, { check, onProgress: (step) => progress.update(step) });
  } finally {
    progress.clear();
  }
}

/** Starts the stand-in that the specs folder declares, if any, provided that journeys may call this machine. */
async function openStandIn(config: Config): Promise<StandIn | undefined> {
  const [{ mayCallLoopback }, { startStandIn }] = await Promise.all([
    import('../app/outbound-http.js'),
    import('../scenarios/live/stand-in-server.js'),
  ]);
  if (!mayCallLoopback(config, true)) return undefined;
  return await startStandIn(config.specs, (findings) => printFindings({ findings }));
}

/** Prints why no pipeline was deployed: everything else runs, so `up` continues. */
function undeployed(error: unknown): DeployLine[] {
  const { code, detail, title, hint } = deployProblem(error);
  console.error(safe(`The pipelines could not be deployed. ${code}: ${detail ?? title}${hint ? ` (${hint})` : ''}`));
  return [];
}

/** Deploys the pipelines of the folder. A failed deployment does not stop the others. */
async function deployAll(
  config: Config,
  library: FolderLibrary,
  address: string | undefined,
  options: Pick<DeployOptions, 'only' | 'takeOver'>,
): Promise<DeployLine[]> {
  const [{ connect }, { TemporalPipelines }] = await Promise.all([
    import('../temporal/connection.js'),
    import('../temporal/pipelines/temporal-pipelines.js'),
  ]);
  const { client, close } = await connect(config, address === undefined ? {} : { address });
  const progress = new ProgressLine(process.stderr);
  try {
    const pipelines = new TemporalPipelines(client, config);
    const audited = auditedPipelines(pipelines, terminalAudit(config), terminalUser(), randomUUID());
    return await deployPipelines(config, library, audited, {
      ...options,
      onProgress: (name) => progress.update({ message: `Deploying ${name}` }),
    });
  } finally {
    progress.clear();
    await close();
  }
}

type CheckContent = typeof import('../app/content-drift.js').contentDriftAt;

/** Reloads changed documents and prints each change. A document with errors keeps its last valid version. */
function watching(
  config: Config,
  library: LiveLibrary,
  address: string | undefined,
  checkContentAt: CheckContent,
): ProcessPart {
  const { specs, catalogue } = config;
  const root = catalogue.root === undefined ? [] : [catalogue.root];
  const folders = [...new Set([specs, ...root, ...catalogue.overlays])];
  const changed = async (): Promise<void> => {
    const from = performance.now();
    const change = await library.reload();
    const took = `${Math.round(performance.now() - from)} ms`;
    printFindings(change, 'warning');
    for (const file of change.removed) console.log(safe(`${file} was deleted; its errors no longer apply`));
    for (const file of change.mended) console.log(safe(`${file} no longer has errors`));
    for (const { name, version } of change.changed.map(({ definition }) => definition))
      console.log(safe(`Serving ${name} ${version} (${took})`));
    for (const name of change.gone) console.log(safe(`Stopped serving ${name}`));
    for (const { file } of firstErrors(change.findings)) console.error(safe(staysText(file, library)));
    for (const key of missingConfigKeys(config, change.changed)) console.error(safe(`Missing or invalid: ${key}`));
    for (const it of missingSecrets(config, [...change.changed, ...change.pipelines]))
      if (it.usedBy.length > 0) console.error(safe(`Missing: ${missingSecretText(it)}`));
    printFindings({ findings: await checkContentAt(config, library, { address, entries: change.changed }) }, 'warning');
    const names = change.pipelines.map(({ definition }) => definition.name);
    if (names.length === 0) return;
    for (const line of await deployAll(config, library, address, { only: names })) console.log(deployLine(line));
  };
  const watcher = watchPaths(folders, () =>
    changed().catch((error) => console.error(safe(`Cannot read the folders: ${(error as Error).message}`))),
  );
  console.log(
    `\nWatching ${folders.map((it) => relative('.', it) || '.').join(', ')}: changes are served immediately.`,
  );
  return { name: 'watcher', running: new Promise(() => undefined), stop: async () => watcher.close() };
}

/** The consequence of errors in a file for its document. */
function staysText(file: string, library: LiveLibrary): string {
  const last = entriesOf(library).find((it) => 'file' in it && basename(String(it.file)) === file)?.definition;
  return last
    ? `${file} has errors: the gateway keeps serving the last valid ${last.name} ${last.version}; commands such as run start read the file and reject it`
    : `${file} has errors and is not served`;
}

function serverPart(server: RunningServer): ProcessPart {
  const ended = (code: number | null) =>
    refuse(
      'TEMPORAL_SERVER_FAILED',
      `The Temporal server exited unexpectedly${code === null ? '' : ` with code ${code}`}.`,
      {
        hint: `Its log is ${server.logFile}. The next start resumes unfinished runs.`,
      },
    );
  return { name: 'Temporal server', running: server.exited.then(ended), stop: () => server.stop() };
}

function announce(
  config: Config,
  library: FolderLibrary,
  {
    url,
    address,
    server,
    standIn,
  }: { url: string; address: string; server: RunningServer | undefined; standIn: StandIn | undefined },
): void {
  const apis = library.apis().map(({ definition }) => definition.name);
  const pipelines = library.pipelines().map(({ definition }) => definition.name);
  const findings = findingCount(library.findings);
  const missing = missingConfigKeys(config, entriesOf(library));
  const rows = [
    ['Gateway', url],
    ['Temporal', `${address}${server ? ` (CLI ${server.version}, log in ${relative('.', server.logFile)})` : ''}`],
    ...(server?.uiUrl ? [['Web UI', server.uiUrl]] : []),
    ...(standIn ? [['Stand-in', `${standIn.url} (for ${Object.keys(standIn.rewrite).length} services)`]] : []),
    ['Journeys', library.names().join(', ') || `none in ${config.specs}`],
    ...(apis.length > 0 ? [['Apis', apis.join(', ')]] : []),
    ...(pipelines.length > 0 ? [['Pipelines', pipelines.join(', ')]] : []),
    ...(findings === undefined ? [] : [['Findings', `${findings}: run journeyman validate for details`]]),
    ...(missing.length === 0 ? [] : [['Missing', `${missing.join(', ')} (required configuration)`]]),
    ...missingSecrets(config, [...entriesOf(library), ...library.pipelines()]).map((it) => [
      'Missing',
      safe(missingSecretText(it)),
    ]),
  ];
  console.log(table(rows));
  const [name] = library.names().includes('hello') ? ['hello'] : library.names();
  const journey = name === undefined ? undefined : library.find(name);
  if (!journey) return;
  const body = JSON.stringify(acceptedInput(journey.definition.input?.schema ?? {}));
  const start = `${url}/api/v1/journeys/${name}/start`;
  // Escapes quotes for the shell.
  console.log(`\nTry:\n  curl -s ${start} -H 'content-type: application/json' -d '${body.replaceAll("'", "'\\''")}'`);
}

/** Returns a value that the schema accepts, if one is found: with the required fields only, or with all fields. */
export function acceptedInput(schema: Json): Json {
  const samples = [sampleInput(schema), schemaSample(schema) ?? {}];
  return samples.find((it) => validate(schema, it).length === 0) ?? samples[0]!;
}

/** Returns a value that the schema probably accepts: its first example, its default, else the smallest value of its type. */
export function sampleInput(schema: Json, name = 'text'): Json {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return {};
  const { examples, enum: values, type, items = {} } = schema;
  const [given] = [...list(examples), ...['default', 'const'].flatMap((key) => schema[key] ?? []), ...list(values)];
  if (given !== undefined) return given;
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return name;
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return Math.max(1, typeof schema.minimum === 'number' ? schema.minimum : 1);
    case 'array':
      return Number(schema.minItems ?? 0) > 0 ? [sampleInput(items, name)] : [];
    default:
      return Object.fromEntries(
        list(schema.required).map((key) => [key, sampleInput(property(schema, String(key)), String(key))]),
      );
  }
}

function property({ properties }: JsonObject, key: string): Json {
  const known = properties as JsonObject | undefined;
  return known && Object.hasOwn(known, key) ? known[key]! : { type: 'string' };
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
