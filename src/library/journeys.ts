import type { Definition } from '../definition/definition.js';
import { compareVersions } from '../json/semver.js';
import { type LoadOptions, load } from '../language/load.js';
import { definitionHash, duplicate, type LoadedDocument, readDocument } from './document.js';
import { type FileFinding, filesIn, pipelineFile } from './files.js';

/** A journey that loaded. */
export type LoadedJourney = LoadedDocument<Definition>;

export { definitionHash, type FileFinding };

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
    if (same) findings.push(duplicate(loaded.journey, same));
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
  const { document, findings } = await readDocument(file, (source) => load(source, options));
  return { ...(document && { journey: document }), findings };
}
