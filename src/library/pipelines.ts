import { dirname } from 'node:path';
import { compareVersions } from '../json/semver.js';
import type { LoadOptions } from '../language/load.js';
import type { PipelineDefinition } from '../pipelines/definition.js';
import { loadPipeline, type PipelineOptions } from '../pipelines/read/load.js';
import { duplicate, type LoadedDocument, readDocument } from './document.js';
import { type FileFinding, filesIn, pipelineFile } from './files.js';
import { type Journeys, readJourneys } from './journeys.js';

/** A pipeline that loaded; its hash is also that of its journeys. */
export type LoadedPipeline = LoadedDocument<PipelineDefinition>;

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
  journeys: Pick<Journeys, 'byName'>,
  options: LoadOptions = {},
): Promise<Pipelines> {
  const { files, findings } = await filesIn(paths, pipelineFile);
  const byName = new Map<string, LoadedPipeline>();
  for (const file of files) {
    const around = paths.includes(file) ? (await readJourneys([dirname(file)], options)).byName : undefined;
    const within = { ...options, journeys: lookup(journeys.byName, around) };
    const { document, findings: found } = readDocument(file, (source) => loadPipeline(source, within));
    findings.push(...found);
    if (!document) continue;
    const { name, version } = document.definition;
    const other = byName.get(name);
    const newer = other ? compareVersions(version, other.definition.version) : 1;
    if (newer === 0) findings.push(duplicate(document, other!));
    if (newer > 0) byName.set(name, document);
  }
  return {
    pipelines: [...byName.values()].sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1)),
    findings,
    files,
  };
}

/** The journeys that handlers may name: the highest version of each, wherever it stands. */
function lookup(...places: (Journeys['byName'] | undefined)[]): PipelineOptions['journeys'] {
  const all = places.filter((it) => it !== undefined);
  return {
    find: (name) => all.map((it) => it.get(name)?.[0]).find((it) => it !== undefined),
    names: () => [...new Set(all.flatMap((it) => [...it.keys()]))].sort(),
  };
}
