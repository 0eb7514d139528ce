import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './clock.js';
import { freePorts } from './processes.js';

const repeats = 5;

/** Seconds from `npm start` to the first answered journey, and to the end after SIGINT. */
async function startOnce(dataDir: string): Promise<{ answered: number; stopped: number }> {
  const [gateway, server, ui] = await freePorts(3);
  const began = performance.now();
  const child = spawn('npm', ['start'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
    env: {
      ...process.env,
      JOURNEYMAN_SERVER_DATA_DIR: dataDir,
      JOURNEYMAN_GATEWAY_PORT: String(gateway),
      JOURNEYMAN_SERVER_PORT: String(server),
      JOURNEYMAN_SERVER_UI_PORT: String(ui),
      JOURNEYMAN_LOG_LEVEL: 'error',
    },
  });
  while (child.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${gateway}/api/v1/journeys/hello/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"Ada"}',
    }).catch(() => undefined);
    if (answer?.ok && ((await answer.json()) as { phase: string }).phase === 'SUCCEEDED') break;
    await sleep(20);
  }
  if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
  const answered = performance.now() - began;
  const exited = once(child, 'exit');
  process.kill(-child.pid!, 'SIGINT');
  await exited;
  return { answered: answered / 1000, stopped: (performance.now() - began) / 1000 - answered / 1000 };
}

const dataDir = mkdtempSync(join(tmpdir(), 'journeyman-bench-'));
const results = [];
for (let i = 0; i <= repeats; i++) {
  const result = await startOnce(dataDir);
  console.log(
    `${i === 0 ? 'cold' : `warm ${i}`}: first answer after ${result.answered.toFixed(2)} s, stopped in ${result.stopped.toFixed(2)} s`,
  );
  if (i > 0) results.push(result.answered);
}
rmSync(dataDir, { recursive: true, force: true });
console.log(`\nwarm npm start to the first answered journey: median ${median(results).toFixed(2)} s (aim 3 s)`);
