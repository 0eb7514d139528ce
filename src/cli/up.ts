import { randomUUID } from 'node:crypto';
import { relative } from 'node:path';
import type { Command } from 'commander';
import { type Part, untilStopped } from '../app/parts.js';
import { type DeployLine, deployPipelines } from '../app/pipelines.js';
import type { Config } from '../config/config.js';
import { type FolderLibrary, readLibrary } from '../library/library.js';
import { refuse } from '../problems/problem.js';
import { auditedPipelines } from '../service/audited-pipelines.js';
import { type RunningServer, startServer } from '../temporal/server/start.js';
import { printFindings } from './findings.js';
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
    .addHelpText(
      'after',
      `
Examples:
  $ journeyman up
  $ JOURNEYMAN_GATEWAY_PORT=9090 journeyman up --config staging.config.yaml`,
    )
    .action(async (options: { config?: string }) => up(configOf(options)));
}

async function up(config: Config): Promise<void> {
  // The server starts while the rest of the program is still loading.
  const starting = startServerIfNeeded(config);
  const [{ createLog }, { prepareNamespace }, { startGateway }, { startWorker }, server] = await Promise.all([
    import('../app/log.js'),
    import('../app/namespace.js'),
    import('../app/gateway.js'),
    import('../app/worker.js'),
    starting,
  ]);
  const log = createLog(config);
  const parts: Part[] = server ? [serverPart(server)] : [];
  let worker: Promise<Part> | undefined;
  try {
    const address = await prepareNamespace(config, server?.address);
    // The worker loads its bundle in a thread of its own while the journeys are read.
    const reading = readLibrary(config);
    worker = startWorker(config, log, { address: server?.address, together: true, library: reading });
    worker.catch(() => undefined);
    const library = await reading;
    printFindings(library);
    const gateway = await startGateway(config, library, log, server?.address, true);
    parts.unshift(gateway);
    parts.splice(1, 0, await worker);
    const deployed = await deployAll(config, library, server?.address);
    announce(config, library, gateway.url, address, server);
    for (const line of deployed) if ('problem' in line) console.error(deployLine(line));
  } catch (error) {
    const late = await worker?.catch(() => undefined);
    if (late && !parts.includes(late)) parts.unshift(late);
    for (const part of parts) await part.stop();
    throw error;
  }
  await untilStopped(parts, log);
}

async function startServerIfNeeded(config: Config): Promise<RunningServer | undefined> {
  if (config.temporal.address !== undefined) return undefined;
  const progress = new ProgressLine(process.stderr);
  try {
    return await startServer(config, { onProgress: (step) => progress.update(step) });
  } finally {
    progress.clear();
  }
}

/** Deploys the pipelines of the folder; one that cannot be deployed keeps nothing else from running. */
async function deployAll(config: Config, library: FolderLibrary, address: string | undefined): Promise<DeployLine[]> {
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
      onProgress: (name) => progress.update({ message: `Deploying ${name}` }),
    });
  } finally {
    progress.clear();
    await close();
  }
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
  const rows = [
    ['Gateway', url],
    ['Temporal', `${address}${server ? ` (CLI ${server.version}, log in ${relative('.', server.logFile)})` : ''}`],
    ...(server?.uiUrl ? [['Web UI', server.uiUrl]] : []),
    ['Journeys', library.names().join(', ') || `none in ${config.specs}`],
    ...(apis.length > 0 ? [['Apis', apis.join(', ')]] : []),
    ...(pipelines.length > 0 ? [['Pipelines', pipelines.join(', ')]] : []),
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
