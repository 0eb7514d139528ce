import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { JsonObject } from '../../src/base/json/value.js';
import { failingRuns } from '../../src/temporal/runs/run-diagnostics.js';
import { cpuMs } from '../bench/processes.js';
import { healthyDocument } from './healthy-document.js';
import { hostileDocument } from './hostile-document.js';
import { HostileRun } from './hostile-run.js';
import { look, tasksOf, timeline } from './runs.js';
import { startStack } from './stack.js';
import { standIn } from './stand-in.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    documents: { type: 'string', default: '1000' },
    /** Concurrent hostile runs. */
    concurrency: { type: 'string', default: '20' },
    healthy: { type: 'string', default: '100' },
    /** Runs only these documents, and prints the durations of their workflow tasks. */
    only: { type: 'string' },
    print: { type: 'boolean', default: false },
  },
});
const [seed, count, concurrency, healthyRuns] = [values.seed, values.documents, values.concurrency, values.healthy].map(
  Number,
) as [number, number, number, number];

/** A run that is active for longer than this stops blocking the next one; its end is checked later. */
const patienceMs = 20_000;
/** Time for active runs to become idle after the last start. */
const drainMs = 300_000;

const service = await standIn();
const wanted = values.only?.split(',').map(Number) ?? Array.from({ length: count }, (_, i) => i);
const documents = wanted.map((index) => hostileDocument(seed, index, service.url));
if (values.print) {
  for (const { text } of documents) console.log(text);
  await service.close();
  process.exit(0);
}
const problems: string[] = [];
/** Counts of hostile runs by outcome. */
const ends = new Map<string, number>();
const stack = await startStack([
  ['healthy', healthyDocument(service.url)] as const,
  ...documents.map(({ name, text }) => [name, text] as const),
]);
const began = performance.now();
// Cleans up after an interrupt.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stack.stop().finally(() => process.exit(130)));
try {
  await (values.only === undefined ? soak() : alone());
} finally {
  await stack.stop();
  await service.close();
}
for (const problem of problems) console.log(`BROKEN: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Runs the documents sequentially, and prints the cost of each. */
async function alone(): Promise<void> {
  for (const document of documents) {
    const cpu = cpuMs(stack.worker.pid);
    const run = new HostileRun(document, stack);
    await run.start();
    await run.untilIdle(patienceMs);
    const spent = cpuMs(stack.worker.pid) - cpu;
    const { executions, tasks, failed, longestMs } = await tasksOf(stack.client, run.id);
    say(
      `${document.name}: ${await run.end()}; ${spent} ms of worker CPU in ${tasks} tasks of ${executions} executions, the longest ${longestMs.toFixed(0)} ms${failed > 0 ? `, ${failed} FAILED` : ''}`,
    );
  }
  judgeWorker();
}

async function soak(): Promise<void> {
  say(`${documents.length} documents of seed ${seed}; worker ${stack.worker.pid}, ${concurrency} concurrent runs`);
  for (let i = 0; i < 20; i++) await healthyRun();
  const without: number[] = [];
  for (let i = 0; i < healthyRuns; i++) without.push(await healthyRun());
  say(`healthy alone: ${figures(without)}`);

  const before = cpuNow();
  const hostileBegan = performance.now();
  const runs: HostileRun[] = [];
  const during: number[] = [];
  const ids: string[] = [];
  const waiting = [...documents];
  const report = setInterval(() => {
    const active = runs.filter((run) => !run.isIdle).length;
    say(`${runs.length} started, ${active} active, ${during.length} healthy runs`);
  }, 10_000);
  const lane = async (_: unknown, i: number): Promise<void> => {
    // Starts are staggered, as in practice.
    await sleep(i * 250);
    for (let document = waiting.shift(); document; document = waiting.shift()) {
      const run = new HostileRun(document, stack);
      runs.push(run);
      await run.start();
      await run.untilIdle(patienceMs);
    }
  };
  /** Runs healthy journeys sequentially, spread evenly among the hostile ones. */
  const beside = async (): Promise<void> => {
    for (let i = 0; i < healthyRuns; i++) {
      while (runs.length < Math.ceil(((i + 0.5) * documents.length) / healthyRuns)) await sleep(5);
      during.push(await healthyRun(ids));
    }
  };
  await Promise.all([beside(), ...Array.from({ length: concurrency }, lane)]);
  const hostileMs = performance.now() - hostileBegan;
  const after = cpuNow();
  const shares = after.map((ms, i) => Math.round(((ms - before[i]!) / hostileMs) * 100));
  say(`healthy beside: ${figures(during)}`);
  const slow = during
    .map((ms, i) => ({ ms, id: ids[i]! }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, 8);
  for (const { ms, id } of slow) say(`${ms.toFixed(0)} ms: ${await timeline(stack.client, id)}`);
  await Promise.all(runs.filter((run) => !run.isIdle).map((run) => run.untilIdle(drainMs)));
  clearInterval(report);
  await judge(runs);
  judgeWorker();
  table(without, during, runs, hostileMs, shares);
}

async function judge(runs: HostileRun[]): Promise<void> {
  const failing = await failingRuns(stack.client);
  for (const { id, journey, attempt } of failing) problems.push(`doctor: ${journey} ${id} fails, attempt ${attempt}`);
  for (const run of runs) {
    let end = await run.end();
    // A run may wake up five times a second forever, so it may appear active.
    for (let i = 0; i < 5 && end.startsWith('RUNNING'); i++) end = await sleep(300).then(() => run.end());
    if (!/^(parked|SUCCEEDED|FAILED [A-Z_]+)$/.test(end) && (await makesProgress(run))) end = 'computes in turns';
    ends.set(end, (ends.get(end) ?? 0) + 1);
    if (/^(parked|computes in turns|SUCCEEDED|FAILED [A-Z_]+)$/.test(end)) continue;
    if (!failing.some(({ id }) => id === run.id)) problems.push(`${run.document.name} ${run.id}: ${end}`);
  }
}

/** Whether a run that has not ended makes progress: with many runs, each has a turn every few seconds. */
async function makesProgress(run: HostileRun): Promise<boolean> {
  const { mark } = await look(stack.client, run.id);
  for (let i = 0; i < 20; i++) {
    await sleep(1_000);
    const seen = await look(stack.client, run.id);
    if (seen.attempt <= 1 && seen.mark !== mark) return true;
  }
  return false;
}

function judgeWorker(): void {
  const end = stack.worker.ended();
  if (end !== undefined) problems.push(`the worker ${end}`);
  for (const line of stack.worker.log) {
    const { level, msg, reason, runId } = parsed(line);
    if (Number(level) >= 50)
      problems.push(`the worker's log: ${String(msg)} ${String(runId ?? '')} ${String(reason ?? '')}`);
  }
}

