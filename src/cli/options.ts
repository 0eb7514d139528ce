import { Command, InvalidArgumentError, Option } from 'commander';
import { safe } from '../app/terminal.js';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load.js';
import { isIdempotencyKey } from '../service/runs.js';

/** A command that reads the configuration. */
export function configured(name: string): Command {
  return new Command(name).option(
    '-c, --config <file>',
    'configuration file (default: journeyman.config.yaml, if there)',
  );
}

/** The configuration that a command was called with; warnings about it go to stderr, unless machines read that. */
export function configOf(options: { config?: string; format?: string }): Config {
  const config = loadConfig(options.config === undefined ? {} : { file: options.config });
  if (options.format === 'json') return config;
  for (const { code, message, hint } of config.source.warnings) {
    console.error(safe(`warning ${code}: ${message}${hint ? ` (${hint})` : ''}`));
  }
  return config;
}

/** `--format text|json`, the same wherever a command prints something. */
export function formatOption(): Option {
  return new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text');
}

/** `--json`, short for `--format json`. */
export function jsonOption(): Option {
  return new Option('--json', 'the same as --format json').implies({ format: 'json' });
}

/** Whether a command was called with `--format json`: then its errors are JSON too, even if the call could not be parsed. */
export function wantsJson(args: readonly string[]): boolean {
  return args.some(
    (arg, i) => arg === '--json' || arg === '--format=json' || (arg === '--format' && args[i + 1] === 'json'),
  );
}

/** Reads an option that counts something. */
export function count(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1) throw new InvalidArgumentError('It must be a whole number, at least 1.');
  return value;
}

/** Where a command was told to look for OpenAPI documents. */
export interface CatalogueOptions {
  catalogue?: string;
  overlay: string[];
}

/** `--catalogue` and `--overlay`, the same wherever journeys are read. */
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

/** The configured folders, and those the command was given in addition. */
export function catalogueFolders({ catalogue }: Config, options: CatalogueOptions): Config['catalogue'] {
  return {
    ...catalogue,
    ...(options.catalogue === undefined ? {} : { root: options.catalogue }),
    overlays: [...catalogue.overlays, ...options.overlay],
  };
}

/** What the gateway accepts as an Idempotency-Key. */
export function requestId(text: string): string {
  if (isIdempotencyKey(text)) return text;
  throw new InvalidArgumentError('It must have 1 to 255 visible ASCII characters.');
}
