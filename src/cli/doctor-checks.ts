import { existsSync, readdirSync } from 'node:fs';
import { cacheDoubt } from '../app/cache-doubt.js';
import { missingSecrets, missingSecretText } from '../app/missing-secrets.js';
import type { Config } from '../config/config.js';
import { compareVersions } from '../json/semver.js';
import { journeyFile } from '../library/journeys.js';
import { readLibrary } from '../library/library.js';
import { entriesOf } from '../library/live.js';
import { type Problem, ProblemError } from '../problems/problem.js';
import type { LibraryEntry } from '../service/library.js';
import { misconfigured } from '../service/platform-config.js';
import { isFresh } from '../temporal/bundle.js';
import { type Connected, connect, temporalAddress } from '../temporal/connection.js';
import { type FailingRun, failingRuns } from '../temporal/failing-runs.js';
import { createCommands, inspectNamespace } from '../temporal/namespace.js';
import { type FindOptions, searchServer, type Tried } from '../temporal/server/find.js';
import { accepts, assertPortFree } from '../temporal/server/ports.js';
import { encryptionCheck } from './doctor-encryption.js';
import { orchestratorChecks, writeFault } from './doctor-orchestrators.js';
import { workersCheck } from './doctor-workers.js';
import { counted } from './findings.js';

/** One thing that was checked. Only `bad` stops Journeyman from working. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'bad' | 'info';
  readonly detail: string;
  readonly hint?: string;
}

export interface Examined {
  readonly load: () => Config;
  readonly env: NodeJS.ProcessEnv;
  readonly find?: FindOptions;
  readonly nodeVersion?: string;
}

const oldestNode = '20.18.1';
const shortRetentionDays = 30;

/** Checks everything Journeyman needs, changing nothing. */
export async function examine(options: Examined): Promise<Check[]> {
  const node = nodeCheck(options.nodeVersion ?? process.versions.node);
  let config: Config;
  try {
    config = options.load();
  } catch (error) {
    return [node, failed('config', 'Configuration', error)];
  }
  const silent = await silence(config);
  const running = silent === undefined;
  return [
    node,
    ...configChecks(config),
    ...(await serverChecks(config, options, silent)),
    ...(running ? await namespaceChecks(config) : []),
    ...(await portChecks(config, running)),
    ...dataChecks(config),
    ...orchestratorChecks(config),
    bundleCheck(),
    specsCheck(config),
    ...(await libraryChecks(config, options.env)),
  ];
}

function nodeCheck(version: string): Check {
  if (compareVersions(version, oldestNode) >= 0) return ok('node', 'Node.js', version);
  return bad('node', 'Node.js', `${version} is too old`, `Install ${oldestNode} or newer.`);
}

/** Secrets are read when they are used, so nothing else says before that one is not there. */
function secretChecks(config: Config, entries: readonly LibraryEntry[], env: NodeJS.ProcessEnv): Check[] {
  const missing = missingSecrets(config, entries, env);
  if (missing.length === 0) return [];
  const detail = missing.map(missingSecretText).join('\n');
  return [
    warn('secrets', 'Secrets', detail, 'What uses them fails until they can be read: set them for this process.'),
  ];
}

/** What the documents themselves say. A library that cannot be read is not for this check to report. */
async function libraryChecks(config: Config, env: NodeJS.ProcessEnv): Promise<Check[]> {
  const library = await readLibrary(config).catch(() => undefined);
  if (!library) return secretChecks(config, [], env);
  const found = counted(library.findings);
  const errors = library.findings.some(({ severity }) => severity === 'error');
  const missing = misconfigured(config, entriesOf(library));
  const doubt = cacheDoubt(config, library);
  return [
    ...(found === undefined
      ? []
      : [
          warn(
            'findings',
            'Documents',
            `${found}${errors ? '; those with errors are not served' : ''}`,
            '`journeyman validate` shows them.',
          ),
        ]),
    ...(missing.length === 0
      ? []
      : [
          warn(
            'platform',
            'Values of journeys',
            `missing or wrong: ${missing.join(', ')}`,
            'Their starts are refused until platform.config has them.',
          ),
        ]),
    ...secretChecks(config, entriesOf(library), env),
    ...(doubt === undefined ? [] : [warn('cache', 'Cache', doubt, 'Set cache.redis to share one.')]),
  ];
}

function configChecks({ source }: Config): Check[] {
  const where = source.file ?? 'no file; defaults and environment';
  const warnings = source.warnings.map((it): Check => warn('config', 'Configuration', it.message, it.hint));
  return [ok('config', 'Configuration', where), ...warnings];
}

/** Why the server does not answer, or undefined if it does. */
async function silence(config: Config): Promise<unknown> {
  try {
    const address = temporalAddress(config);
    if (!(await accepts(address))) return new Error(`nobody listens at ${address}`);
    const connected = await connect(config, { timeoutMs: 5_000 });
    await connected.close();
    return undefined;
  } catch (error) {
    return error;
  }
}

async function serverChecks(config: Config, { env, find }: Examined, silent: unknown): Promise<Check[]> {
  const { address } = config.temporal;
  if (address !== undefined) {
    return [
      silent === undefined
        ? ok('server', server, `${address} answers`)
        : { hint: 'Check the address, and TLS and API key with it.', ...failed('server', server, silent) },
    ];
  }
  const { found, tried } = await searchServer({ env, install: false, ...find });
  const ways = tried.map(wayCheck);
  if (silent === undefined) {
    return [ok('server', server, `embedded, running at ${temporalAddress(config)}`), ...ways];
  }
  if (found?.kind === 'executable') {
    return [ok('server', server, `embedded, ${found.version} (${found.way}); not running`), ...ways];
  }
  const hint = 'The first `journeyman up` tries the ways marked “possible”; or set TEMPORAL_ADDRESS.';
  return [warn('server', server, 'embedded; none is installed yet', hint), ...ways];
}

