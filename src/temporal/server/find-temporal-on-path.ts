import { join } from 'node:path';
import { compareVersions } from '../../base/json/semver.js';
import { sizeOf } from './binary-cache.js';
import { execCommand, lastLine } from './exec-command.js';
import { oldestServer } from './pinned-cli-release.js';
import { type ServerSource, SourceFailed } from './server-source-interface.js';

/** `temporal` as installed by the user. */
export const serverOnPath: ServerSource = {
  id: 'path',
  title: '`temporal` on PATH',
  installs: false,
  async find({ env, platform }) {
    const path = await locate(env, platform);
    if (path === undefined) throw new SourceFailed('not found', 'Install the Temporal CLI (brew install temporal).');
    const { version, server } = await versionOf(path);
    if (compareVersions(server, oldestServer) < 0) {
      throw new SourceFailed(
        `${path} contains server ${server}; Journeyman needs ${oldestServer} or newer`,
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

/** Reads the versions of an executable. One built with `go install` reports only the server's. */
export async function versionOf(path: string): Promise<{ version: string; server: string }> {
  let said: string;
  try {
    const ended = await execCommand(path, ['--version'], { timeoutMs: 10_000 });
    said = ended.stdout || ended.stderr;
  } catch (error) {
    throw new SourceFailed(`${path} does not run (${(error as Error).message})`, 'Remove it, or install it again.');
  }
  const [, version, server] = /temporal version (\S+) \(Server (\d+\.\d+\.\d+)/.exec(said) ?? [];
  if (version === undefined || server === undefined) {
    throw new SourceFailed(
      `${path} is not the Temporal CLI: “${lastLine(said)}”`,
      'Put the Temporal CLI first on PATH.',
    );
  }
  return { version, server };
}
