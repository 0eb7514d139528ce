import { join } from 'node:path';
import { compareVersions } from '../../../json/semver.js';
import { sizeOf } from '../cache.js';
import { oldestServer } from '../release.js';
import { lastLine, run } from '../run.js';
import { type Way, WayFailed } from '../way.js';

/** `temporal` as the user installed it. */
export const onPath: Way = {
  id: 'path',
  title: '`temporal` on PATH',
  installs: false,
  async find({ env, platform }) {
    const path = await locate(env, platform);
    if (path === undefined) throw new WayFailed('there is none', 'Install the Temporal CLI (brew install temporal).');
    const { version, server } = await versionOf(path);
    if (compareVersions(server, oldestServer) < 0) {
      throw new WayFailed(
        `${path} carries server ${server}; Journeyman needs ${oldestServer} or newer`,
        'Update the Temporal CLI (brew upgrade temporal).',
      );
    }
    return { path, version };
  },
};

async function locate(env: NodeJS.ProcessEnv, platform: string): Promise<string | undefined> {
  const [separator, name] = platform === 'win32' ? [';', 'temporal.exe'] : [':', 'temporal'];
  for (const folder of (env.PATH ?? '').split(separator)) {
    const candidate = join(folder, name);
    if (folder !== '' && (await sizeOf(candidate)) !== undefined) return candidate;
  }
  return undefined;
}

/** The versions that an executable reports. One built with `go install` knows only its server's. */
export async function versionOf(path: string): Promise<{ version: string; server: string }> {
  let said: string;
  try {
    const ended = await run(path, ['--version'], { timeoutMs: 10_000 });
    said = ended.stdout || ended.stderr;
  } catch (error) {
    throw new WayFailed(`${path} does not run (${(error as Error).message})`, 'Remove it, or install it again.');
  }
  const [, version, server] = /temporal version (\S+) \(Server (\d+\.\d+\.\d+)/.exec(said) ?? [];
  if (version === undefined || server === undefined) {
    throw new WayFailed(`${path} is not the Temporal CLI: “${lastLine(said)}”`, 'Put the Temporal CLI first on PATH.');
  }
  return { version, server };
}
