import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { BrokenFile, LibraryEntry, PipelineEntry } from '../service/library-interface.js';
import type { FileFinding } from './read-journeys.js';
import { type FolderLibrary, firstErrors, type LibraryConfig, LibraryMemory, readLibrary } from './read-library.js';

/** The difference between two reads of the folders. */
export interface LibraryChange {
  /** New or changed journeys and Apis. */
  readonly changed: readonly LibraryEntry[];
  readonly pipelines: readonly PipelineEntry[];
  /** Names of removed documents. */
  readonly gone: readonly string[];
  /** New findings. */
  readonly findings: readonly FileFinding[];
  /** Files whose errors are fixed, whether or not their content differs from the served one. */
  readonly mended: readonly string[];
  /** Removed files that had errors. */
  readonly removed: readonly string[];
}

/** The library of a folder, reloaded on changes. Runs keep the definition that they were started with. */
export class LiveLibrary implements FolderLibrary {
  private readonly memory = new LibraryMemory();
  /** Withheld documents and the reasons. */
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

  versions(name: string): readonly LibraryEntry[] {
    return this.withheld.has(name) ? [] : this.current.versions(name);
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

  /** Stops serving a document until its content changes. */
  withhold(name: string, findings: readonly FileFinding[]): void {
    this.withheld.set(name, findings);
  }

  /** Reads the changed files. Concurrent calls run one after another. */
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
    const reported = new Set(before.findings.map((it) => JSON.stringify(it)));
    const broken = new Set(now.brokenFiles().map(({ file }) => file));
    const over = before.brokenFiles().flatMap(({ file }) => (broken.has(file) ? [] : file));
    const paths = new Map(before.findings.map(({ file }) => [basename(file), file]));
    const isThere = (file: string) => existsSync(paths.get(file) ?? file);
    const left = new Set(entriesOf(now).map(({ definition }) => keyOf(definition)));
    return {
      changed: fresh,
      pipelines: now.pipelines().filter(({ definition, hash }) => pipelines.get(definition.name) !== hash),
      gone: entriesOf(before).flatMap(({ definition }) => (left.has(keyOf(definition)) ? [] : definition.name)),
      findings: now.findings.filter((it) => !reported.has(JSON.stringify(it))),
      mended: over.filter(isThere),
      removed: over.filter((file) => !isThere(file)),
    };
  }
}

const nothing: FolderLibrary = {
  find: () => undefined,
  versions: () => [],
  names: () => [],
  apis: () => [],
  pipelines: () => [],
  findings: [],
  broken: () => [],
  brokenFiles: () => [],
};

/** All served journeys and Apis. */
export function entriesOf(library: Pick<FolderLibrary, 'names' | 'find' | 'apis'>): LibraryEntry[] {
  return [...library.names().flatMap((name) => library.find(name) ?? []), ...library.apis()];
}

function hashes(library: FolderLibrary): Map<string, string> {
  return new Map(entriesOf(library).map(({ definition, hash }) => [keyOf(definition), hash]));
}

function keyOf({ kind, name }: LibraryEntry['definition']): string {
  return `${kind} ${name}`;
}
