import { randomUUID } from 'node:crypto';
import { basename, relative } from 'node:path';
import type { Command } from 'commander';
import { missingSecrets, missingSecretText } from '../app/missing-secrets.js';
import { type Part, untilStopped } from '../app/parts.js';
import { type DeployLine, deployPipelines } from '../app/pipelines.js';
import { safe } from '../app/terminal.js';
import type { Config } from '../config/config.js';
import { type FolderLibrary, firstErrors } from '../library/library.js';
import { entriesOf, LiveLibrary } from '../library/live.js';
import { watchPaths } from '../library/watch.js';
import { refuse } from '../problems/problem.js';
import { auditedPipelines } from '../service/audited-pipelines.js';
import { misconfigured } from '../service/platform-config.js';
import { assertPortFree } from '../temporal/server/ports.js';
import { type RunningServer, startServer } from '../temporal/server/start.js';
import { counted, printFindings } from './findings.js';
import { terminalAudit, whoami } from './operator.js';
import { configOf, configured } from './options.js';
import { ProgressLine, table } from './output.js';
import { deployLine } from './pipeline-text.js';
import { sampleOf } from './sample.js';

/** `journeyman up`: server, worker and gateway in one terminal. */
export function upCommand(): Command {
  return configured('up')
    .description(
      'Runs everything in one terminal: a Temporal server (found, or installed on first use), a worker and the HTTP gateway.\n' +
        'With TEMPORAL_ADDRESS set, that service is used instead. Ctrl-C stops all of it; the next start resumes what was running.',
    )
    .option(
      '--watch',
      'serve what changes in the folders of journeys, pipelines and OpenAPI documents, within a second',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ journeyman up
  $ journeyman up --watch
  $ JOURNEYMAN_GATEWAY_PORT=9090 journeyman up --config staging.config.yaml`,
    )
    .action(async (options: { config?: string; watch?: true }) => up(configOf(options), options.watch === true));
}

async function up(config: Config, watched: boolean): Promise<void> {
  // The server starts while the rest of the program is still loading.
  const starting = startServerIfNeeded(config);
  const [{ createLog }, { prepareNamespace }, { startGateway }, { startWorker }, { checkContentAt }, server] =
    await Promise.all([
      import('../app/log.js'),
      import('../app/namespace.js'),
      import('../app/gateway.js'),
      import('../app/worker.js'),
      import('../app/served.js'),
      starting,
    ]);
  const log = createLog(config);
  const parts: Part[] = server ? [serverPart(server)] : [];
  let worker: Promise<Part> | undefined;
  try {
    const address = await prepareNamespace(config, server?.address);
    // The worker loads its bundle in a thread of its own while the journeys are read.
    const reading = LiveLibrary.open(config);
    worker = startWorker(config, log, { address: server?.address, together: true, library: reading });
    worker.catch(() => undefined);
    const library = await reading;
    printFindings(library);
    const changed = await checkContentAt(config, library, { address: server?.address });
    printFindings({ findings: changed }, 'warning');
    const gateway = await startGateway(config, library, log, server?.address, true);
    parts.unshift(gateway);
    parts.splice(1, 0, await worker);
    const deployed = await deployAll(config, library, server?.address);
    announce(config, library, gateway.url, address, server);
    for (const line of deployed) if ('problem' in line) console.error(deployLine(line));
    if (watched) parts.unshift(watching(config, library, server?.address, checkContentAt));
  } catch (error) {
    const late = await worker?.catch(() => undefined);
    if (late && !parts.includes(late)) parts.unshift(late);
    for (const part of parts) await part.stop();
    throw error;
  }
  await untilStopped(parts, log);
}

async function startServerIfNeeded(config: Config): Promise<RunningServer | undefined> {
  const { host, port } = config.gateway;
  // The gateway binds it long after the server has started, which would then have been for nothing.
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

/** Deploys the pipelines of the folder; one that cannot be deployed keeps nothing else from running. */
async function deployAll(
  config: Config,
  library: FolderLibrary,
  address: string | undefined,
  only?: readonly string[],
): Promise<DeployLine[]> {
  const [{ connect }, { TemporalPipelines }] = await Promise.all([
    import('../temporal/connection.js'),
    import('../temporal/pipelines/pipelines.js'),
  ]);
  const { client, close } = await connect(config, address === undefined ? {} : { address });
  const progress = new ProgressLine(process.stderr);
  try {
    const pipelines = new TemporalPipelines(client, config);
    const audited = auditedPipelines(pipelines, terminalAudit(config), whoami(), randomUUID());
    return await deployPipelines(config, library, audited, {
      ...(only && { only }),
      onProgress: (name) => progress.update({ message: `Deploying ${name}` }),
    });
  } finally {
    progress.clear();
    await close();
  }
}

type CheckContent = typeof import('../app/served.js').checkContentAt;

/** Serves what changes in the folders, and says so. What is broken stays what it was. */
function watching(
  config: Config,
  library: LiveLibrary,
  address: string | undefined,
  checkContentAt: CheckContent,
): Part {
  const { specs, catalogue } = config;
  const root = catalogue.root === undefined ? [] : [catalogue.root];
  const folders = [...new Set([specs, ...root, ...catalogue.overlays])];
  const changed = async (): Promise<void> => {
    const from = performance.now();
    const change = await library.reload();
    const took = `${Math.round(performance.now() - from)} ms`;
    printFindings(change);
    for (const file of change.removed) console.log(safe(`${file} is gone, and its errors with it`));
    for (const file of change.mended) console.log(safe(`${file} has no errors any more`));
    for (const { name, version } of change.changed.map(({ definition }) => definition))
      console.log(safe(`Serves ${name} ${version} (${took})`));
    for (const name of change.gone) console.log(safe(`Serves ${name} no more`));
    for (const { file } of firstErrors(change.findings)) console.error(safe(staysText(file, library)));
    for (const key of misconfigured(config, change.changed)) console.error(safe(`Missing or wrong: ${key}`));
    for (const it of missingSecrets(config, change.changed))
      if (it.usedBy.length > 0) console.error(safe(`Missing: ${missingSecretText(it)}`));
    printFindings({ findings: await checkContentAt(config, library, { address, entries: change.changed }) }, 'warning');
    const names = change.pipelines.map(({ definition }) => definition.name);
    if (names.length === 0) return;
    for (const line of await deployAll(config, library, address, names)) console.log(deployLine(line));
  };
  const watcher = watchPaths(folders, () =>
    changed().catch((error) => console.error(safe(`The folders cannot be read: ${(error as Error).message}`))),
  );
  console.log(`\nWatching ${folders.map((it) => relative('.', it) || '.').join(', ')}: what changes is served.`);
  return { name: 'watcher', running: new Promise(() => undefined), stop: async () => watcher.close() };
}

/** What becomes of the document of a file with errors. */
function staysText(file: string, library: LiveLibrary): string {
  const last = entriesOf(library).find((it) => 'file' in it && basename(String(it.file)) === file)?.definition;
  return last
    ? `${file} has errors: over HTTP ${last.name} ${last.version} is served as it was before; commands such as run start read the file and refuse it`
    : `${file} has errors and is not served`;
}

function serverPart(server: RunningServer): Part {
  const ended = (code: number | null) =>
    refuse(
      'TEMPORAL_SERVER_FAILED',
      `The Temporal server ended by itself${code === null ? '' : ` with code ${code}`}.`,
      {
        hint: `Its log is ${server.logFile}. The next start resumes what was running.`,
      },
    );
  return { name: 'Temporal server', running: server.exited.then(ended), stop: () => server.stop() };
}

function announce(config: Config, library: FolderLibrary, url: string, address: string, server?: RunningServer): void {
  const apis = library.apis().map(({ definition }) => definition.name);
  const pipelines = library.pipelines().map(({ definition }) => definition.name);
  const findings = counted(library.findings);
  const missing = misconfigured(config, entriesOf(library));
  const rows = [
    ['Gateway', url],
    ['Temporal', `${address}${server ? ` (CLI ${server.version}, log in ${relative('.', server.logFile)})` : ''}`],
    ...(server?.uiUrl ? [['Web UI', server.uiUrl]] : []),
    ['Journeys', library.names().join(', ') || `none in ${config.specs}`],
    ...(apis.length > 0 ? [['Apis', apis.join(', ')]] : []),
    ...(pipelines.length > 0 ? [['Pipelines', pipelines.join(', ')]] : []),
    ...(findings === undefined ? [] : [['Findings', `${findings}: journeyman validate shows them`]]),
    ...(missing.length === 0 ? [] : [['Missing', `${missing.join(', ')} (required configuration)`]]),
    ...missingSecrets(config, entriesOf(library)).map((it) => ['Missing', safe(missingSecretText(it))]),
  ];
  console.log(table(rows));
  const [name] = library.names().includes('hello') ? ['hello'] : library.names();
  const journey = name === undefined ? undefined : library.find(name);
  if (!journey) return;
  const body = JSON.stringify(sampleOf(journey.definition.input?.schema ?? {}));
  const start = `${url}/api/v1/journeys/${name}/start`;
  // A quote inside the body would end the shell's.
  console.log(`\nTry:\n  curl -s ${start} -H 'content-type: application/json' -d '${body.replaceAll("'", "'\\''")}'`);
}
