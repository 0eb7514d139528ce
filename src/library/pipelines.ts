import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { compareVersions } from '../json/semver.js';
import type { LoadOptions } from '../language/load.js';
import type { PipelineDefinition } from '../pipelines/definition.js';
import { loadPipeline } from '../pipelines/read/load.js';
import { type FileFinding, filesIn, pipelineFile, unreadable } from './files.js';
import { definitionHash, type Journeys, readJourneys } from './journeys.js';

/** A pipeline that loaded, where it came from, and the hash that names its content and that of its journeys. */
export interface LoadedPipeline {
  file: string;
  definition: PipelineDefinition;
  hash: string;
}

/** The pipelines of some files and folders: the highest version of each name. */
export interface Pipelines {
  pipelines: readonly LoadedPipeline[];
  findings: FileFinding[];
  files: readonly string[];
}

/**
 * Reads files and folders of pipelines. Their journeys are those of `journeys`, which were read from the same places; a file that is named by
 * itself may also use those of its own folder.
 */
export async function readPipelines(
  paths: readonly string[],
  journeys: Journeys,
  options: LoadOptions = {},
): Promise<Pipelines> {
  const { files, findings } = await filesIn(paths, pipelineFile);
  const byName = new Map<string, LoadedPipeline>();
  for (const file of files) {
    const around = paths.includes(file) ? (await readJourneys([dirname(file)], options)).byName : undefined;
    const read = await readPipeline(file, { ...options, journeys: lookup(journeys.byName, around) });
    findings.push(...read.findings);
    if (!read.pipeline) continue;
    const { name, version } = read.pipeline.definition;
    const other = byName.get(name);
    const newer = other ? compareVersions(version, other.definition.version) : 1;
    if (newer === 0) findings.push(duplicate(read.pipeline, other!));
    if (newer > 0) byName.set(name, read.pipeline);
  }
  return {
    pipelines: [...byName.values()].sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1)),
    findings,
    files,
  };
}

/** Reads one pipeline file. */
export async function readPipeline(
  file: string,
  options: Parameters<typeof loadPipeline>[1],
): Promise<{ pipeline?: LoadedPipeline; findings: FileFinding[] }> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return { findings: [unreadable(file, (error as Error).message)] };
  }
  const { definition, findings } = loadPipeline({ text, path: file }, options);
  const placed = findings.map((finding) => ({ file, ...finding }));
  return definition
    ? { pipeline: { file, definition, hash: definitionHash(definition) }, findings: placed }
    : { findings: placed };
}

/** The journeys that handlers may name: the highest version of each, wherever it stands. */
export function lookup(...places: (Journeys['byName'] | undefined)[]): Parameters<typeof loadPipeline>[1]['journeys'] {
  const all = places.filter((it) => it !== undefined);
  return {
    find: (name) => all.map((it) => it.get(name)?.[0]).find((it) => it !== undefined),
    names: () => [...new Set(all.flatMap((it) => [...it.keys()]))].sort(),
  };
}

function duplicate({ file, definition: { name, version } }: LoadedPipeline, other: LoadedPipeline): FileFinding {
  return {
    file,
    code: 'JOURNEY_DUPLICATE',
    severity: 'error',
    pointer: '/metadata/version',
    message: `${name} ${version} is already defined in ${other.file}.`,
    hint: 'Raise the version of one of them.',
  };
}
