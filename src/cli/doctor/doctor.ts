import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { checkSources } from '../../app/check-kafka-sources.js';
import { cacheWarning } from '../../app/in-memory-cache-warning.js';
import { missingSecrets, missingSecretText } from '../../app/missing-secrets.js';
import { egressRefusal } from '../../app/outbound-http.js';
import { type Output, paint, safeJson, safeLines } from '../../app/safe-terminal-text.js';
import { compareVersions } from '../../base/json/semver.js';
import { registry } from '../../base/problems/registry.js';
import type { Config } from '../../config/config-types.js';
import { loadConfig } from '../../config/load-config.js';
import { journeyFile } from '../../library/read-journeys.js';
import { readLibrary } from '../../library/read-library.js';
import { entriesOf } from '../../library/reloading-library.js';
import { literalOrigin } from '../../scenarios/live/scripted-services.js';
import { httpCalls } from '../../scenarios/possible-calls.js';
import { missingConfigKeys } from '../../service/check-platform-config.js';
import type { LibraryEntry, PipelineEntry } from '../../service/library-interface.js';
import { connect, temporalAddress } from '../../temporal/connection.js';
import { type FindOptions, searchServer, type TriedSource } from '../../temporal/server/find-or-install-server.js';
import { assertPortFree, isListening } from '../../temporal/server/tcp-ports.js';
import { isFresh } from '../../temporal/worker/workflow-bundle.js';
import { findingCount } from '../author/print-findings.js';
import { commandWithConfig, formatOption } from '../options.js';
import { bad, type Check, failedCheck, ok, warn } from './check-result.js';
import { namespaceChecks } from './namespace-checks.js';

interface Options {
  config?: string;
  format: 'text' | 'json';
}

/** `journeyman doctor`: checks the machine and the configuration. */
export function doctorCommand(output: Output = process.stdout): Command {
  return commandWithConfig('doctor')
    .summary('check this machine and the configuration')
    .description('Check everything Journeyman needs and report what is missing. Changes and installs nothing.')
    .addOption(formatOption())
    .addHelpText(
      'after',
      `
Examples:
  $ journeyman doctor
  $ journeyman doctor --json

Exit codes: 0 ready, 1 something essential is missing.`,
    )
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const checks = await runChecks({
        load: () => loadConfig(options.config === undefined ? {} : { file: options.config }),
        env: process.env,
      });
      const ok = checks.every(({ status }) => status !== 'bad');
      output.write(options.format === 'json' ? `${safeJson({ ok, checks }, 2)}\n` : render(checks, output));
      process.exitCode = ok ? 0 : 1;
    });
}

const marks = { ok: '✓', bad: '✗', warn: '!', info: '·' } as const;

function render(checks: readonly Check[], output: Output): string {
  const colours = paint(output);
  const colour = { ok: colours.green, bad: colours.red, warn: colours.yellow, info: colours.dim };
  const lines = checks.flatMap(({ id, status, name, detail, hint }) => [
    `${id.startsWith('source.') ? '  ' : ''}${colour[status](marks[status])} ${colours.bold(name)}: ${safeLines(detail).replaceAll('\n', '\n    ')}`,
    ...(hint === undefined ? [] : hint.split('\n').map((line) => `    ${colours.dim(line)}`)),
  ]);
  return `${lines.join('\n')}\n\n${verdict(checks)}\n`;
}

function verdict(checks: readonly Check[]): string {
  const count = (wanted: Check['status']) => checks.filter(({ status }) => status === wanted).length;
  const [bad, warnings] = [count('bad'), count('warn')];
  if (bad > 0) return `${bad} ${bad === 1 ? 'check' : 'checks'} failed.`;
  return warnings === 0 ? 'Ready.' : `Ready, with ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`;
}

interface DoctorOptions {
  readonly load: () => Config;
  readonly env: NodeJS.ProcessEnv;
  readonly find?: FindOptions;
  readonly nodeVersion?: string;
}

const oldestNode = '20.19.4';

