import { Command, InvalidArgumentError, Option } from 'commander';
import { safe } from '../app/safe-terminal-text.js';
import type { Config } from '../config/config-types.js';
import { loadConfig } from '../config/load-config.js';
import { isIdempotencyKey } from '../service/runs-interface.js';

/** Creates a command with `--config`. */
export function commandWithConfig(name: string): Command {
  return new Command(name).option(
    '-c, --config <file>',
    'configuration file (default: journeyman.config.yaml, if it exists)',
  );
}

/** Loads the configuration of a command. Warnings go to stderr, except with a machine-readable format. */
export function configOf(options: { config?: string; format?: string }): Config {
  const config = loadConfig(options.config === undefined ? {} : { file: options.config });
  if (options.format !== undefined && options.format !== 'text') return config;
  for (const { code, message, hint } of config.source.warnings) {
    console.error(safe(`warning ${code}: ${message}${hint ? ` (${hint})` : ''}`));
  }
  return config;
}

/** Loads the configuration of a command that runs until it is stopped. With `log.format: json` all that it prints becomes JSON lines. */
export function serviceConfigOf(options: { config?: string }): Config {
  // The variable also applies to a configuration that cannot be loaded.
  if (process.env.JOURNEYMAN_LOG_FORMAT === 'json') printAsJson();
  else if (loadConfig(options.config === undefined ? {} : { file: options.config }).log.format === 'json')
    printAsJson();
  return configOf(options);
}

/** Pino's numbers of the levels. */
const levels = { info: 30, warn: 40, fatal: 60 } as const;

/** Turns text on standard output and standard error, warnings of Node and uncaught errors into lines of the log, on standard error. */
function printAsJson(): void {
  const write = process.stderr.write.bind(process.stderr);
  const line = (level: keyof typeof levels, msg: string) =>
    write(`${JSON.stringify({ level: levels[level], time: Date.now(), msg })}\n`);
  const intercept =
    (level: keyof typeof levels): typeof process.stdout.write =>
    (chunk: string | Uint8Array, ...rest: unknown[]) => {
      const text = (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()).trim();
      if (text !== '') line(level, text);
      const written = rest.find((it) => typeof it === 'function') as (() => void) | undefined;
      if (written) process.nextTick(written);
      return true;
    };
  process.stdout.write = intercept('info');
  process.stderr.write = intercept('warn');
  process.removeAllListeners('warning').on('warning', ({ stack, message }) => line('warn', stack ?? message));
  process.on('uncaughtException', ({ stack, message }) => {
    line('fatal', stack ?? message);
    process.exit(1);
  });
}

/** The option `--format text|json`. */
export function formatOption(): Option {
  return new Option('--format <format>', 'output format').choices(['text', 'json']).default('text');
}

/** The option `--json`, short for `--format json`. */
export function jsonOption(): Option {
  return new Option('--json', 'the same as --format json').implies({ format: 'json' });
}

/** Reports whether the arguments ask for JSON. Errors are then JSON too, even usage errors. */
export function wantsJson(args: readonly string[]): boolean {
  return args.some(
    (arg, i) => arg === '--json' || arg === '--format=json' || (arg === '--format' && args[i + 1] === 'json'),
  );
}

/** Parses an option that is a positive whole number. */
export function countOption(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1) throw new InvalidArgumentError('It must be a whole number, at least 1.');
  return value;
}

/** Options that locate OpenAPI documents. */
export interface CatalogueOptions {
  catalogue?: string;
  overlay: string[];
}

/** Adds `--catalogue` and `--overlay`. */
export function withCatalogue(command: Command): Command {
  return command
    .option('--catalogue <dir>', 'folder that openApiRef paths are relative to (default: the configured one)')
    .option(
      '--overlay <dir>',
      'folder of OpenAPI documents that add to APIs by name; repeatable',
      (dir, all: string[]) => [...all, dir],
      [],
    );
}

/** The configured folders, plus those given as options. */
export function catalogueFolders({ catalogue }: Config, options: CatalogueOptions): Config['catalogue'] {
  return {
    ...catalogue,
    ...(options.catalogue === undefined ? {} : { root: options.catalogue }),
    overlays: [...catalogue.overlays, ...options.overlay],
  };
}

/** Parses `--request-id`, by the same rule as the header Idempotency-Key. */
export function requestIdOption(text: string): string {
  if (isIdempotencyKey(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 255 visible ASCII characters.');
}
