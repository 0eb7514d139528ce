import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bytesIn, inScratch, install, verify } from '../cache.js';
import { pinnedVersion } from '../release.js';
import { lastLine, run } from '../run.js';
import { type Way, WayFailed } from '../way.js';
import { versionOf } from './on-path.js';

const hint = 'Allow HTTPS to temporal.download, or install the Temporal CLI yourself.';

/**
 * Temporal's own download, through the SDK's core, as its testing package does it. It runs in a process of its own: it cannot be interrupted, and it would set
 * up our SDK runtime before the worker can.
 */
export const official: Way = {
  id: 'official',
  title: 'the official download',
  installs: true,
  async find({ cacheRoot, platform, build, onProgress }) {
    return await inScratch(cacheRoot, async (folder) => {
      const progress = () => {
        const bytes = bytesIn(folder);
        onProgress({ way: 'official', message: `downloading temporal ${pinnedVersion}`, bytes });
        return bytes;
      };
      progress();
      const ended = await run(process.execPath, ['-e', script, require.resolve('@temporalio/worker'), folder], {
        idleMs: 20_000,
        alive: progress,
      }).catch((error: Error) => Promise.reject(new WayFailed(error.message, hint)));
      const [file] = readdirSync(folder).filter((name) => statSync(join(folder, name)).size > 1_000_000);
      if (ended.code !== 0 || file === undefined) throw new WayFailed(shorten(lastLine(ended.stderr)), hint);

      const path = join(folder, file);
      if (build !== undefined) await verify(path, build.sha256);
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

/** The SDK repeats itself on the way up; the innermost cause is what helps. */
function shorten(message: string): string {
  return message.split(': ').slice(-2).join(': ');
}
