import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { parse } from 'yaml';
import type { Json } from '../base/json/value.js';
import type { Finding } from '../base/problems/problem.js';
import type { Config } from '../config/config-types.js';
import type { Definition } from '../engine/definition/definition.js';
import { type ApiCatalogue, createApiCatalogue, readApiDocument } from '../language/read/api-catalogue.js';
import type { LoadOptions, ProfileFacts } from '../language/read/load-options.js';
import { taskKinds } from '../language/tasks/registry.js';
import { type BrokenFile, type Library, libraryOf } from '../service/library-interface.js';
import { checkStartedJourneys } from './check-started-journeys.js';
import { signatureOf } from './find-files.js';
import { readPlugins, vocabularyWith } from './load-plugins.js';
import { DocumentMemory } from './read-document-file.js';
import { type FileFinding, readJourneys } from './read-journeys.js';
import { readPipelines } from './read-pipelines.js';

/** The journeys, Apis and pipelines of a folder, and the findings of its files; documents with errors are not in the library. */
export interface FolderLibrary extends Library {
  readonly findings: readonly FileFinding[];
  broken(name: string): readonly FileFinding[];
  brokenFiles(): readonly BrokenFile[];
}

/** The configuration of a library. */
export type LibraryConfig = Pick<Config, 'specs' | 'catalogue'> & Partial<Config>;

/** The profiles that tasks may name, by kind. A kind without profiles is left out: they are configured elsewhere, or not yet. */
function profilesOf({ modules: _, ...auth }: Config['plugins']): NonNullable<LoadOptions['profiles']> {
  const byKind = Object.entries(auth).map(([plugin, { profiles }]) => {
    const kind = `${plugin}:v1`;
    const hasSource = taskKinds.get(kind)?.schema.properties.source !== undefined;
    const facts = Object.entries(profiles).map(([name, profile]): [string, ProfileFacts] => {
      const lacksSource = hasSource && (profile as { source?: unknown }).source === undefined;
      return [name, { lacksSource }];
    });
    return [kind, Object.fromEntries(facts)] as const;
  });
  return Object.fromEntries(byKind.filter(([, facts]) => Object.keys(facts).length > 0));
}

/** Results of earlier reads, for a process that reads the same folders repeatedly. */
export class LibraryMemory {
  readonly journeys = new DocumentMemory<Definition>();
  private apis: { signature: string; read: ReadApiCatalogue } | undefined;

  /** The OpenAPI documents, read again after a change of their files; the journeys are then read again too. */
  async catalogue(folders: Config['catalogue']): Promise<ReadApiCatalogue> {
    const paths = [...(folders.root === undefined ? [] : [folders.root]), ...folders.overlays];
    const signature = await signatureOf(paths, (name) => !/\.(journey|pipeline|scenarios?)\./.test(name));
    if (this.apis?.signature === signature) return this.apis.read;
    this.journeys.invalidateAll();
    const read = await readApiCatalogue(folders);
    this.apis = { signature, read };
    return read;
  }
}

/** Things that documents refer to by name: operations of the OpenAPI catalogue, and task kinds of plugins. */
export type References = Required<Pick<LoadOptions, 'catalogue' | 'words'>>;

/** Reads the OpenAPI catalogue and the plugins of a configuration. */
export async function readReferences(
  { catalogue: folders, plugins, source }: Omit<LibraryConfig, 'specs'>,
  memory?: LibraryMemory,
): Promise<{ references: References; findings: readonly FileFinding[] }> {
  const { catalogue, findings } = await (memory?.catalogue(folders) ?? readApiCatalogue(folders));
  const words = vocabularyWith(await readPlugins(plugins?.modules ?? [], source?.baseDir));
  return { references: { catalogue, words }, findings };
}

/** The configured limits and profiles that documents are checked against. */
export function configuredChecks({
  limits,
  plugins,
  tasks,
}: Pick<LibraryConfig, 'limits' | 'plugins' | 'tasks'>): Pick<
  LoadOptions,
  'minScheduleIntervalSec' | 'backoffSec' | 'metadata' | 'profiles' | 'tasks'
