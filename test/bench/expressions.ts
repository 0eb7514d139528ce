import jsonata from 'jsonata';
import { compileDataWeave, evaluateDetailed } from '../../src/expressions/dataweave/index.js';
import type { Env } from '../../src/expressions/expression.js';
import { equal, type Json } from '../../src/json/value.js';
import { ProblemError } from '../../src/problems/problem.js';
import { Oracle, oracleMissing } from '../fuzz/oracle.js';
import { median, microseconds } from './clock.js';
import { hostile } from './hostile.js';
import { bindings, transformations } from './transformations.js';

const env: Env = { now: 0, uuid: () => 'u', random: () => 0.5 };
const options = { bindings: Object.keys(bindings) };
const failures: string[] = [];

/** The real engine's time per expression, startup excluded; undefined where it is not installed. */
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

/** What became of an expression: a value and its fuel, or the code of the refusal. */
function attempt(expr: string): { outcome: string; ms: number } {
  const started = performance.now();
  let outcome: string;
  try {
    const { fuel } = evaluateDetailed(compileDataWeave(expr, { mode: 'strict', bindings: [] }), {}, env);
    outcome = `a value for ${fuel} fuel`;
  } catch (error) {
    outcome = error instanceof ProblemError ? error.problem.code : `crashed: ${String(error).slice(0, 60)}`;
  }
  return { outcome, ms: performance.now() - started };
}

function provoke(): void {
  const before = Reflect.ownKeys(Object.prototype).length;
  const results = hostile.map(({ name, expr }) => {
    const [first, second] = [attempt(expr), attempt(expr)];
    if (first.outcome !== second.outcome) failures.push(`${name}: ${first.outcome}, then ${second.outcome}`);
    if (/crashed|INTERNAL/.test(first.outcome)) failures.push(`${name}: ${first.outcome}`);
    return { name, outcome: first.outcome, ms: Math.max(first.ms, second.ms) };
  });
  if (Reflect.ownKeys(Object.prototype).length !== before || 'polluted' in {})
    failures.push('Object.prototype was changed');
  results.sort((a, b) => b.ms - a.ms);
  const shown = process.argv.includes('--verbose') ? results : results.slice(0, 8);
  console.log(`\nhostile input: ${results.length} expressions, slowest first`);
  for (const { name, outcome, ms } of shown)
    console.log(`${name.padEnd(26)}${ms.toFixed(1).padStart(8)} ms  ${outcome}`);
  const slowest = results[0]!;
  if (slowest.ms > 1000) failures.push(`${slowest.name}: ${slowest.ms.toFixed(0)} ms is too near the sandbox's 5000`);
}

await compareSpeed();
provoke();
for (const failure of failures) console.log(`FAILED ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
