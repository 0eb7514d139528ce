import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './clock.js';
import { freePorts, nodeProcess } from './processes.js';
import type { ToolMeasure } from './tools-play.js';

const edits = 10;

/** Edits of one of the example journeys, while `up --watch` runs on its own server. */
export const watchMeasure: ToolMeasure = {
  name: 'edit to served under up --watch',
  aimMs: 1_000,
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'journeyman-watch-'));
    const specs = join(folder, 'specs');
    await cp('specs', specs, { recursive: true });
    const [port, server] = await freePorts(2);
    const up = await nodeProcess([resolve('dist/src/cli/main.js'), 'up', '--watch'], 'Watching', {
      JOURNEYMAN_SPECS: specs,
      JOURNEYMAN_SERVER_DATA_DIR: join(folder, 'data'),
      JOURNEYMAN_SERVER_IN_MEMORY: 'true',
      JOURNEYMAN_SERVER_PORT: String(server),
      JOURNEYMAN_SERVER_UI_PORT: '0',
      JOURNEYMAN_GATEWAY_PORT: String(port),
      JOURNEYMAN_LOG_LEVEL: 'error',
    });
    try {
      const file = join(specs, 'hello.journey.yaml');
      const text = await readFile(file, 'utf8');
      const took: number[] = [];
      for (let i = 1; i <= edits; i++) {
        const began = performance.now();
        await writeFile(file, text.replace('"Hello, ', `"Hello ${i}, `).replace(/version: .*/, `version: 1.0.${i}`));
        while (!(await greeting(port!)).startsWith(`Hello ${i},`)) await sleep(5);
        took.push(performance.now() - began);
      }
      return median(took);
    } finally {
      await up.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** The current response of the edited journey. */
async function greeting(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/journeys/hello/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"Ada"}',
  });
  const { output } = (await answer.json()) as { output?: { greeting?: string } };
  return output?.greeting ?? '';
}