> {
  return {
    ...(limits && {
      minScheduleIntervalSec: limits.scheduleIntervalSec,
      backoffSec: limits.backoffSec,
      metadata: limits.metadata,
    }),
    ...(plugins && { profiles: profilesOf(plugins) }),
    ...(tasks && { tasks }),
  };
}

/** Reads the configured specs folder and OpenAPI catalogue. With a memory, a document with errors keeps its last valid content. */
export async function readLibrary(config: LibraryConfig, memory?: LibraryMemory): Promise<FolderLibrary> {
  const { specs } = config;
  const { references, findings: apiFindings } = await readReferences(config, memory);
  const options: LoadOptions = { ...references, ...configuredChecks(config) };
  const journeys = await readJourneys([specs], options, memory && { memory: memory.journeys });
  const { byName, findings, broken } = journeys;
  const all = [...byName.keys()].sort().map((name) => byName.get(name)!);
  const newest = all.map((versions) => versions[0]!);
  const earlier = all.flatMap((versions) => versions.slice(1));
  const { pipelines, findings: pipelineFindings } = await readPipelines([specs], journeys, options);
  const started = await checkStartedJourneys([specs], journeys, options);
  return {
    ...libraryOf(newest, pipelines, earlier),
    findings: [...apiFindings, ...findings, ...started, ...pipelineFindings],
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

/** Folders of OpenAPI documents: the root that `openApiRef` is relative to, and overlays (files or folders), named after their APIs. */
interface ApiCatalogueFolders {
  root?: string;
  overlays?: readonly string[];
}

/** A catalogue read from folders, and the findings of its files. */
interface ReadApiCatalogue {
  catalogue: ApiCatalogue;
  findings: (Finding & { file: string })[];
}

const openApiFile = /\.(ya?ml|json)$/i;
const mostBytes = 5_000_000;

/**
 * Reads every OpenAPI document below the root and the overlays. In an overlay the file's name up to the first dot is the API's name:
 * `billing.openapi.yaml` adds to the API that a journey calls `billing`. Later overlays take precedence.
 */
export async function readApiCatalogue({ root, overlays = [] }: ApiCatalogueFolders): Promise<ReadApiCatalogue> {
  const findings: ReadApiCatalogue['findings'] = [];
  const documents = new Map<string, Json>();
  if (root !== undefined)
    for (const file of await files(root, findings)) {
      const json = await readDocument(file, findings);
      if (json !== undefined) documents.set(relative(root, file).split(sep).join('/'), json);
    }
  const byName = new Map<string, Json>();
  for (const folder of overlays)
    for (const file of await files(folder, findings)) {
      const json = await readDocument(file, findings);
      if (json === undefined) continue;
      if (readApiDocument(json)) byName.set(basename(file).split('.')[0]!, json);
      else findings.push(unreadable(file, 'It is not an OpenAPI 3 document.'));
    }
  return { catalogue: createApiCatalogue(documents, byName), findings };
}

async function files(folder: string, findings: ReadApiCatalogue['findings']): Promise<string[]> {
  try {
    if ((await stat(folder)).isFile()) return [folder];
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter(
        (entry) =>
          entry.isFile() && openApiFile.test(entry.name) && !/\.journey\.|\.scenario\.|\.pipeline\./.test(entry.name),
      )
      .filter((entry) => !entry.parentPath.split(sep).includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    findings.push(unreadable(folder, (error as Error).message));
    return [];
  }
}

/** The content of a file if it is an object; other YAML below the root is ignored. */
async function readDocument(file: string, findings: ReadApiCatalogue['findings']): Promise<Json | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    if (text.length > mostBytes) throw new Error(`it is larger than ${mostBytes} characters`);
    const value = parse(text, { maxAliasCount: 100 }) as Json;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch (error) {
    findings.push(unreadable(file, (error as Error).message.split('\n')[0] ?? ''));
    return undefined;
  }
}

function unreadable(file: string, message: string): Finding & { file: string } {
  return {
    file,
    code: 'API_REF_UNREADABLE',
    severity: 'warning',
    pointer: '',
    message: `The OpenAPI document cannot be read: ${message}`,
  };
}