const server = 'Temporal server';

function wayCheck({ way, title, outcome, detail, hint }: Tried): Check {
  const status = outcome === 'found' ? 'ok' : 'info';
  const text = outcome === 'possible' ? `possible: ${detail}` : detail;
  return { id: `way.${way}`, name: title, status, detail: text, ...(hint === undefined ? {} : { hint }) };
}

async function namespaceChecks(config: Config): Promise<Check[]> {
  const { namespace } = config.temporal;
  const connected = await connect(config, { timeoutMs: 3_000 });
  try {
    const report = await inspectNamespace(connected.connection, namespace);
    const days = report.retentionDays;
    const lacking = [...report.missing, ...report.mistyped];
    return [
      ok('namespace', 'Namespace', namespace),
      days >= shortRetentionDays
        ? ok('retention', 'Retention', `${days} days`)
        : warn(
            'retention',
            'Retention',
            `${days} days; the history of schedules reaches no further back`,
            `temporal operator namespace update --namespace ${namespace} --retention 90d`,
          ),
      lacking.length === 0
        ? ok('search-attributes', 'Search attributes', 'all there')
        : warn(
            'search-attributes',
            'Search attributes',
            `missing: ${lacking.join(', ')}; the worker adds them if it may`,
            createCommands(namespace, lacking).join('\n'),
          ),
      await workersCheck(config, connected.client),
      // Runs are found by them; the server refuses to look for what it does not know.
      ...(lacking.length === 0
        ? [await encryptionCheck(config, connected.client), await runsCheck(connected.client)]
        : [warn('runs', 'Runs', 'not looked at: they are found by search attributes that are missing')]),
    ];
  } catch (error) {
    return [failed('namespace', 'Namespace', error)];
  } finally {
    await connected.close();
  }
}

async function runsCheck(client: Connected['client']): Promise<Check> {
  const failing = await failingRuns(client);
  if (failing.length === 0) return ok('runs', 'Runs', 'none is stuck');
  return warn(
    'runs',
    'Runs',
    `cannot go on, their workflow tasks fail: ${failing.map(inShort).join(', ')}`,
    '`journeyman run show` of the run says why (`journeyman pipeline show` of a pipeline), and so does the worker’s log (“A workflow task failed”).\n' +
      'A worker that can do the task goes on with them; `temporal workflow terminate` ends a run.',
  );
}

function inShort({ id, journey, attempt }: FailingRun): string {
  return `${id} (${journey === '' ? '' : `${journey}, `}tried ${attempt} times)`;
}

async function portChecks(config: Config, running: boolean): Promise<Check[]> {
  const { server, gateway, temporal } = config;
  const ports: [string, string, number][] = [['gateway.port', gateway.host, gateway.port]];
  if (temporal.address === undefined && !running) {
    ports.push(['server.port', server.ip, server.port], ['server.uiPort', server.ip, server.uiPort]);
  }
  const checks = ports
    .filter(([, , port]) => port !== 0)
    .map(async ([option, host, port]): Promise<Check> => {
      try {
        await assertPortFree(host, port, option);
        return ok(option, `Port ${port}`, `free (${option})`);
      } catch (error) {
        // If the server is running, the gateway probably is too.
        const check = failed(option, `Port ${port}`, error);
        return running ? { ...check, status: 'info' } : check;
      }
    });
  return await Promise.all(checks);
}

/** Whether the embedded server's folder, or the nearest existing one above it, can be written. */
function dataChecks({ temporal, server: { dataDir, inMemory } }: Config): Check[] {
  if (temporal.address !== undefined || inMemory) return [];
  const name = 'Data directory';
  const fault = writeFault(dataDir);
  if (fault === undefined) return [ok('data', name, dataDir)];
  return [bad('data', name, fault, 'Set server.dataDir to one that is.')];
}

function bundleCheck(): Check {
  let fresh = false;
  try {
    fresh = isFresh();
  } catch {
    // Not built at all.
  }
  if (fresh) return ok('bundle', 'Workflow bundle', 'built');
  return warn(
    'bundle',
    'Workflow bundle',
    'not built, or older than the code',
    'npm run build; else the worker builds it when it starts.',
  );
}

function specsCheck({ specs }: Config): Check {
  if (!existsSync(specs)) {
    return bad('specs', 'Journeys', `there is no folder ${specs}`, 'Create it, or set specs in the configuration.');
  }
  const files = readdirSync(specs, { recursive: true, encoding: 'utf8' });
  const count = files.filter((name) => journeyFile.test(name)).length;
  if (count === 0) {
    const hint = 'Files are called <name>.journey.yaml, .journey.yml or .journey.json.';
    return warn('specs', 'Journeys', `${specs} holds none`, hint);
  }
  return ok('specs', 'Journeys', `${count} in ${specs}; journeyman validate checks them`);
}

const ok = (id: string, name: string, detail: string): Check => ({ id, name, status: 'ok', detail });
const warn = (id: string, name: string, detail: string, hint?: string): Check => ({
  id,
  name,
  status: 'warn',
  detail,
  ...(hint === undefined ? {} : { hint }),
});
const bad = (id: string, name: string, detail: string, hint: string): Check => ({
  id,
  name,
  status: 'bad',
  detail,
  hint,
});

function failed(id: string, name: string, error: unknown): Check {
  const it: Partial<Problem> = error instanceof ProblemError ? error.problem : {};
  const hint = it.hint === undefined ? {} : { hint: it.hint };
  return { id, name, status: 'bad', detail: it.detail ?? (error as Error).message, ...hint };
}
