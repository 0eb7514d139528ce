import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { mulberry } from '../../fuzz/loader/mutate.js';
import { Ledger } from '../ledger.js';
import { PatientClient } from '../patient-client.js';
import { processes, Stand } from '../stand.js';
import { type SteadyJourney, steadyDocument, steadyJourneys } from './journeys.js';
import { median, type Sample, trendOf } from './trend.js';

const help = `npm run soak -- [options]

Starts mixed journeys at a fixed rate and samples the memory of worker and gateway, and the time of synchronous runs. Over the second half both
must be flat, and the ledger exact: each call of each run once.

  --minutes <n>   how long runs are started (default 30)
  --rate <n>      runs per second (default 4)
  --seed <n>      the mix (default 1)
  --help`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(help);
  process.exit(0);
}
const [minutes, rate, seed] = [values.minutes, values.rate, values.seed].map(Number) as [number, number, number];
/** The maximum growth over the second half, relative to the level, of a flat measure. */
const bounds = { memory: 0.05, lag: 0.25 };
const sampleMs = 5_000;

interface SteadyRun {
  readonly label: string;
  readonly journey: SteadyJourney;
  end: string;
}

const ledger = await Ledger.start();
const http = new PatientClient();
const stand = await Stand.start({
  documents: Object.fromEntries(
    steadyJourneys.map((it) => [`${it.name}.journey.json`, steadyDocument(it, ledger.url)]),
  ),
});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stand.stop().finally(() => process.exit(130)));
const began = performance.now();
const minute = () => (performance.now() - began) / 60_000;
const runs: SteadyRun[] = [];
const memory = { worker: [] as Sample[], gateway: [] as Sample[], server: [] as Sample[] };
const lag: Sample[] = [];
let recent: number[] = [];
const problems: string[] = [];
const going = new Set<Promise<void>>();

const sampling = setInterval(sample, sampleMs);
const progressTimer = setInterval(printProgress, 60_000);
try {
  console.log(
    `${minutes} minutes at ${rate} runs/s, seed ${seed}: ${steadyJourneys.map(({ name }) => name).join(', ')}`,
  );
  const random = mulberry(seed);
  for (let i = 0; i < minutes * 60 * rate; i++) {
    const due = began + (i * 1_000) / rate;
    await sleep(Math.max(0, due - performance.now()));
    const journey = steadyJourneys[Math.floor(random() * steadyJourneys.length)]!;
    const played: Promise<void> = play({ label: `run${i}`, journey, end: 'unknown' }, due).finally(() =>
      going.delete(played),
    );
    going.add(played);
  }
  clearInterval(sampling);
  await Promise.all(going);
} finally {
  clearInterval(sampling);
  clearInterval(progressTimer);
  await stand.stop();
  await ledger.close();
  await http.close();
}
judge();

async function play(run: SteadyRun, due: number): Promise<void> {
  runs.push(run);
  const { journey, label } = run;
  const base = `${stand.gateways[0]!.url}/api/v1/journeys`;
  const keyed = { headers: { 'idempotency-key': label } };
  const accepted = ({ status }: { status: number }) => status === 200 || status === 202;
  try {
    const sent = { body: { run: label }, ...keyed };
    const { body } = await http.until(() => `${base}/${journey.name}/start`, sent, accepted);
    if (journey.isSync && journey.calls.length > 0) recent.push(performance.now() - due);
    const id = String(body.journeyId);
    if (journey.submits) {
      await sleep(2_000);
      await http.until(() => `${base}/${id}/steps/${journey.submits}`, { body: {}, ...keyed }, accepted);
    }
    if (!journey.isSync) await sleep(2_500);
    const ended = await http.until(() => `${base}/${id}/result`, { method: 'GET' }, accepted);
    run.end = String(ended.body.phase);
  } catch (error) {
    problems.push(`${label} (${journey.name}): ${(error as Error).message}`);
  }
}

function sample(): void {
  for (const name of processes) memory[name].push({ minute: minute(), value: rssMb(stand.pid(name)) });
  if (recent.length > 0) lag.push({ minute: minute(), value: median(recent) });
  recent = [];
}

function printProgress(): void {
  const sizes = processes.map((name) => `${name} ${memory[name].at(-1)?.value.toFixed(0)} MB`).join(', ');
  console.log(
    `${minute().toFixed(0).padStart(3)} min  ${runs.length} runs, ${going.size} in flight; ${sizes}; p50 ${lag.at(-1)?.value.toFixed(0)} ms`,
  );
}

/** Memory of a process in megabytes (Linux). */
function rssMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;
}

function judge(): void {
  const calls = new Map<string, string[]>();
  for (const { run, point } of ledger.calls) calls.set(run, [...(calls.get(run) ?? []), point]);
  for (const { label, journey, end } of runs) {
    const made = [...(calls.get(label) ?? [])].sort().join();
    if (end !== journey.ends) problems.push(`${label} (${journey.name}) ended with ${end}`);
    if (made !== [...journey.calls].sort().join())
      problems.push(`${label} (${journey.name}) called ${made || 'nothing'}`);
  }
  const measures = [
    ['worker, MB', memory.worker, bounds.memory],
    ['gateway, MB', memory.gateway, bounds.memory],
    ['p50 of synchronous runs, ms', lag, bounds.lag],
  ] as const;
  console.log(
    `\nseed ${seed}, Node ${process.version}: ${runs.length} runs, ${ledger.calls.length} calls in the ledger`,
  );
  for (const [name, samples, bound] of measures) {
    const { level, perMinute, growth } = trendOf(samples);
    const isFlat = growth <= bound;
    console.log(
      `${name}: ${level.toFixed(1)}, ${perMinute.toFixed(2)} per minute, ${(growth * 100).toFixed(1)} % over the second half: ${isFlat ? 'flat' : 'NOT FLAT'}`,
    );
    if (!isFlat) problems.push(`${name} grows by more than ${bound * 100} %`);
  }
  for (const problem of problems) console.log(`BROKEN ${problem}`);
  console.log(problems.length === 0 ? 'clean' : `${problems.length} problems`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
