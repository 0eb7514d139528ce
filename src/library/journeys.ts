import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Definition } from '../definition/definition.js';
import { compareVersions } from '../json/semver.js';
import { canonical, type Json } from '../json/value.js';
import { type LoadOptions, load } from '../language/load.js';
import type { PipelineDefinition } from '../pipelines/definition.js';
import { type FileFinding, filesIn, pipelineFile, unreadable } from './files.js';

/** A journey that loaded, where it came from, and the hash that names its content. */
export interface LoadedJourney {
  file: string;
  definition: Definition;
  hash: string;
}

export type { FileFinding };

/** The journeys of a folder: each name with its versions, the highest first. */
export interface Journeys {
  byName: ReadonlyMap<string, readonly LoadedJourney[]>;
  findings: FileFinding[];
  files: readonly string[];
}

/** What the file of a journey is called. */
export const journeyFile = /\.journey\.(ya?ml|json)$/i;

/** Reads files and folders of journeys. Broken ones are left out and reported; so is a second file with the same name and version. */
export async function readJourneys(paths: readonly string[], options: LoadOptions = {}): Promise<Journeys> {
  const { files, findings } = await filesIn(paths, journeyFile, (path) => !pipelineFile.test(path));
  const byName = new Map<string, LoadedJourney[]>();
  for (const file of files) {
    const loaded = await readJourney(file, options);
    findings.push(...loaded.findings);
    if (!loaded.journey) continue;
    const { definition } = loaded.journey;
    const versions = byName.get(definition.name) ?? [];
    const same = versions.find((other) => compareVersions(other.definition.version, definition.version) === 0);
    if (same) findings.push(duplicate(file, same, definition));
    else byName.set(definition.name, [...versions, loaded.journey]);
  }
  for (const versions of byName.values())
    versions.sort((a, b) => compareVersions(b.definition.version, a.definition.version));
  return { byName, findings, files };
}

/** Reads one journey file. */
export async function readJourney(
  file: string,
  options: LoadOptions = {},
): Promise<{ journey?: LoadedJourney; findings: FileFinding[] }> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return { findings: [unreadable(file, (error as Error).message)] };
  }
  const { definition, findings } = load({ text, path: file }, options);
  const placed = findings.map((finding) => ({ file, ...finding }));
  return definition
    ? { journey: { file, definition, hash: definitionHash(definition) }, findings: placed }
    : { findings: placed };
}

/** The content hash of a definition: the same journey gives the same hash, however it is written. */
export function definitionHash(definition: Definition | PipelineDefinition): string {
  return createHash('sha256')
    .update(canonical(definition as unknown as Json))
    .digest('hex');
}

function duplicate(file: string, other: LoadedJourney, { name, version }: Definition): FileFinding {
  return {
    file,
    code: 'JOURNEY_DUPLICATE',
    severity: 'error',
    pointer: '/metadata/version',
    message: `${name} ${version} is already defined in ${other.file}.`,
    hint: 'Raise the version of one of them.',
  };
}
