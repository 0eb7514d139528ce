import { join } from 'node:path';
import { inScratch, install, sizeOf } from '../cache.js';
import { goVersion } from '../release.js';
import { lastLine, run } from '../run.js';
import { type Way, WayFailed } from '../way.js';
import { versionOf } from './on-path.js';

const module = `github.com/temporalio/cli/cmd/temporal@v${goVersion}`;

/** The CLI built from source. Go's checksum database vouches for it: the version is the pin. */
export const goInstall: Way = {
  id: 'go',
  title: `go install ${module}`,
  installs: true,
  async find({ cacheRoot, platform, env, onProgress }) {
    const known = await run('go', ['version'], { env, timeoutMs: 20_000 }).catch(() => undefined);
    if (known?.code !== 0) throw new WayFailed('there is no go on PATH', 'Install Go, or any of the ways above.');
    return await inScratch(cacheRoot, async (folder) => {
      const message = `building temporal ${goVersion} with Go (a few minutes)`;
      const ended = await run('go', ['install', module], {
        env: { ...env, GOBIN: folder, CGO_ENABLED: env.CGO_ENABLED ?? '0' },
        timeoutMs: 30 * 60_000,
        alive: () => onProgress({ way: 'go', message }),
      });
      const built = join(folder, platform === 'win32' ? 'temporal.exe' : 'temporal');
      if (ended.code !== 0 || (await sizeOf(built)) === undefined) {
        throw new WayFailed(
          `go install failed: ${lastLine(ended.stderr)}`,
          'Check the network, GOPROXY and disk space.',
        );
      }
      await versionOf(built);
      return { path: await install(built, cacheRoot, goVersion, platform), version: goVersion };
    });
  },
};
