import { basename } from 'node:path';
import type { Config } from '../config/config.js';
import type { Definition } from '../definition/definition.js';
import type { LoadOptions, ProfileFacts } from '../reading/load-options.js';
import { type BrokenFile, type Library, libraryOf } from '../service/library.js';
import { type ReadApiCatalogue, readApiCatalogue } from './api-documents.js';
import { DocumentMemory } from './document.js';
import { signatureOf } from './files.js';
import { type FileFinding, readJourneys } from './journeys.js';
import { readPipelines } from './pipelines.js';
import { readPlugins, wordsWith } from './plugins.js';

/** The journeys, Apis and pipelines that a folder holds, and what was wrong with its files; a document with errors is not in the library. */
export interface FolderLibrary extends Library {
  readonly findings: readonly FileFinding[];
  broken(name: string): readonly FileFinding[];
  brokenFiles(): readonly BrokenFile[];
}

/** What a library is read from. */
export type LibraryConfig = Pick<Config, 'specs' | 'catalogue'> & Partial<Config>;

/** The profiles that tasks may name, by kind. A kind without any is left out: its profiles are configured elsewhere, or not yet. */
export function profilesOf({ modules: _, ...auth }: Config['plugins']): NonNullable<LoadOptions['profiles']> {
  const byKind = Object.entries(auth).map(([plugin, { profiles }]) => {
    const facts = Object.entries(profiles).map(([name, profile]): [string, ProfileFacts] => {
      // A certificate stands nowhere but in its connection.
      const lacksSource = plugin !== 'mtlsValidate' && (profile as { source?: unknown }).source === undefined;
      return [name, { lacksSource }];
    });
    return [`${plugin}:v1`, Object.fromEntries(facts)] as const;
  });
  return Object.fromEntries(byKind.filter(([, facts]) => Object.keys(facts).length > 0));
}

/** What was read before, for whoever reads the same folders again and again. */
export class LibraryMemory {
  readonly journeys = new DocumentMemory<Definition>();
  private apis: { signature: string; read: ReadApiCatalogue } | undefined;

  /** The OpenAPI documents: read again when one of their files has changed, and then so are the journeys. */
  async catalogue(folders: Config['catalogue']): Promise<ReadApiCatalogue> {
    const paths = [...(folders.root === undefined ? [] : [folders.root]), ...folders.overlays];
    const signature = await signatureOf(paths, (name) => !/\.(journey|pipeline|scenarios?)\./.test(name));
    if (this.apis?.signature === signature) return this.apis.read;
    this.journeys.forgetTexts();
    const read = await readApiCatalogue(folders);
    this.apis = { signature, read };
    return read;
  }
}

/** The configured limits that documents must keep to. */
export function loadLimits({
  scheduleIntervalSec,
  metadata,
}: Pick<Config['limits'], 'scheduleIntervalSec' | 'metadata'>): Pick<
  LoadOptions,
  'minScheduleIntervalSec' | 'metadata'
> {
  return { minScheduleIntervalSec: scheduleIntervalSec, metadata };
}

/** Reads the configured specs folder and OpenAPI catalogue. With a memory, a document that has errors now stays what it was before. */
export async function readLibrary(config: LibraryConfig, memory?: LibraryMemory): Promise<FolderLibrary> {
  const { specs, catalogue: folders, limits, plugins, source } = config;
  const { catalogue, findings: apiFindings } = await (memory?.catalogue(folders) ?? readApiCatalogue(folders));
  const options: LoadOptions = {
    catalogue,
    words: wordsWith(await readPlugins(plugins?.modules ?? [], source?.baseDir)),
    ...(limits && loadLimits(limits)),
    ...(plugins && { profiles: profilesOf(plugins) }),
  };
  const journeys = await readJourneys([specs], options, memory?.journeys);
  const { byName, findings, broken } = journeys;
  const all = [...byName.keys()].sort().map((name) => byName.get(name)!);
  const newest = all.map((versions) => versions[0]!);
  const earlier = all.flatMap((versions) => versions.slice(1));
  const { pipelines, findings: pipelineFindings } = await readPipelines([specs], journeys, options);
  return {
    ...libraryOf(newest, pipelines, earlier),
    findings: [...apiFindings, ...findings, ...pipelineFindings],
    broken: (name) => broken.get(name) ?? [],
    brokenFiles: () => firstErrors([...findings, ...pipelineFindings]),
  };
}

/** The first error of each file. */
export function firstErrors(findings: readonly FileFinding[]): BrokenFile[] {
  const byFile = new Map<string, BrokenFile>();
  for (const { file, severity, code, message, line, column } of findings) {
    const name = basename(file);
    if (severity !== 'error' || byFile.has(name)) continue;
    byFile.set(name, { file: name, code, message, ...(line !== undefined && { line, column: column ?? 1 }) });
  }
  return [...byFile.values()];
}
