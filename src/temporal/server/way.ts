import type { Build } from './release.js';

/** What an attempt to find or install a server reports while it works. */
export interface Progress {
  readonly way: string;
  readonly message: string;
  readonly bytes?: number;
  readonly total?: number;
}

/** What a way needs to know about the machine. */
export interface WayContext {
  readonly env: NodeJS.ProcessEnv;
  /** Our cache: `<root>/<version>/temporal` for each installed version. */
  readonly cacheRoot: string;
  readonly platform: string;
  readonly arch: string;
  /** The pinned build for this machine, if there is one. */
  readonly build: Build | undefined;
  readonly onProgress: (progress: Progress) => void;
}

/** A `temporal` executable that can be started. */
export interface Executable {
  readonly path: string;
  readonly version: string;
}

/** One way to come by a server executable. `find` rejects with a `WayFailed` that says why not and what would help. */
export interface Way {
  readonly id: string;
  readonly title: string;
  /** Whether it downloads or builds something; a dry run does not. */
  readonly installs: boolean;
  find(context: WayContext): Promise<Executable>;
}

/** Why a way did not work, and what the user can do about it. */
export class WayFailed extends Error {
  override readonly name = 'WayFailed';
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}
