import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { BrokenFile, LibraryEntry, PipelineEntry } from '../service/library.js';
import type { FileFinding } from './journeys.js';
import { type FolderLibrary, firstErrors, type LibraryConfig, LibraryMemory, readLibrary } from './library.js';

/** What a second look at the folders found. */
export interface LibraryChange {
  /** Journeys and Apis that are new, or have other content. */
  readonly changed: readonly LibraryEntry[];
  readonly pipelines: readonly PipelineEntry[];
  /** Names that are not there any more. */
  readonly gone: readonly string[];
  /** What is wrong now and was not before. */
  readonly findings: readonly FileFinding[];
  /** Files that had errors and have none now, whether or not they say something else than what is served. */
  readonly mended: readonly string[];
  /** Files that had errors and are not there any more. */
  readonly removed: readonly string[];
}

/** The library of a folder that may change while a process runs. Runs keep the definition that they were started with. */
export class LiveLibrary implements FolderLibrary {
  private readonly memory = new LibraryMemory();
  /** Documents that somebody decided not to serve, and why. */
  private readonly withheld = new Map<string, readonly FileFinding[]>();
  private reading: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly config: LibraryConfig,
    private current: FolderLibrary,
  ) {}

  /** Reads the folder for the first time. */
  static async open(config: LibraryConfig): Promise<LiveLibrary> {
    const library = new LiveLibrary(config, { ...nothing });
    await library.reload();
    return library;
  }

  get findings(): readonly FileFinding[] {
    return this.current.findings;
  }

  find(name: string, version?: string): LibraryEntry | undefined {
    return this.withheld.has(name) ? undefined : this.current.find(name, version);
  }

  names(): readonly string[] {
    return this.current.names().filter((name) => !this.withheld.has(name));
  }

  apis(): readonly LibraryEntry[] {
    return this.current.apis().filter(({ definition }) => !this.withheld.has(definition.name));
  }

  pipelines(): readonly PipelineEntry[] {
    return this.current.pipelines();
  }

  broken(name: string): readonly FileFinding[] {
    return [...this.current.broken(name), ...(this.withheld.get(name) ?? [])];
  }

  brokenFiles(): readonly BrokenFile[] {
    return [...this.current.brokenFiles(), ...firstErrors([...this.withheld.values()].flat())];
  }

  /** Serves a document no more, until it is read with other content. */
  withhold(name: string, findings: readonly FileFinding[]): void {
    this.withheld.set(name, findings);
  }

  /** Reads what has changed; one after another. */
  async reload(): Promise<LibraryChange> {
    const mine = this.reading.then(() => this.readAgain());
    this.reading = mine.catch(() => undefined);
    return await mine;
  }

  private async readAgain(): Promise<LibraryChange> {
    const before = this.current;
    const now = await readLibrary(this.config, this.memory);
    this.current = now;
    const old = hashes(before);
    const fresh = entriesOf(now).filter(({ definition, hash }) => old.get(keyOf(definition)) !== hash);
    for (const { definition } of fresh) this.withheld.delete(definition.name);
    const pipelines = new Map(before.pipelines().map(({ definition, hash }) => [definition.name, hash]));
    const told = new Set(before.findings.map((it) => JSON.stringify(it)));
    const broken = new Set(now.brokenFiles().map(({ file }) => file));
    const over = before.brokenFiles().flatMap(({ file }) => (broken.has(file) ? [] : file));
    const paths = new Map(before.findings.map(({ file }) => [basename(file), file]));
    const isThere = (file: string) => existsSync(paths.get(file) ?? file);
    const left = new Set(entriesOf(now).map(({ definition }) => keyOf(definition)));
    return {
      changed: fresh,
      pipelines: now.pipelines().filter(({ definition, hash }) => pipelines.get(definition.name) !== hash),
      gone: entriesOf(before).flatMap(({ definition }) => (left.has(keyOf(definition)) ? [] : definition.name)),
      findings: now.findings.filter((it) => !told.has(JSON.stringify(it))),
      mended: over.filter(isThere),
      removed: over.filter((file) => !isThere(file)),
    };
  }
}

const nothing: FolderLibrary = {
  find: () => undefined,
  names: () => [],
  apis: () => [],
  pipelines: () => [],
  findings: [],
  broken: () => [],
  brokenFiles: () => [],
};

/** Every journey and Api that is served. */
export function entriesOf(library: Pick<FolderLibrary, 'names' | 'find' | 'apis'>): LibraryEntry[] {
  return [...library.names().flatMap((name) => library.find(name) ?? []), ...library.apis()];
}

function hashes(library: FolderLibrary): Map<string, string> {
  return new Map(entriesOf(library).map(({ definition, hash }) => [keyOf(definition), hash]));
}

function keyOf({ kind, name }: LibraryEntry['definition']): string {
  return `${kind} ${name}`;
}
