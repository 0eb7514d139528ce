import { setImmediate } from 'node:timers/promises';
import { compareVersions } from '../base/json/semver.js';
import { routeKey } from '../engine/definition/api-routes.js';
import type { Definition } from '../engine/definition/definition.js';
import { type LoadOptions, load } from '../language/load-journey.js';
import { type FileFinding, filesIn } from './find-files.js';
import {
  type DocumentMemory,
  definitionHash,
  duplicate,
  duplicateRoute,
  type LoadedDocument,
  readDocumentFile,
} from './read-document-file.js';

/** A valid journey. */
export type LoadedJourney = LoadedDocument<Definition>;

export { definitionHash, type FileFinding };

/** The journeys of a folder: each name with its versions, the highest first. */
export interface LoadedJourneys {
  byName: ReadonlyMap<string, readonly LoadedJourney[]>;
  findings: FileFinding[];
  files: readonly string[];
  /** Errors of invalid documents, by their probable names. */
  broken: ReadonlyMap<string, readonly FileFinding[]>;
}

/** The name of a journey's file. */
export const journeyFile = /\.journey\.(ya?ml|json)$/i;

/** Other files beside journeys, which a shell's `*` also matches. */
const otherFile = /\.(pipeline|scenarios?)\.(ya?ml|json)$/i;

/** Options of `readJourneys`: a memory of earlier reads, and a progress callback. */
export interface JourneyReading {
  memory?: DocumentMemory<Definition>;
  /** Called after each file with the total number of files. */
  onFile?: (total: number) => void;
}

/**
 * Reads files and folders of journeys. Invalid ones are left out and reported; so is a second file with the same name and version, or
 * the same route.
 */
export async function readJourneys(
  paths: readonly string[],
  options: LoadOptions = {},
  { memory, onFile }: JourneyReading = {},
): Promise<LoadedJourneys> {
  const { files, findings } = await filesIn(paths, journeyFile, (path) => !otherFile.test(path));
  memory?.retain(files);
  const byName = new Map<string, LoadedJourney[]>();
  const broken = new Map<string, FileFinding[]>();
  for (const file of files) {
    const read = readDocumentFile(file, (source) => load(source, options), memory);
    onFile?.(files.length);
    // A gateway that reloads its library serves requests in between.
    await setImmediate();
    findings.push(...read.findings);
    if (read.broken !== undefined) {
      const errors = read.findings.filter(({ severity }) => severity === 'error');
      broken.set(read.broken, [...(broken.get(read.broken) ?? []), ...errors]);
    }
    if (!read.document) continue;
    const { definition } = read.document;
    const versions = byName.get(definition.name) ?? [];
    const same = versions.find((other) => compareVersions(other.definition.version, definition.version) === 0);
    if (same) findings.push(duplicate(read.document, same));
    else byName.set(definition.name, [...versions, read.document]);
  }
  for (const versions of byName.values())
    versions.sort((a, b) => compareVersions(b.definition.version, a.definition.version));
  for (const [name, finding] of takenRoutes(byName)) {
    findings.push(finding);
    byName.delete(name);
  }
  return { byName, findings, files, broken };
}

/** Apis that an earlier one with the same method and path hides. Only the highest version of each is served. */
function takenRoutes(byName: LoadedJourneys['byName']): [name: string, FileFinding][] {
  const first = new Map<string, LoadedJourney>();
  return [...byName].flatMap(([name, [newest]]): [string, FileFinding][] => {
    if (newest?.definition.kind !== 'Api') return [];
    const key = routeKey(newest.definition);
    const other = first.get(key);
    if (other) return [[name, duplicateRoute(newest, other)]];
    first.set(key, newest);
    return [];
  });
}

/** Reads one journey file. */
export async function readJourney(
  file: string,
  options: LoadOptions = {},
): Promise<{ journey?: LoadedJourney; findings: FileFinding[] }> {
  const { document, findings } = readDocumentFile(file, (source) => load(source, options));
  return { ...(document && { journey: document }), findings };
}
