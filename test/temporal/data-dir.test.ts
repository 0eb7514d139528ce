import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { startServer } from '../../src/temporal/server/start-server.js';

const rights = (path: string) => (statSync(path).mode & 0o777).toString(8);

it('FLT-19 only the owner can read the embedded server’s data, including files that an earlier version left readable', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'data-dir-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const folder = join(cwd, '.journeyman');
  mkdirSync(folder, { mode: 0o755 });
  writeFileSync(join(folder, 'server.log'), '', { mode: 0o644 });
  const config = loadConfig({ cwd, env: { JOURNEYMAN_SERVER_PORT: '0', JOURNEYMAN_SERVER_UI_PORT: '0' } });
  const files = ['temporal.db', 'temporal.db-wal', 'server.log'].map((name) => join(folder, name));
  for (const round of ['made', 'found open']) {
    const server = await startServer(config);
    expect([folder, ...files].map(rights), round).toEqual(['700', '600', '600', '600']);
    await server.stop();
    chmodSync(folder, 0o755);
    for (const file of [files[0]!, files[2]!]) chmodSync(file, 0o644);
  }
});
