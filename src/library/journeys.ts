import { setImmediate } from 'node:timers/promises';
import { routeKey } from '../definition/api-path.js';
import type { Definition } from '../definition/definition.js';
import { compareVersions } from '../json/semver.js';
import { type LoadOptions, load } from '../language/load.js';
import {
  type DocumentMemory,
  definitionHash,
  duplicate,
  duplicateRoute,
  type LoadedDocument,
  type ReadDocument,
  readDocument,
} from './document.js';
import { type FileFinding, filesIn } from './files.js';

/** A journey that loaded. */
export type LoadedJourney = LoadedDocument<Definition>;

export { definitionHash, type FileFinding };

/** The journeys of a folder: each name with its versions, the highest first. */
export interface Journeys {
  byName: ReadonlyMap<string, readonly LoadedJourney[]>;
  findings: FileFinding[];
  files: readonly string[];
  /** What keeps documents from being read, by the name they seem to have. */
  broken: ReadonlyMap<string, readonly FileFinding[]>;
}

/** What the file of a journey is called. */
export const journeyFile = /\.journey\.(ya?ml|json)$/i;

/** What stands beside journeys: a shell that lists all files of a folder names these too. */
const otherFile = /\.(pipeline|scenarios?)\.(ya?ml|json)$/i;

/** Reads files and folders of journeys. Broken ones are left out and reported; so is a second file with the same name and version, or route. */
export async function readJourneys(
  paths: readonly string[],
  options: LoadOptions = {},
  memory?: DocumentMemory<Definition>,
): Promise<Journeys> {
  return readJourneysWith(paths, async (files) => {
    memory?.retain(files);
    const read: ReadDocument<Definition>[] = [];
    for (const file of files) {
      read.push(readDocument(file, (source) => load(source, options), memory));
      // A gateway that reads its library again answers in between.
      await setImmediate();
    }
    return read;
  });
}

/** The same, with `readAll` to say what each file came to. */
export async function readJourneysWith(
  paths: readonly string[],
  readAll: (files: readonly string[]) => Promise<readonly ReadDocument<Definition>[]>,
): Promise<Journeys> {
  const { files, findings } = await filesIn(paths, journeyFile, (path) => !otherFile.test(path));
  const byName = new Map<string, LoadedJourney[]>();
  const broken = new Map<string, FileFinding[]>();
  for (const read of await readAll(files)) {
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

/** The Apis that could never be called, because one of a file before answers at their method and path. Only the highest version of each answers. */
function takenRoutes(byName: Journeys['byName']): [name: string, FileFinding][] {
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
  const { document, findings } = readDocument(file, (source) => load(source, options));
  return { ...(document && { journey: document }), findings };
}
