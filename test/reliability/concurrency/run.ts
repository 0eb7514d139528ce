import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { mulberry } from '../../fuzz/loader/mutate.js';
import { Ledger } from '../ledger.js';
import { PatientClient } from '../patient-client.js';
import { type ProcessName, Stand } from '../stand.js';
import { ClientsOfRun, listJourney, perRun, type RecordedRun } from './clients.js';
import { judgeRun } from './judge.js';

const help = `npm run check:concurrency -- [options]

Several clients start, submit to, cancel and poll the same runs over HTTP through two gateways, while workers are killed with kill -9. The
recorded operations of each run must be linearizable, no acknowledged submission may be lost, and no result may change.

  --runs <n>       runs in all (default 150)
  --at-once <n>    runs at a time (default 15)
  --clients <n>    clients of each run (default 4)
  --kill <list>    what is killed, in turn: worker,gateway,server (default worker)
  --seed <n>       the clients' choices (default: the clock)
  --help`;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '150' },
    'at-once': { type: 'string', default: '15' },
    clients: { type: 'string', default: '4' },
    kill: { type: 'string', default: 'worker' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(help);
  process.exit(0);
}
const [count, atOnce, clients, seed] = [values.runs, values['at-once'], values.clients, values.seed].map(Number) as [
  number,
  number,
  number,
  number,
];
const victims = values.kill.split(',') as ProcessName[];

const began = performance.now();
const say = (text: string) => console.log(`${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s  ${text}`);
const ledger = await Ledger.start();
const http = new PatientClient();
const stand = await Stand.start({
  documents: { 'list.journey.json': JSON.stringify(listJourney(ledger.url)) },
  workers: 2,
  gateways: 2,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stand.stop().finally(() => process.exit(130)));
const recorded: RecordedRun[] = [];
const problems: string[] = [];
let kills = 0;
let over = false;
const progress = setInterval(
  () => say(`${recorded.length} runs, ${kills} kills, ${ledger.calls.length} calls`),
  15_000,
);
say(`seed ${seed}: ${count} runs, ${atOnce} at a time, ${clients} clients each; kills ${victims.join(', ')}`);
try {
  const killing = killInTurn();
  const waiting = Array.from({ length: count }, (_, i) => i);
  const lane = async () => {
    for (let i = waiting.shift(); i !== undefined; i = waiting.shift()) await playRun(i);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  over = true;
  await killing;
  // Other processes must read the same result.
  for (const run of recorded) await readAgain(run);
} finally {
  clearInterval(progress);
  await stand.stop();
  await ledger.close();
  await http.close();
}
for (const run of recorded) problems.push(...judgeRun(run, ledger.of(run.label), perRun));
for (const problem of problems) console.log(`BROKEN ${problem}`);
const sum = (of: (run: RecordedRun) => number) => recorded.reduce((all, run) => all + of(run), 0);
const cancelled = recorded.filter(({ result }) => result.phase !== 'SUCCEEDED').length;
console.log(`
seed ${seed}, Node ${process.version}: ${recorded.length} runs (${cancelled} cancelled), ${kills} kills of ${victims.join(', ')}
${sum(({ requests }) => requests)} requests, ${sum(({ unanswered }) => unanswered)} without an answer; ${sum(({ history }) => history.length)} operations checked,
${sum(({ acknowledged }) => acknowledged.size)} acknowledged submissions, ${ledger.calls.length} calls in the ledger; ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

async function playRun(i: number): Promise<void> {
  const random = mulberry(seed * 10_000 + i);
  const gateway = () => stand.gateways[random() < 0.5 ? 0 : 1]!.url;
  const label = `run${i}`;
  try {
    recorded.push(await new ClientsOfRun(label, http, gateway, random).play(clients, random() < 0.25));
  } catch (error) {
    problems.push(`${label}: ${(error as Error).message}`);
  }
}

async function killInTurn(): Promise<void> {
  const random = mulberry(seed);
  for (let i = 0; !over; i++) {
    await sleep(2_000 + random() * 4_000);
    const victim = victims[i % victims.length]!;
    const index = victim === 'server' ? 0 : Math.floor(i / victims.length) % 2;
    await stand.kill(victim, index);
    kills += 1;
    await sleep(random() * 2_000);
    await stand.launch(victim, index);
  }
}

async function readAgain({ label, ids, result }: RecordedRun): Promise<void> {
  for (const { url } of stand.gateways) {
    const path = `${url}/api/v1/journeys/${ids[0]}/result`;
    const { body } = await http.until(
      () => path,
      { method: 'GET' },
      ({ status }) => status === 200,
    );
    if (JSON.stringify(body) !== JSON.stringify(result)) problems.push(`${label}: its result changed`);
  }
}