/** Runs all checks without changing anything. */
export async function runChecks(options: DoctorOptions): Promise<Check[]> {
  const node = nodeCheck(options.nodeVersion ?? process.versions.node);
  let config: Config;
  try {
    config = options.load();
  } catch (error) {
    return [node, failedCheck('config', 'Configuration', error)];
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

/** Secrets are read on use, so only this check reports a missing one in advance. */
function secretChecks(
  config: Config,
  entries: readonly (LibraryEntry | PipelineEntry)[],
  env: NodeJS.ProcessEnv,
): Check[] {
  const missing = missingSecrets(config, entries, env);
  if (missing.length === 0) return [];
  const detail = missing.map(missingSecretText).join('\n');
  return [warn('secrets', 'Secrets', detail, 'Tasks that use them fail: set them for this process.')];
}

/** Checks of the documents. An unreadable library is reported by another check. */
async function libraryChecks(config: Config, env: NodeJS.ProcessEnv): Promise<Check[]> {
  const library = await readLibrary(config).catch(() => undefined);
  if (!library) return secretChecks(config, [], env);
  const found = findingCount(library.findings);
  const errors = library.findings.some(({ severity }) => severity === 'error');
  const missing = missingConfigKeys(config, entriesOf(library));
  const doubt = cacheWarning(config, library);
  return [
    ...(found === undefined
      ? []
      : [
          warn(
            'findings',
            'Documents',
            `${found}${errors ? '; documents with errors are not served' : ''}`,
            'Run `journeyman validate` for details.',
          ),
        ]),
    ...(missing.length === 0
      ? []
      : [
          warn(
            'platform',
            'Values of journeys',
            `missing or invalid: ${missing.join(', ')}`,
            'These journeys cannot be started until the values are set in platform.config.',
          ),
        ]),
    ...secretChecks(config, [...entriesOf(library), ...library.pipelines()], env),
    ...(await sourceChecks(config, library.pipelines())),
    ...(await egressChecks(config, entriesOf(library))),
    ...(doubt === undefined ? [] : [warn('cache', 'Cache', doubt, 'Set cache.redis to share one.')]),
  ];
}

/** Checks that this machine reaches the Kafka topics that pipelines are read from. */
async function sourceChecks(config: Config, pipelines: readonly PipelineEntry[]): Promise<Check[]> {
  const [id, name] = ['sources', 'Sources of pipelines'];
  const sources = await checkSources(config, pipelines);
  if (sources.length === 0) return [];
  const faults = sources.flatMap(({ fault, pipeline, topic, kafka }) =>
    fault === undefined ? [] : [`${topic} of ${pipeline}, from the Kafka topic ${kafka.topic}: ${fault}`],
  );
  if (faults.length === 0) return [ok(id, name, `${sources.length}, all can be read`)];
  const hint = 'Records wait in Kafka until the workers can read them; the pipelines are not affected.';
  return [warn(id, name, faults.join('\n'), hint)];
}

/** Reports hosts in documents that the egress policy blocks: every call to them fails. */
async function egressChecks(config: Config, entries: readonly LibraryEntry[]): Promise<Check[]> {
  const callers = new Map<string, Set<string>>();
  for (const { definition } of entries)
    for (const { url } of httpCalls(definition)) {
      const origin = literalOrigin(url);
      if (origin === undefined || !URL.canParse(origin)) continue;
      callers.set(origin, (callers.get(origin) ?? new Set()).add(definition.name));
    }
  const refused = await Promise.all(
    [...callers].map(async ([origin, names]) => {
      const reason = await egressRefusal(config, origin);
      return reason === undefined ? [] : [`${origin}: ${reason} (for ${[...names].join(', ')})`];
    }),
  );
  const detail = refused.flat().join('\n');
  if (detail === '') return [];
  return [warn('egress', 'Calls', `blocked by the egress policy:\n${detail}`, registry.EGRESS_REFUSED.hint)];
}

function configChecks({ source }: Config): Check[] {
  const where = source.file ?? 'no file; defaults and environment';
  const warnings = source.warnings.map((it): Check => warn('config', 'Configuration', it.message, it.hint));
  return [ok('config', 'Configuration', where), ...warnings];
}

/** The error of a connection attempt; undefined if the server responds. */
async function silence(config: Config): Promise<unknown> {
  try {
    const address = temporalAddress(config);
    if (!(await isListening(address))) return new Error(`nothing listens at ${address}`);
    const connected = await connect(config, { timeoutMs: 5_000 });
    await connected.close();
    return undefined;
  } catch (error) {
    return error;
  }
}

async function serverChecks(config: Config, { env, find }: DoctorOptions, silent: unknown): Promise<Check[]> {
  const { address } = config.temporal;
  if (address !== undefined) {
    return [
      silent === undefined
        ? ok('server', server, `${address} responds`)
        : { hint: 'Check the address, TLS and the API key.', ...failedCheck('server', server, silent) },
    ];
  }
  const { found, tried } = await searchServer({ env, install: false, ...find });
  const sources = tried.map(sourceCheck);
  if (silent === undefined) {
    return [ok('server', server, `embedded, running at ${temporalAddress(config)}`), ...sources];
  }
  if (found?.kind === 'executable') {
    return [ok('server', server, `embedded, ${found.version} (${found.source}); not running`), ...sources];
  }
  const hint = 'The first `journeyman up` tries the sources marked “possible”; or set TEMPORAL_ADDRESS.';
  return [warn('server', server, 'embedded; not installed yet', hint), ...sources];
}

const server = 'Temporal server';

function sourceCheck({ source, title, outcome, detail, hint }: TriedSource): Check {
  const status = outcome === 'found' ? 'ok' : 'info';
  const text = outcome === 'possible' ? `possible: ${detail}` : detail;
  return { id: `source.${source}`, name: title, status, detail: text, ...(hint === undefined ? {} : { hint }) };
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
        // If the server is running, the gateway probably uses the port.
        const check = failedCheck(option, `Port ${port}`, error);
        return running ? { ...check, status: 'info' } : check;
      }
    });
  return await Promise.all(checks);
}

