import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import jsonata from 'jsonata';
import { equal, type Json } from '../../src/base/json/value.js';
import { compileDataWeave } from '../../src/expressions/dataweave/index.js';
import type { Env } from '../../src/expressions/expression-engine-interface.js';
import { Oracle, oracleMissing } from '../fuzz/dataweave/oracle.js';
import { median, microseconds } from './clock.js';
import { hostile } from './hostile.js';
import { bindings, transformations } from './transformations.js';

const env: Env = { now: 0, uuid: () => 'u', random: () => 0.5 };
const options = { bindings: Object.keys(bindings) };
const failures: string[] = [];

/** The real engine's time per expression, without startup; undefined if it is not installed. */
async function realMicroseconds(): Promise<number[] | undefined> {
  if (oracleMissing()) return undefined;
  const oracle = new Oracle(1);
  const request = (expr: string) => ({ expr, bindings, now: '2031-01-01T00:00:00Z', uuid: 'u' });
  await oracle.askAll(transformations.map(({ dataweave }) => request(dataweave)));
  const times: number[] = [];
  for (const { dataweave } of transformations) {
    times.push(await microseconds(() => oracle.ask(request(dataweave)), 3, 30));
  }
  oracle.close();
  return times;
}

async function compareSpeed(): Promise<void> {
  const real = await realMicroseconds();
  const ratios: number[] = [];
  const compiles: number[] = [];
  const realRatios: number[] = [];
  console.log(
    `${'transformation'.padEnd(16)}   ours µs   jsonata    ratio   compile µs${real ? '   real engine    ratio' : ''}`,
  );
  for (const [i, it] of transformations.entries()) {
    const ours = compileDataWeave(it.dataweave, options);
    const theirs = jsonata(it.jsonata);
    const [a, b] = [ours.evaluate(bindings, env), JSON.parse(JSON.stringify(await theirs.evaluate(bindings))) as Json];
    if (!equal(a, b))
      failures.push(`${it.name}: ${JSON.stringify(a).slice(0, 80)} is not ${JSON.stringify(b).slice(0, 80)}`);
    const mine = await microseconds(() => ours.evaluate(bindings, env));
    const other = await microseconds(() => theirs.evaluate(bindings));
    const compile = await microseconds(() => compileDataWeave(it.dataweave, options));
    ratios.push(other / mine);
    compiles.push(compile);
    const process = real?.[i];
    if (process !== undefined) realRatios.push(process / (mine + compile));
    const tail = process === undefined ? '' : `${process.toFixed(0).padStart(14)}${times(process / (mine + compile))}`;
    console.log(
      `${it.name.padEnd(16)}${mine.toFixed(2).padStart(10)}${other.toFixed(2).padStart(10)}${times(other / mine)}${compile.toFixed(2).padStart(13)}${tail}`,
    );
  }
  console.log(
    `\nevaluation: median ${median(ratios).toFixed(1)}x as fast as jsonata, least ${Math.min(...ratios).toFixed(1)}x (target 5x)`,
  );
  console.log(
    `compile: median ${median(compiles).toFixed(1)} µs, most ${Math.max(...compiles).toFixed(1)} µs (target 20 µs)`,
  );
  console.log(
    real
      ? `real engine process: we compile and evaluate median ${median(realRatios).toFixed(0)}x as fast`
      : 'real engine process: not compared (set DW_PYTHON to a Python with dataweave-native)',
  );
}

function times(ratio: number): string {
  return `${ratio.toFixed(1)}x`.padStart(9);
}

interface Provoked {
  first: { outcome: string; ms: number };
  second: { outcome: string; ms: number };
  polluted: boolean;
}

const sandboxMs = 5_000;

/** Evaluates every hostile expression twice in a separate thread, which is terminated if one does not end. */
async function provoke(): Promise<void> {
  const start = () => new Worker(new URL('./hostile-worker.js', import.meta.url));
  let worker = start();
  const results: { name: string; outcome: string; ms: number }[] = [];
  for (const { name, expr } of hostile) {
    worker.postMessage(expr);
    const ended = await Promise.race([once(worker, 'message'), delay(2 * sandboxMs)]);
    if (!ended) {
      await worker.terminate();
      worker = start();
      failures.push(`${name}: did not end`);
      continue;
    }
    const { first, second, polluted } = ended[0] as Provoked;
    if (first.outcome !== second.outcome) failures.push(`${name}: ${first.outcome}, then ${second.outcome}`);
    if (/crashed|INTERNAL/.test(first.outcome)) failures.push(`${name}: ${first.outcome}`);
    if (polluted) failures.push(`${name}: Object.prototype was changed`);
    results.push({ name, outcome: first.outcome, ms: Math.max(first.ms, second.ms) });
  }
  await worker.terminate();
  results.sort((a, b) => b.ms - a.ms);
  const shown = process.argv.includes('--verbose') ? results : results.slice(0, 8);
  console.log(`\nhostile input: ${hostile.length} expressions, each twice with the same result; slowest first`);
  for (const { name, outcome, ms } of shown)
    console.log(`${name.padEnd(26)}${ms.toFixed(1).padStart(8)} ms  ${outcome}`);
  const slowest = results[0]!;
  if (slowest.ms > sandboxMs / 5)
    failures.push(`${slowest.name}: ${slowest.ms.toFixed(0)} ms is too near the sandbox's limit`);
}

await compareSpeed();
await provoke();
for (const failure of failures) console.log(`FAILED ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
