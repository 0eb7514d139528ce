import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openBrowser } from '../temporal/support/browser.js';
import { median } from './clock.js';
import { nodeProcess } from './processes.js';

/*
 * The console on a running gateway: the time until a reload draws the graph of a run, and the cost to a run of ten readers that follow its
 * trail, as the ratio of the latency of its steps with and without them.
 */

const drawings = 7;
const rounds = 8;
/** Enough for responses to the readers during the measurement: a change is sent after half a second. */
const stepsPerRound = 25;
const watchers = 10;
const graphMs = 500;
const ratioAim = 1.05;

const journey = `apiVersion: v1
kind: Journey
metadata: { name: steps, version: 1.0.0 }
spec:
  start: ask
  states:
    ask: { type: wait, wait: { channel: manual, input: { schema: { type: object } } }, next: count }
    count: { type: transform, transform: { expr: "(context.n default 0) + 1", resultVar: n }, next: more }
    more: { type: choice, choices: [{ when: "context.n < 100000", next: ask }], default: done }
    done: { type: succeed }
`;

const folder = mkdtempSync(join(tmpdir(), 'bench-console-'));
writeFileSync(join(folder, 'steps.journey.yaml'), journey);
const main = fileURLToPath(new URL('../../../src/cli/main.js', import.meta.url));
const up = await nodeProcess([main, 'up'], 'Try:', {
  JOURNEYMAN_SPECS: folder,
  JOURNEYMAN_LOG_LEVEL: 'error',
  JOURNEYMAN_GATEWAY_PORT: '0',
  JOURNEYMAN_SERVER_PORT: '0',
  JOURNEYMAN_SERVER_UI_PORT: '0',
  JOURNEYMAN_SERVER_IN_MEMORY: 'true',
});
const url = /Gateway\s+(http\S+)/.exec(up.printed())![1]!;

async function post(path: string): Promise<{ journeyId: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v1/journeys/${path}`, { method: 'POST', headers, body: '{}' });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { journeyId: string };
}

async function start(): Promise<string> {
  return (await post('steps/start')).journeyId;
}

/** Opens a trail as a page does, and follows it until the signal. */
async function watch(id: string, signal: AbortSignal): Promise<{ readonly ended: Promise<void> }> {
  const read = async (query: string): Promise<string> => {
    const response = await fetch(`${url}/api/v1/journeys/${id}/trail?pageSize=1000${query}`, { signal });
    return ((await response.json()) as { cursor: string }).cursor;
  };
  let cursor = await read('');
  const follow = async () => {
    while (!signal.aborted) cursor = await read(`&waitSec=25&after=${encodeURIComponent(cursor)}`);
  };
  return { ended: follow().catch(() => undefined) };
}

/** The time of each of a few steps, from the request until the run is idle again. */
async function latencies(id: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < stepsPerRound; i++) {
    const began = performance.now();
    await post(`${id}/steps/ask`);
    times.push(performance.now() - began);
  }
  return times;
}

/** Alternates with and without readers, so that other work on the machine affects both. */
async function ratio(): Promise<number> {
  const id = await start();
  await latencies(id);
  const [alone, watched]: [number[], number[]] = [[], []];
  for (let i = 0; i < rounds; i++) {
    alone.push(...(await latencies(id)));
    const abort = new AbortController();
    setMaxListeners(0, abort.signal);
    const readers = await Promise.all(Array.from({ length: watchers }, () => watch(id, abort.signal)));
    await latencies(id);
    watched.push(...(await latencies(id)));
    abort.abort();
    await Promise.all(readers.map(({ ended }) => ended));
  }
  console.log(`| step without readers | ${median(alone).toFixed(1)} ms |`);
  console.log(`| step with ${watchers} readers | ${median(watched).toFixed(1)} ms |`);
  return median(watched) / median(alone);
}

/** The time at which the page has drawn its graph. Polled from outside, because its policy forbids generated code. */
async function untilDrawn(page: Page): Promise<number> {
  for (;;) {
    const drawnAt = await page.evaluate('window.drawnAt');
    if (typeof drawnAt === 'number') return drawnAt;
    await sleep(20);
  }
}

/** The time from a reload until the first node of the graph is drawn, everything cached. */
async function firstGraph(): Promise<number> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.addInitScript(`
      new MutationObserver((_, observer) => {
        if (!document.querySelector('.diagram-node')) return;
        observer.disconnect();
        requestAnimationFrame(() => { window.drawnAt = performance.now(); });
      }).observe(document, { childList: true, subtree: true });
    `);
    await page.goto(`${url}/console/runs/${await start()}`);
    const times: number[] = [];
    for (let i = 0; i <= drawings; i++) {
      const drawnAt = await untilDrawn(page);
      if (i > 0) times.push(drawnAt);
      await page.reload();
    }
    return median(times);
  } finally {
    await browser.close();
  }
}

try {
  console.log('| part | |\n|---|---|');
  const drawn = await firstGraph();
  console.log(`| first graph after a warm load (aim: ${graphMs} ms) | ${drawn.toFixed(0)} ms |`);
  const cost = await ratio();
  console.log(`| latency of a step with ${watchers} readers, as a ratio (aim: ${ratioAim}) | ${cost.toFixed(2)} |`);
  if (drawn > graphMs || cost > ratioAim) process.exitCode = 1;
} finally {
  await up.stop();
  rmSync(folder, { recursive: true });
}