/** Checks that the embedded server's folder, or its nearest existing parent, is writable. */
function dataChecks({ temporal, server: { dataDir, inMemory } }: Config): Check[] {
  if (temporal.address !== undefined || inMemory) return [];
  const name = 'Data directory';
  const fault = writeFault(dataDir);
  if (fault === undefined) return [ok('data', name, dataDir)];
  return [bad('data', name, fault, 'Set server.dataDir to a writable folder.')];
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
    'Run npm run build; otherwise the worker builds it at start.',
  );
}

function specsCheck({ specs }: Config): Check {
  if (!existsSync(specs)) {
    return bad(
      'specs',
      'Journeys',
      `the folder ${specs} does not exist`,
      'Create it, or set specs in the configuration.',
    );
  }
  const files = readdirSync(specs, { recursive: true, encoding: 'utf8' });
  const count = files.filter((name) => journeyFile.test(name)).length;
  if (count === 0) {
    const hint = 'File names end in .journey.yaml, .journey.yml or .journey.json.';
    return warn('specs', 'Journeys', `none in ${specs}`, hint);
  }
  return ok('specs', 'Journeys', `${count} in ${specs}; journeyman validate checks them`);
}

/** Checks that the root of each orchestrator is writable and that the shared folders exist. */
function orchestratorChecks({ orchestrators, shared }: Config): Check[] {
  const roots = Object.entries(orchestrators).map(([id, { root }]): Check => {
    const about = { id: `orchestrator.${id}`, name: `Orchestrator ${id}` };
    const fault = writeFault(root);
    if (fault === undefined) return { ...about, status: 'ok', detail: root };
    const hint = `Jobs run, but the audit log is not written. Set orchestrators.${id}.root to a writable folder.`;
    return { ...about, status: 'warn', detail: fault, hint };
  });
  const folders = Object.entries(shared).flatMap(([name, path]): Check[] =>
    existsSync(path)
      ? []
      : [
          {
            id: `shared.${name}`,
            name: `Shared folder ${name}`,
            status: 'warn',
            detail: `${path} does not exist`,
            hint: `Create it, or correct shared.${name}.`,
          },
        ],
  );
  return [...roots, ...folders];
}

/** The reason why a folder, or its nearest existing parent, is not writable. */
function writeFault(folder: string): string | undefined {
  let at = folder;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  try {
    accessSync(at, constants.W_OK);
    if (statSync(at).isDirectory()) return undefined;
  } catch {
    // Reported below.
  }
  return `${at} is not a writable folder`;
}
