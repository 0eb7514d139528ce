import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type ClientConfigProfile, type ClientConfigTLS, loadClientConfigProfile } from '@temporalio/envconfig';
import { parseDocument } from 'yaml';
import { lineColumnAt, sourceFindings } from '../base/document/locate-pointer.js';
import { parseSource, type Source } from '../base/document/parse-yaml.js';
import { emptyObject, type Json, type JsonObject, own } from '../base/json/value.js';
import { nearestName } from '../base/problems/nearest-name.js';
import { type Finding, refuse } from '../base/problems/problem.js';
import { completeOrchestrators, completeProfiles } from './complete-and-check-orchestrators.js';
import { checkRules, unsafeSettings } from './config-rules.js';
import { configSchema, defaultTaskQueue } from './config-schema.js';
import type { Config, TemporalConfig } from './config-types.js';
import { readSecret, Secret, type SecretSource } from './read-secret.js';
import { mapPaths, type Setting, settingsOf, withDefaults } from './settings-from-schema.js';
import { schemaFindings } from './validate-config.js';

/** Variables with our prefix that are not configuration keys. */
const reserved = new Set(['JOURNEYMAN_CONFIG', 'JOURNEYMAN_CACHE']);

/** Settings from the environment. */
interface Overrides {
  /** By dotted key. */
  readonly set: ReadonlyMap<string, { readonly key: Setting; readonly value: Json }>;
  readonly findings: readonly Finding[];
}

/** Reads `JOURNEYMAN_*`: scalars as they are, lists as JSON or comma-separated, maps as JSON or YAML in flow style. */
function readEnvironment(keys: readonly Setting[], env: NodeJS.ProcessEnv): Overrides {
  const set = new Map<string, { key: Setting; value: Json }>();
  const findings: Finding[] = [];
  const byVariable = new Map(keys.map((key) => [key.variable, key]));
  for (const [variable, raw] of Object.entries(env)) {
    if (raw === undefined || raw === '' || !variable.startsWith('JOURNEYMAN_') || reserved.has(variable)) continue;
    const key = byVariable.get(variable);
    if (key === undefined) findings.push(unknownVariable(variable, [...byVariable.keys()]));
    else if (isServiceLink(raw, key)) findings.push(serviceLink(variable, raw));
    else set.set(key.name, { key, value: parse(raw, key) });
  }
  return { set, findings };
}

/** `file` with the overrides applied; a section that is not an object is left for validation to reject. */
function override(file: Json | undefined, overrides: Overrides): Json {
  if (file !== undefined && (file === null || typeof file !== 'object' || Array.isArray(file))) return file;
  const out = Object.assign(emptyObject(), file);
  for (const { key, value } of overrides.set.values()) {
    let at: JsonObject = out;
    for (const part of key.path.slice(0, -1)) {
      const child = at[part];
      if (child !== undefined && child !== null && (typeof child !== 'object' || Array.isArray(child))) break;
      at = at[part] = Object.assign(emptyObject(), child ?? {});
    }
    at[key.path[key.path.length - 1] as string] = value;
  }
  return out;
}

function parse(raw: string, key: Setting): Json {
  const { type, enum: values, items } = key.schema;
  if (type === 'string' || values !== undefined) return raw;
  if (type === 'integer' || type === 'number') return /^-?\d+(\.\d+)?$/.test(raw) ? Number(raw) : raw;
  if (type === 'boolean')
    return ({ true: true, 1: true, false: false, 0: false } as Record<string, boolean>)[raw] ?? raw;
  if (type === 'array' && items?.type === 'string' && !raw.trimStart().startsWith('[')) {
    return raw.split(',').map((item) => item.trim());
  }
  const document = parseDocument(raw);
  return document.errors.length > 0 ? raw : (document.toJS() as Json);
}

