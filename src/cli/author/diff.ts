import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { type Output, type Paint, paint, safe, safeJson } from '../../app/safe-terminal-text.js';
import { refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import type { Change } from '../../language/compare/change.js';
import { changesBetween } from '../../language/compare/compare-definitions.js';
import { type LoadedJourneys, readJourneys } from '../../library/read-journeys.js';
import { configuredChecks, readReferences } from '../../library/read-library.js';
import { type LoadedPipelines, readPipelines } from '../../library/read-pipelines.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import { commandWithConfig, configOf, formatOption, jsonOption } from '../options.js';

const run = promisify(execFile);
const mostBytes = 64_000_000;

/** A temporary folder of documents. */
interface Checkout {
  readonly path: string;
  close(): Promise<void>;
}

/** Resolves a file, a folder, or a git revision of `folder`. */
async function checkout(what: string, folder: string): Promise<Checkout> {
  if (existsSync(what)) return { path: what, close: async () => undefined };
  const around = existsSync(folder) ? resolve(folder) : process.cwd();
  const git = async (...args: string[]) =>
    (await run('git', ['-C', around, ...args], { maxBuffer: mostBytes, encoding: 'buffer' })).stdout;
  // Git would read a leading dash as an option.
  const commit = what.startsWith('-')
    ? undefined
    : await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${what}^{commit}`).then(
        (it) => it.toString().trim(),
        () => undefined,
      );
  if (commit === undefined)
    return refuse(
      'DIFF_SOURCE_UNKNOWN',
      `${JSON.stringify(what)} is neither a file, a folder nor a git revision here.`,
    );
  const top = (await git('rev-parse', '--show-toplevel')).toString().trim();
  const below = relative(top, around) || '.';
  const listed = await run('git', ['-C', top, 'ls-tree', '-r', '-z', '--name-only', commit, '--', below], {
    maxBuffer: mostBytes,
  });
  const path = await mkdtemp(join(tmpdir(), 'journeyman-diff-'));
  for (const file of listed.stdout.split('\0').filter((it) => /\.(ya?ml|json)$/i.test(it))) {
    const { stdout } = await run('git', ['-C', top, 'show', `${commit}:${file}`], {
      maxBuffer: mostBytes,
      encoding: 'buffer',
    });
    const to = join(path, relative(below, file));
    await mkdir(dirname(to), { recursive: true });
    await writeFile(to, stdout);
  }
  return { path, close: () => rm(path, { recursive: true, force: true }) };
}

/** Changes of one journey, Api or pipeline. */
export interface DocumentChange {
  readonly kind?: 'Pipeline';
  readonly name: string;
  /** Null if it does not exist on that side. */
  readonly before: string | null;
  readonly after: string | null;
  readonly changes: readonly Change[];
}

const help = `
Each side is a file, a folder, or a git revision of the configured folder; the second defaults to the current content of that folder.
Exit codes: 0 no breaking changes, 1 breaking changes, or a side cannot be read.

Examples:
  $ journeyman diff main
  $ journeyman diff v1.2.0 v1.3.0
  $ journeyman diff old/order.journey.yaml specs/order.journey.yaml --json`;

/** `journeyman diff`: compares two sets of documents and reports breaking changes. */
export function diffCommand(out: Output = process.stdout): Command {
  return commandWithConfig('diff')
    .description(
      'Compare two sets of journeys and pipelines and report changes that break callers, steps, schedules or runs.',
    )
    .argument('<old>', 'a file, a folder or a git revision')
    .argument('[new]', 'the same (default: the configured folder)')
    .addOption(formatOption())
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (old: string, now: string | undefined, options: { config?: string; format: 'text' | 'json' }) => {
      const config = configOf(options);
      const [before, after] = await Promise.all([documents(old, config), documents(now ?? config.specs, config)]);
      const changes = [
        ...compareJourneys(before.byName, after.byName),
        ...comparePipelines(before.pipelines, after.pipelines),
      ];
      out.write(`${options.format === 'json' ? safeJson(changes, 2) : diffText(changes, paint(out))}\n`);
      if (changes.some((it) => it.changes.some(({ breaking }) => breaking))) process.exitCode = 1;
    });
}

/** Reads the documents of one side. Errors are rejected: a broken document would count as deleted. */
async function documents(
  what: string,
  config: Config,
): Promise<Pick<LoadedJourneys, 'byName'> & Pick<LoadedPipelines, 'pipelines'>> {
  const { path, close } = await checkout(what, config.specs);
  try {
    const root = statSync(path).isDirectory() ? path : config.catalogue.root;
    const catalogue = { ...(root !== undefined && { root }), overlays: config.catalogue.overlays };
    const { references } = await readReferences({ ...config, catalogue });
    const options = { ...references, ...configuredChecks(config) };
    const { byName, findings } = await readJourneys([path], options);
    const { pipelines, findings: more } = await readPipelines([path], { byName }, { ...options, specs: config.specs });
    const errors = [...findings, ...more].filter(({ severity }) => severity === 'error');
    if (errors.length > 0)
      refuse('DIFF_SOURCE_INVALID', `Documents of ${what} have errors.`, { errors: errors.slice(0, 20) });
    return { byName, pipelines };
  } finally {
    await close();
  }
}

/** Compares the highest version of each name. */
export function compareJourneys(before: LoadedJourneys['byName'], after: LoadedJourneys['byName']): DocumentChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name): DocumentChange[] => {
    const [old, now] = [before.get(name)?.[0], after.get(name)?.[0]];
    if (old?.hash === now?.hash) return [];
    const versions = { before: old?.definition.version ?? null, after: now?.definition.version ?? null };
    if (!old) return [{ name, ...versions, changes: [] }];
    if (!now) return [{ name, ...versions, changes: [gone(name)] }];
    return [{ name, ...versions, changes: changesBetween(old.definition, now.definition) }];
  });
}

/** Compares pipelines and their topics. Handlers are compared as journeys. */
export function comparePipelines(
  before: LoadedPipelines['pipelines'],
  after: LoadedPipelines['pipelines'],
): DocumentChange[] {
  const definitions = (all: LoadedPipelines['pipelines']) =>
    new Map(all.map(({ definition }) => [definition.name, definition]));
  const [old, now] = [definitions(before), definitions(after)];
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((name): DocumentChange[] => {
    const [was, is] = [old.get(name), now.get(name)];
    const versions = { before: was?.version ?? null, after: is?.version ?? null };
    const changes = was ? pipelineChanges(was, is) : [];
    return was && is && changes.length === 0 ? [] : [{ kind: 'Pipeline', name, ...versions, changes }];
  });
}

function pipelineChanges(was: PipelineDefinition, is: PipelineDefinition | undefined): Change[] {
  const breaks = { breaking: true, pointer: '' };
  if (!is) {
    const message = `${was.name} was removed: the next deployment pauses it. Its events stay pending.`;
    return [{ ...breaks, code: 'DIFF_GONE', concerns: 'deployment', message }];
  }
  const lost = Object.keys(was.topics)
    .filter((topic) => !Object.hasOwn(is.topics, topic))
    .map(
      (topic): Change => ({
        ...breaks,
        code: 'DIFF_TOPIC',
        concerns: 'callers',
        pointer: '/spec/topics',
        message: `The topic ${topic} was removed: events can no longer be published to it. While it has pending events, the document is rejected.`,
      }),
    );
  const moved = Object.keys(is.topics)
    .filter((topic) => Object.hasOwn(was.topics, topic) && sourceKey(was, topic) !== sourceKey(is, topic))
    .map((topic): Change => {
      const found = is.topics[topic]?.source
        ? `The topic ${topic} has another source, which is read from the offsets that Kafka has of its group, or else from the beginning.`
        : `The topic ${topic} has no source any more: records that wait in Kafka are not read.`;
      const breaking = was.topics[topic]?.source !== undefined;
      const pointer = `/spec/topics/${topic}/source`;
      return { breaking, code: 'DIFF_SOURCE', concerns: 'deployment', pointer, message: found };
    });
  return [...lost, ...moved];
}

function sourceKey({ topics }: PipelineDefinition, topic: string): string {
  const { kafka } = topics[topic]!.source ?? {};
  return kafka ? JSON.stringify([kafka.topic, kafka.group]) : '';
}

function gone(name: string): Change {
  const message = `${name} was removed: it can no longer be started. Its runs and schedules continue.`;
  return { code: 'DIFF_GONE', concerns: 'callers', breaking: true, pointer: '', message };
}

function diffText(changes: readonly DocumentChange[], colours: Paint): string {
  if (changes.length === 0) return 'No changes.';
  return changes
    .map(({ kind, name, before, after, changes: found }) => {
      const versions =
        before === null ? `is new (${after})` : after === null ? `was ${before}` : `${before} → ${after}`;
      const lines = [...found]
        .sort((a, b) => Number(b.breaking) - Number(a.breaking))
        .map(({ breaking, code, concerns, pointer, message }) => {
          const word = breaking ? colours.red('breaks') : colours.dim('notes ');
          return `  ${word} ${safe(`${concerns}: ${message} (${code}${pointer ? ` ${pointer}` : ''})`)}`;
        });
      const same =
        found.length === 0 && before !== null
          ? ['  Its interface is unchanged. The behaviour of its states is not compared.']
          : [];
      return [`${kind ? 'pipeline ' : ''}${colours.bold(name)} ${safe(versions)}`, ...lines, ...same].join('\n');
    })
    .join('\n\n');
}
