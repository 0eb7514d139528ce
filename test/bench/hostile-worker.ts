import { parentPort } from 'node:worker_threads';
import { ProblemError } from '../../src/base/problems/problem.js';
import { compileDataWeave, evaluateDetailed } from '../../src/expressions/dataweave/index.js';

/** The result of an expression: a value and its fuel, or an error code. */
function attempt(expr: string): { outcome: string; ms: number } {
  const env = { now: 0, uuid: () => 'u', random: () => 0.5 };
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

parentPort?.on('message', (expr: string) => {
  const [first, second] = [attempt(expr), attempt(expr)];
  const polluted = 'polluted' in {} || Reflect.ownKeys(Object.prototype).length !== untouched;
  parentPort?.postMessage({ first, second, polluted });
});

const untouched = Reflect.ownKeys(Object.prototype).length;
