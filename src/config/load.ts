import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { lineColumnAt, sourceFindings } from '../document/locate.js';
import { parseSource, type Source } from '../document/parse.js';
import type { Json, JsonObject } from '../json/value.js';
import { type Finding, refuse } from '../problems/problem.js';
import type { Config } from './config.js';
import { type Overrides, override, readEnvironment } from './environment.js';
import { keysOf, mapPaths, withDefaults } from './keys.js';
import { completeOrchestrators, completeProfiles } from './orchestrators.js';
import { checkDoubts, checkRules } from './rules.js';
import { configSchema } from './schema.js';
import { resolveTemporal } from './temporal.js';
import { validate } from './validate.js';

export interface LoadOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The path given with --config; JOURNEYMAN_CONFIG and `journeyman.config.yaml` come after it. */
  readonly file?: string;
}

/** The name looked for in the working directory when no path is given. */
export const configFileName = 'journeyman.config.yaml';

/** The configuration of this process: the file, overridden by the environment, completed with defaults, checked. */
export function loadConfig(options: LoadOptions = {}): Config {
  const { cwd = process.cwd(), env = process.env } = options;
  const file = findFile(cwd, env, options.file);
  const source = file === undefined ? undefined : readSource(file);
  const overrides = readEnvironment(keysOf(configSchema), env);
  const raw = override(source?.value ?? undefined, overrides);
  rejectOn(
    validate(configSchema, raw, (pointer) => place(pointer, source, overrides)),
    file,
  );

  const baseDir = file === undefined ? cwd : dirname(file);
  const complete = mapPaths(configSchema, withDefaults(configSchema, raw) as Json, (path) => resolve(baseDir, path));
  const { temporal, ...rest } = complete as unknown as Omit<Config, 'source'>;
  const resolved = {
    ...rest,
    catalogue: { ...(existsSync(rest.specs) && { root: rest.specs }), ...rest.catalogue },
    temporal: resolveTemporal(temporal as unknown as JsonObject, env),
    orchestrators: completeOrchestrators(rest.orchestrators, rest.server.dataDir),
    channelProfiles: completeProfiles(rest.channelProfiles),
  };
  const config: Config = {
    ...resolved,
    source: {
      ...(file === undefined ? {} : { file }),
      baseDir,
      warnings: [...overrides.findings, ...checkDoubts(resolved)],
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

/** Where a pointer's value was written: a variable, or a line of the file. */
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
