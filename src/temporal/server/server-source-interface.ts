import type { Build } from './pinned-cli-release.js';

/** Progress of finding or installing a server. */
export interface InstallProgress {
  readonly source: string;
  readonly message: string;
  readonly bytes?: number;
  readonly total?: number;
}

/** Facts about the machine. */
export interface SourceContext {
  readonly env: NodeJS.ProcessEnv;
  /** The cache: `<root>/<version>/temporal` for each installed version. */
  readonly cacheRoot: string;
  readonly platform: string;
  readonly arch: string;
  /** The pinned build for this machine, if any. */
  readonly build: Build | undefined;
  readonly onProgress: (progress: InstallProgress) => void;
}

/** A working `temporal` executable. */
export interface Executable {
  readonly path: string;
  readonly version: string;
}

/** A source of server executables. `find` rejects with a `SourceFailed` with reason and hint. */
export interface ServerSource {
  readonly id: string;
  readonly title: string;
  /** True if it downloads or builds; skipped in a dry run. */
  readonly installs: boolean;
  find(context: SourceContext): Promise<Executable>;
}

/** The reason why a source failed, with a hint for the user. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed';
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}