function parsed(line: string): JsonObject {
  try {
    return JSON.parse(line) as JsonObject;
  } catch {
    return { level: 60, msg: line };
  }
}

/** Milliseconds of CPU so far: worker, server, gateway, and everything else on the machine. */
function cpuNow(): number[] {
  const ours = [stack.worker.pid, stack.server.pid, stack.gateway.pid].map(cpuMs);
  const [user, nice, system] = readFileSync('/proc/stat', 'utf8').split(/\s+/).slice(1, 4).map(Number);
  const all = (user! + nice! + system!) * 10;
  return [...ours, all - ours.reduce((sum, ms) => sum + ms, cpuMs(process.pid))];
}

async function healthyRun(ids: string[] = []): Promise<number> {
  const started = performance.now();
  const { status, body } = await stack.post('healthy/start', { name: 'Ada' });
  ids.push(String(body.journeyId));
  if (body.phase !== 'SUCCEEDED') problems.push(`a healthy run: ${status} ${JSON.stringify(body)}`);
  return performance.now() - started;
}

function quantile(sorted: number[], q: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN;
}

function figures(times: number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const [p50, p99, worst] = [quantile(sorted, 0.5), quantile(sorted, 0.99), quantile(sorted, 1)];
  return `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`;
}

function table(without: number[], during: number[], runs: HostileRun[], hostileMs: number, shares: number[]): void {
  const idleAfter = runs.map(({ idleAfterMs }) => idleAfterMs).sort((a, b) => a - b);
  const slowest = [...runs].sort((a, b) => b.idleAfterMs - a.idleAfterMs).slice(0, 5);
  console.log(`
healthy runs alone     ${without.length}: ${figures(without)}
healthy runs beside    ${during.length}: ${figures(during)}
hostile runs           ${runs.length} in ${(hostileMs / 1_000).toFixed(0)} s, ${service.calls()} calls; of a core: worker ${shares[0]} %, server ${shares[1]} %, gateway ${shares[2]} %, others here ${shares[3]} %
until they end or are parked ${figures(idleAfter)} (${slowest.map((run) => `${run.document.index}: ${(run.idleAfterMs / 1_000).toFixed(0)} s`).join(', ')})
the worker             ${stack.worker.ended() ?? `alive, the same process ${stack.worker.pid}`}`);
  for (const [end, times] of [...ends].sort((a, b) => b[1] - a[1]))
    console.log(`  ${String(times).padStart(5)}  ${end}`);
  console.log(
    `\nseed ${seed}, ${concurrency} concurrent runs; Node ${process.version}, server ${stack.server.version}, ${cpus().length} cores`,
  );
}

function say(text: string): void {
  console.log(`${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s  ${text}`);
}
