import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** A figure of the tools: its name, its target, and how to measure it. */
export interface ToolMeasure {
  readonly name: string;
  readonly aimMs: number;
  /** Milliseconds. */
  run(): Promise<number>;
}

const journeys = 100;
const scenariosEach = 10;

const journey = (i: number) => `apiVersion: v1
kind: Journey
metadata: { name: order-${i}, version: 1.0.0 }
spec:
  input:
    schema: { type: object, required: [amount], properties: { amount: { type: number }, sku: { type: string } } }
  start: price
  states:
    price:
      type: task
      task: { kind: httpCall:v1, method: GET, url: 'https://shop.test/prices/\${context.sku}', timeoutMs: 5000, resultVar: price }
      next: large
    large:
      type: choice
      choices:
        - when: { predicate: { lang: dataweave, expr: context.amount > 100 } }
          next: approve
      default: pay
    approve:
      type: wait
      wait:
        channel: manual
        input: { schema: { type: object, required: [approved], properties: { approved: { type: boolean } } } }
        timeoutSec: 86400
        onTimeout: expired
      next: decided
    decided:
      type: choice
      choices:
        - when: { predicate: { lang: dataweave, expr: context.payload.approved } }
          next: pause
      default: refused
    pause: { type: timer, timer: { duration: PT1H }, next: pay }
    pay:
      type: task
      task:
        kind: httpCall:v1
        method: POST
        url: https://bank.test/payments
        timeoutMs: 5000
        body: { mapper: { lang: dataweave, expr: '{ amount: context.amount * context.price.body.price }' } }
        resultVar: payment
      next: answer
    answer:
      type: transform
      transform:
        mapper: { lang: dataweave, expr: '{ status: "PAID", id: context.payment.body.id, total: context.amount * context.price.body.price }' }
        target: { kind: var }
        resultVar: answer
      next: done
    done: { type: succeed, outputVar: answer }
    refused: { type: fail, errorCode: REFUSED, reason: Somebody said no }
    expired: { type: fail, errorCode: EXPIRED, reason: Nobody said anything }
`;

const given = `given:
  backend:
    - { call: GET https://shop.test/prices/*, reply: { body: { price: 2 } } }
    - { call: POST https://bank.test/payments, reply: { status: 201, body: { id: p-1 } } }
scenarios:
`;

function scenario(i: number): string {
  const amount = i % 2 === 0 ? 50 + i : 500 + i;
  if (i % 2 === 0)
    return `  small ${i}:
    input: { amount: ${amount}, sku: s-${i} }
    expect: { phase: SUCCEEDED, output: { status: PAID, id: p-1, total: ${amount * 2} }, elapsed: PT0S }
`;
  const approved = i % 4 === 1;
  return `  large ${i}:
    input: { amount: ${amount}, sku: s-${i} }
    steps: [{ step: approve, payload: { approved: ${approved} }, delay: PT2H }]
    expect: { ${approved ? 'phase: SUCCEEDED, elapsed: PT3H' : 'phase: FAILED, errorCode: REFUSED, elapsed: PT2H'} }
`;
}

/** A folder of a hundred journeys with ten scenarios each. */
function manyScenarios(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'journeyman-bench-'));
  mkdirSync(join(folder, 'specs'));
  const texts = Array.from({ length: scenariosEach }, (_, i) => scenario(i)).join('');
  for (let i = 0; i < journeys; i++) {
    writeFileSync(join(folder, 'specs', `order-${i}.journey.yaml`), journey(i));
    writeFileSync(join(folder, 'specs', `order-${i}.scenario.yaml`), given + texts);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A journey that is scheduled every day, and a script for it. */
const days = 'test/unit/scenarios/simulate/fixtures';

/** The duration of the command as a process, from start to exit; it must print `proof`. */
async function took(args: readonly string[], cwd: string, proof: string): Promise<number> {
  const main = resolve('dist/src/cli/main.js');
  const began = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], { cwd, maxBuffer: 50_000_000 });
  const ms = performance.now() - began;
  if (!stdout.includes(proof)) throw new Error(`${args.join(' ')} did not print ${proof}`);
  return ms;
}

/** The tools that play scenarios, as processes from start to exit, as an author uses them. */
export const playMeasures: readonly ToolMeasure[] = [
  {
    name: `test of ${journeys * scenariosEach} scenarios`,
    aimMs: 5_000,
    async run() {
      const { folder, remove } = manyScenarios();
      return await took(['test', 'specs'], folder, '1000 passed, 0 failed').finally(remove);
    },
  },
  {
    name: 'a year of a daily binding',
    aimMs: 1_000,
    run: () =>
      took(['simulate', 'daily.journey.yaml', '--schedule', '--script', 'script.yaml'], days, '365 of 400 runs'),
  },
];
