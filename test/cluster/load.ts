import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src/base/json/value.js';
import type { Random } from '../fuzz/dataweave/random.js';
import type { Caller } from './caller.js';
import { type LoadJourney, loadJourneys } from './journeys.js';

/** A run of the load from its caller's view. */
export interface LoadRun {
  readonly n: number;
  readonly journey: LoadJourney;
  readonly startedAt: number;
  journeyId?: string;
  /** The time at which the caller had the outcome. */
  endedAt?: number;
  /** The reason for an unexpected outcome. */
  fault?: string;
}

/** The maximum number of concurrent runs; the rate drops if the cluster is slower. */
const atOnce = 80;

/** Starts `count` runs at `rate` per second and awaits the end of each. `beforeEach` receives the number of the next run. */
export async function runLoad(
  caller: Caller,
  random: Random,
  { count, rate }: { count: number; rate: number },
  beforeEach: (n: number) => void,
): Promise<LoadRun[]> {
  const runs: LoadRun[] = [];
  const inFlight = new Set<Promise<void>>();
  let due = performance.now();
  for (let n = 0; n < count; n++) {
    beforeEach(n);
    const journey = random.weighted(loadJourneys.map((it) => [it.weight, it] as const));
    const run: LoadRun = { n, journey, startedAt: Date.now() };
    runs.push(run);
    const whole = wholeRun(caller, run)
      .catch((error: Error) => {
        run.fault = error.message;
      })
      .finally(() => inFlight.delete(whole));
    inFlight.add(whole);
    if (inFlight.size >= atOnce) await Promise.race(inFlight);
    // Missed starts are not caught up.
    due = Math.max(due + 1_000 / rate, performance.now());
    await sleep(due - performance.now());
  }
  await Promise.all(inFlight);
  return runs;
}

/** Starts a run, performs its caller's actions, and reads the outcome. */
async function wholeRun(caller: Caller, run: LoadRun): Promise<void> {
  const { journey, n } = run;
  const { name, submits, cancelsIn } = journey;
  const started = await caller.ask('POST', `/journeys/${name}/start`, { n }, `${name}-${n}`);
  run.journeyId = String(started.body.journeyId ?? '');
  if (started.status > 202 || run.journeyId === '') throw new Error(`start: ${shown(started)}`);
  const path = `/journeys/${run.journeyId}`;
  const stops = submits ?? cancelsIn;
  if (stops !== undefined) {
    // A start responds after 25 seconds even if the run does not exist yet.
    if (started.body.currentState !== stops)
      await caller.until(path, ({ body }) => body.currentState === stops || body.phase !== 'RUNNING');
    const step = submits === undefined ? 'cancel' : submits;
    const answer = await caller.ask('POST', `${path}/steps/${step}`, {}, `${name}-${n}-${step}`);
    if (answer.status > 202) throw new Error(`${step}: ${shown(answer)}`);
  }
  const hasEnded = started.body.phase !== undefined && started.body.phase !== 'RUNNING';
  const { body } = hasEnded ? started : await caller.until(`${path}/result`, ({ status }) => status !== 409, 300);
  run.endedAt = Date.now();
  const fault = faultOf(journey, n, body);
  if (fault !== undefined) run.fault = fault;
}

/** The difference between an outcome and the expected one. */
export function faultOf(journey: LoadJourney, n: number, body: JsonObject): string | undefined {
  const error = body.error as JsonObject | undefined;
  const output = body.output as JsonObject | undefined;
  const isRight =
    body.phase === journey.phase && (journey.phase === 'SUCCEEDED' ? output?.n === n : error?.code === journey.code);
  return isRight ? undefined : `ended with ${JSON.stringify(body)}`;
}

function shown({ status, body }: { status: number; body: JsonObject }): string {
  return `${status} ${JSON.stringify(body)}`;
}