function unknownVariable(variable: string, known: readonly string[]): Finding {
  const guess = nearestName(variable, known);
  return {
    code: 'CONFIG_UNKNOWN_KEY',
    severity: 'warning',
    message: `The environment variable ${variable} is not a configuration key and has no effect`,
    pointer: '',
    hint: guess === undefined ? 'docs/configuration.md lists all variables.' : `Did you mean ${guess}?`,
  };
}

/** Kubernetes sets `<SERVICE>_PORT=tcp://…` for each service, which collides with our port settings. */
function isServiceLink(raw: string, key: Setting): boolean {
  return key.schema.type === 'integer' && /^(tcp|udp):\/\//.test(raw);
}

function serviceLink(variable: string, raw: string): Finding {
  return {
    code: 'CONFIG_VALUE_INVALID',
    severity: 'warning',
    message: `${variable}=${raw} looks like a Kubernetes service link and is ignored`,
    pointer: '',
    hint: 'Set enableServiceLinks: false on the pod.',
  };
}

export interface LoadConfigOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The path given with --config; JOURNEYMAN_CONFIG and `journeyman.config.yaml` come after it. */
  readonly file?: string;
}

/** The file name in the working directory, if no path is given. */
export const configFileName = 'journeyman.config.yaml';

/** Loads the configuration of a project in a folder, as a command does there. */
export function projectConfig({ folder = '.', config }: { folder?: string; config?: string }): Config {
  const cwd = resolve(folder);
  return loadConfig({ cwd, ...(config !== undefined && { file: config }) });
}

/** The configuration of this process: the file, overridden by the environment, completed with defaults, checked. */
export function loadConfig(options: LoadConfigOptions = {}): Config {
  const { cwd = process.cwd(), env = process.env } = options;
  const file = findFile(cwd, env, options.file);
  const source = file === undefined ? undefined : readSource(file);
  const overrides = readEnvironment(settingsOf(configSchema), env);
  const raw = override(source?.value ?? undefined, overrides);
  rejectOn(
    schemaFindings(configSchema, raw, (pointer) => place(pointer, source, overrides)),
    file,
  );

  const baseDir = file === undefined ? cwd : dirname(file);
  const complete = mapPaths(configSchema, withDefaults(configSchema, raw) as Json, (path) => resolve(baseDir, path));
  const { temporal, ...rest } = complete as unknown as Omit<Config, 'source'>;
  const { deployment = {} } = rest;
  const resolved = {
    ...rest,
    deployment,
    catalogue: { ...(existsSync(rest.specs) && { root: rest.specs }), ...rest.catalogue },
    temporal: withQueueOf(deployment, resolveTemporal(temporal as unknown as JsonObject, env)),
    orchestrators: completeOrchestrators(rest.orchestrators, rest.server.dataDir),
    channelProfiles: completeProfiles(rest.channelProfiles),
  };
  const config: Config = {
    ...resolved,
    source: {
      ...(file === undefined ? {} : { file }),
      baseDir,
      warnings: [...overrides.findings, ...unsafeSettings(resolved)],
    },
  };
  rejectOn(
    checkRules(config).map((finding) => ({ ...finding, ...place(finding.pointer, source, overrides) })),
    file,
  );
  return freeze(config);
}

function findFile(cwd: string, env: NodeJS.ProcessEnv, given: string | undefined): string | undefined {
  const named = given ?? (env.JOURNEYMAN_CONFIG || undefined);
  if (named !== undefined) return resolve(cwd, named);
  const usual = resolve(cwd, configFileName);
  return existsSync(usual) ? usual : undefined;
}

function readSource(file: string): Source | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return refuse('CONFIG_FILE_MISSING', `${file}: ${(error as Error).message}`, {
      hint: 'Check --config or JOURNEYMAN_CONFIG.',
    });
  }
  const source = parseSource(text, file);
  if (source.empty) return undefined;
  rejectOn(
    sourceFindings(source).map((finding) => ({ ...finding, code: 'CONFIG_FILE_INVALID', pointer: '' })),
    file,
  );
  return source;
}

