import { dirname, resolve, sep } from 'node:path';
import { compareVersions } from '../base/json/semver.js';
import type { LoadOptions } from '../language/load-journey.js';
import type { PipelineDefinition } from '../pipelines/definition.js';
import { loadPipeline, type PipelineOptions } from '../pipelines/read/load-pipeline.js';
import { type FileFinding, filesIn, pipelineFile } from './find-files.js';
import { duplicate, type LoadedDocument, readDocumentFile } from './read-document-file.js';
import { type LoadedJourneys, readJourneys } from './read-journeys.js';

/** A valid pipeline; its hash covers its journeys too. */
export type LoadedPipeline = LoadedDocument<PipelineDefinition>;

/** The pipelines of some files and folders: the highest version of each name. */
export interface LoadedPipelines {
  pipelines: readonly LoadedPipeline[];
  findings: FileFinding[];
  files: readonly string[];
}

/** Options of reading documents that use others. */
export interface DocumentOptions extends LoadOptions {
  /** The configured folder: documents in it may use all of its journeys, as they do when it is served. */
  specs?: string;
}

/** Reads files and folders of pipelines. They may use `journeys`, which were read from the same paths, and those of the configured folder. */
export async function readPipelines(
  paths: readonly string[],
  journeys: Pick<LoadedJourneys, 'byName'>,
  { specs, ...options }: DocumentOptions = {},
): Promise<LoadedPipelines> {
  const { files, findings } = await filesIn(paths, pipelineFile);
  const folders = new Map<string, ReturnType<typeof readJourneys>>();
  const byName = new Map<string, LoadedPipeline>();
  for (const file of files) {
    const folder = folderOf(file, specs);
    const isRead = paths.some((path) => isWithin(folder, path));
    if (!isRead && !folders.has(folder)) folders.set(folder, readJourneys([folder], options));
    const within = { ...options, journeys: lookup(journeys.byName, (await folders.get(folder))?.byName) };
    const { document, findings: found } = readDocumentFile(file, (source) => loadPipeline(source, within));
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

/** The folder whose journeys a document may use: the configured one if the file is in it, else its own. */
export function folderOf(file: string, specs: string | undefined): string {
  return specs !== undefined && isWithin(file, specs) ? specs : dirname(file);
}

export function isWithin(path: string, folder: string): boolean {
  return `${resolve(path)}${sep}`.startsWith(`${resolve(folder)}${sep}`);
}

/** The journeys that handlers may name: the highest version of each. */
function lookup(...places: (LoadedJourneys['byName'] | undefined)[]): PipelineOptions['journeys'] {
  const all = places.filter((it) => it !== undefined);
  return {
    find: (name) => all.map((it) => it.get(name)?.[0]).find((it) => it !== undefined),
    names: () => [...new Set(all.flatMap((it) => [...it.keys()]))].sort(),
  };
}
