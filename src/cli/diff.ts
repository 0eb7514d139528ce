import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { jsonText, type Output, type Paint, paint, safe } from '../app/terminal.js';
import type { Change } from '../compare/change.js';
import { changesBetween } from '../compare/definitions.js';
import type { Config } from '../config/config.js';
import { readApiCatalogue } from '../library/api-documents.js';
import { type Journeys, readJourneys } from '../library/journeys.js';
import { loadLimits, profilesOf } from '../library/library.js';
import { type Pipelines, readPipelines } from '../library/pipelines.js';
import { readPlugins, wordsWith } from '../library/plugins.js';
import type { PipelineDefinition } from '../pipelines/definition.js';
import { refuse } from '../problems/problem.js';
import { configOf, configured, formatOption, jsonOption } from './options.js';
import { checkout } from './revision.js';

/** What became of one journey, Api or pipeline. */
export interface DocumentChange {
  readonly kind?: 'Pipeline';
  readonly name: string;
  /** Null where it is not there. */
  readonly before: string | null;
  readonly after: string | null;
  readonly changes: readonly Change[];
}

const help = `
Each side is a file, a folder, or a git revision of the configured folder; the second is that folder as it is now unless given.
Exit codes: 0 nothing breaks, 1 something does, or a side cannot be read.

Examples:
  $ journeyman diff main
  $ journeyman diff v1.2.0 v1.3.0
  $ journeyman diff old/order.journey.yaml specs/order.journey.yaml --json`;

/** `journeyman diff`: what breaks whoever relies on the old documents. */
export function diffCommand(out: Output = process.stdout): Command {
  return configured('diff')
    .description(
      'Say what is different between two sets of journeys and pipelines, and what of it breaks callers, steps, schedules and runs.',
    )
    .argument('<old>', 'a file, a folder or a git revision')
    .argument('[new]', 'the same (default: the configured folder as it is)')
    .addOption(formatOption())
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (old: string, now: string | undefined, options: { config?: string; format: 'text' | 'json' }) => {
      const config = configOf(options);
      const [before, after] = await Promise.all([documents(old, config), documents(now ?? config.specs, config)]);
      const changes = [...compare(before.byName, after.byName), ...comparePipelines(before.pipelines, after.pipelines)];
      out.write(`${options.format === 'json' ? jsonText(changes, 2) : diffText(changes, paint(out))}\n`);
      if (changes.some((it) => it.changes.some(({ breaking }) => breaking))) process.exitCode = 1;
    });
}

/** The documents of one side. One with errors would be taken for one that is gone, so it is refused. */
async function documents(
  what: string,
  config: Config,
): Promise<Pick<Journeys, 'byName'> & Pick<Pipelines, 'pipelines'>> {
  const { path, close } = await checkout(what, config.specs);
  try {
    const root = statSync(path).isDirectory() ? path : config.catalogue.root;
    const { catalogue } = await readApiCatalogue({
      ...(root !== undefined && { root }),
      overlays: config.catalogue.overlays,
    });
    const options = {
      catalogue,
      ...loadLimits(config.limits),
      words: wordsWith(await readPlugins(config.plugins.modules, config.source.baseDir)),
      profiles: profilesOf(config.plugins),
    };
    const { byName, findings } = await readJourneys([path], options);
    const { pipelines, findings: more } = await readPipelines([path], { byName }, options);
    const errors = [...findings, ...more].filter(({ severity }) => severity === 'error');
    if (errors.length > 0)
      refuse('DIFF_SOURCE_INVALID', `Documents of ${what} have errors.`, { errors: errors.slice(0, 20) });
    return { byName, pipelines };
  } finally {
    await close();
  }
}

/** The highest version of each name on either side. */
export function compare(before: Journeys['byName'], after: Journeys['byName']): DocumentChange[] {
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

/** Pipelines that are new or gone, and topics that are. What their handlers do is in their journeys. */
export function comparePipelines(before: Pipelines['pipelines'], after: Pipelines['pipelines']): DocumentChange[] {
  const definitions = (all: Pipelines['pipelines']) =>
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
    const message = `${was.name} is gone: the next deployment pauses it. Its events wait.`;
    return [{ ...breaks, code: 'DIFF_GONE', concerns: 'deployment', message }];
  }
  return Object.keys(was.topics)
    .filter((topic) => !Object.hasOwn(is.topics, topic))
    .map((topic) => ({
      ...breaks,
      code: 'DIFF_TOPIC',
      concerns: 'callers',
      pointer: '/spec/topics',
      message: `The topic ${topic} is gone: nothing can be published to it any more. While events wait in it, the document is refused.`,
    }));
}

function gone(name: string): Change {
  const message = `${name} is gone: it cannot be started any more. Its runs and schedules go on.`;
  return { code: 'DIFF_GONE', concerns: 'callers', breaking: true, pointer: '', message };
}

function diffText(changes: readonly DocumentChange[], colours: Paint): string {
  if (changes.length === 0) return 'Nothing is different.';
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
          ? ['  Nothing of what it promises is different. What its states do is not compared.']
          : [];
      return [`${kind ? 'pipeline ' : ''}${colours.bold(name)} ${safe(versions)}`, ...lines, ...same].join('\n');
    })
    .join('\n\n');
}