/** The origin of a pointer's value: a variable, or a line of the file. */
function place(
  pointer: string,
  source: Source | undefined,
  overrides: Overrides,
): Partial<Finding> & { variable?: string } {
  for (const { key } of overrides.set.values()) {
    const prefix = `/${key.path.join('/')}`;
    if (pointer === prefix || pointer.startsWith(`${prefix}/`)) return { variable: key.variable };
  }
  return source ? lineColumnAt(source, pointer) : {};
}

function rejectOn(findings: readonly (Finding & { variable?: string })[], file: string | undefined): void {
  if (findings.length === 0) return;
  const lines = findings.map((finding) => {
    const at = finding.variable ?? (finding.line === undefined ? file : `${file}:${finding.line}:${finding.column}`);
    const hint = finding.hint === undefined ? '' : ` ${finding.hint}`;
    return `${at === undefined ? '' : `${at}: `}${finding.message}.${hint}`;
  });
  const only = findings.every(({ code }) => code === 'AUTH_REQUIRED');
  refuse(only ? 'AUTH_REQUIRED' : 'CONFIG_FILE_INVALID', lines.join('\n'), {
    ...(file === undefined ? {} : { instance: file }),
    errors: [...findings],
  });
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const child of Object.values(value)) freeze(child);
  return Object.freeze(value);
}

/** Variables that name a Temporal service explicitly; only then is Temporal's profile file read. */
const naming = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'] as const;

/**
 * Merges our `temporal` section with Temporal's own variables and profile, which win. A default profile that merely exists in the home
 * folder is ignored: `journeyman up` must not reach a production cluster because of it.
 */
function resolveTemporal(section: JsonObject, env: NodeJS.ProcessEnv): TemporalConfig {
  const profile = loadProfile(env);
  const address = profile.address ?? text(section, 'address');
  const tls = profile.tls ?? sectionTls(section);
  const apiKey = profile.apiKey === undefined ? sectionKey(section, env) : new Secret(profile.apiKey);
  return {
    namespace: profile.namespace ?? (text(section, 'namespace') as string),
    taskQueue: text(section, 'taskQueue') as string,
    ...(address === undefined ? {} : { address }),
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(profile.grpcMeta === undefined ? {} : { metadata: profile.grpcMeta }),
  };
}

/** A named deployment has a task queue of its own, unless one is configured. */
function withQueueOf({ name }: Config['deployment'], temporal: TemporalConfig): TemporalConfig {
  if (name === undefined || temporal.taskQueue !== defaultTaskQueue) return temporal;
  return { ...temporal, taskQueue: `${defaultTaskQueue}-${name}` };
}

function loadProfile(env: NodeJS.ProcessEnv): ClientConfigProfile {
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value)) as Record<string, string>;
  try {
    return loadClientConfigProfile({
      overrideEnvVars: variables,
      disableFile: !naming.some((name) => variables[name] !== undefined),
    });
  } catch (error) {
    return refuse('CONFIG_FILE_INVALID', `Temporal's own configuration cannot be used: ${(error as Error).message}`, {
      hint: 'Check TEMPORAL_CONFIG_FILE and TEMPORAL_PROFILE.',
    });
  }
}

function text(section: JsonObject, key: string): string | undefined {
  return own(section, key) as string | undefined;
}

function sectionTls(section: JsonObject): ClientConfigTLS | undefined {
  const tls = own(section, 'tls') as JsonObject | undefined;
  if (tls === undefined) return undefined;
  const file = (key: string) => {
    const path = text(tls, key);
    return path === undefined ? undefined : { path };
  };
  const parts = {
    disabled: own(tls, 'disabled') as boolean | undefined,
    serverName: text(tls, 'serverName'),
    serverCACert: file('caFile'),
    clientCert: file('certFile'),
    clientKey: file('keyFile'),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as ClientConfigTLS;
}

function sectionKey(section: JsonObject, env: NodeJS.ProcessEnv): Secret | undefined {
  const source = own(section, 'apiKey') as unknown as SecretSource | undefined;
  return source === undefined ? undefined : readSecret('temporal.apiKey', source, env);
}
