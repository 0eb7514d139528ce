import type { Client } from '@temporalio/client';
import { Random } from '../fuzz/dataweave/random.js';
import { eventually } from '../support/eventually.js';
import { Caller } from './caller.js';
import type { Cluster } from './cluster.js';
import { startJobs } from './jobs-beside.js';
import { loadJourneys, parcel, parcels, subscription, tally } from './journeys.js';
import { killOrder, RollingKills } from './kills.js';
import { latencyPhases, quantiles, recoveries, recoveryRows, timedJourney } from './latencies.js';
import type { Ledger } from './ledger.js';
import { type LoadRun, runLoad } from './load.js';
import type { Options } from './options.js';
import { deployPipelines, pipelineTraffic } from './pipeline-beside.js';
import { startSchedules } from './schedules-beside.js';
import { tableLines } from './table.js';
import { judgeLedger } from './verdict.js';

const subjects = 5;
const subscriptionEverySec = 10;
const jobs = 3;
/** The number of runs per pipeline event. */
const runsPerEvent = 10;

/** Documents of the load and of the other workloads; the schedules have as many runs as fit into the duration of the load. */
export function loadDocuments(ledger: Ledger, times: number): Map<string, string> {
  const documents = [
    ...loadJourneys.map(({ name, document }) => [`${name}.journey`, document(ledger.url)] as const),
    ['subscription.journey', subscription(ledger.url, times, subscriptionEverySec)] as const,
    ['tally.journey', tally(ledger.url)] as const,
    ['parcel.journey', parcel(ledger.url)] as const,
    ['parcels.pipeline', parcels] as const,
  ];
  return new Map(documents.map(([name, document]) => [`${name}.json`, JSON.stringify(document)]));
}

/** Runs the load while every process is killed in turn. Prints the report; returns whether nothing was lost or duplicated. */
export async function underKills(
  cluster: Cluster,
  ledger: Ledger,
  options: Options,
  say: (text: string) => void,
): Promise<boolean> {
  const times = Math.max(3, Math.round((0.8 * options.runs) / options.rate / subscriptionEverySec));
  await cluster.startOurs(loadDocuments(ledger, times));
  await deployPipelines(`${cluster.folder}/specs`, cluster.frontends[0]!, cluster.namespace);
  const caller = new Caller(cluster.gateways);
  const pipeline = pipelineTraffic(caller);
  const beside = [await startSchedules(caller, subjects, times), await startJobs(caller, jobs), pipeline];
  const kills = new RollingKills(
    killOrder(cluster.members, options.kills, new Random(options.seed)),
    options.runs,
    new Random(options.seed + 1),
    say,
  );
  say(`load started: ${options.runs} runs, ${options.kills} kills, seed ${options.seed}`);
  const began = Date.now();
  const started: { n: number } = { n: 0 };
  const progress = setInterval(() => say(`${started.n} runs started, ${ledger.entries.length} calls`), 15_000);
  const runs = await runLoad(caller, new Random(options.seed + 2), { count: options.runs, rate: options.rate }, (n) => {
    started.n = n + 1;
    kills.before(n);
    if (n % runsPerEvent === 0) pipeline.publish(n / runsPerEvent);
  });
  clearInterval(progress);
  const seconds = (Date.now() - began) / 1000;
  await kills.settled();
  say('load ended; waiting for schedules, jobs and the pipeline');
  const settled = [];
  for (const one of beside) settled.push(await one.settle());
  const faults = [
    ...runs.flatMap(({ n, journey, journeyId, fault }) =>
      fault === undefined ? [] : [`${journey.name} ${n} (${journeyId ?? 'no id'}): ${fault}`],
    ),
    ...settled.flatMap((it) => it.faults),
    ...(await countedRuns(await cluster.client(), runs)),
  ];
  const expected = new Set([
    ...runs.flatMap(({ n, journey }) => journey.calls.map((state) => `${journey.name}/${n}/${state}`)),
    ...settled.flatMap((it) => it.expected),
  ]);
  const verdict = judgeLedger(ledger.entries, expected);
  const right = runs.filter(({ fault }) => fault === undefined).length;
  const phases = latencyPhases(runs, kills.done);
  const lines = [
    '',
    ...tableLines([
      ['runs started', String(runs.length)],
      ['expected outcomes', String(right)],
      ['ledger entries', String(verdict.entries)],
      ['expected calls', String(expected.size)],
      ['lost', String(verdict.lost.length)],
      ['repeated with their key', String(verdict.repeatedWithKey)],
      ['repeated reads', String(verdict.repeatedReads)],
      ['repeated without their key', String(verdict.repeatedWithoutKey.length)],
      ['unexpected calls', String(verdict.unexpected.length)],
      ['kills', String(kills.done.length)],
      ['unexpected process exits', String(cluster.members.flatMap(({ ownExits }) => ownExits).length)],
      ['seconds of load', seconds.toFixed(0)],
      ['runs per second', (runs.length / seconds).toFixed(1)],
    ]),
    ...settled.map(({ line }) => `beside: ${line}`),
    `requests that callers repeated: ${JSON.stringify(caller.repeated)}`,
    '',
    ...tableLines([
      [`latency of ${timedJourney}, ms`, 'runs', 'p50', 'p95', 'p99', 'worst'],
      ...Object.entries(phases).map(([phase, all]) => [phase, String(all.length), ...quantiles(all)]),
    ]),
    '',
    ...tableLines([
      ['recovery, s', 'kills', 'ready p50', 'worst', 'no slow run p50', 'worst'],
      ...recoveryRows(recoveries(runs, kills.done)),
    ]),
  ];
  console.log(lines.join('\n'));
  const problems = [
    ...faults,
    ...verdict.lost.map((it) => `lost: ${it}`),
    ...verdict.repeatedWithoutKey.map((it) => `repeated without its key: ${it}`),
    ...verdict.unexpected.map((it) => `unexpected call: ${it}`),
  ];
  for (const member of cluster.members)
    for (const exit of member.ownExits) console.log(`${member.name} ${exit}; restarted`);
  for (const problem of problems) console.log(`BROKEN: ${problem}`);
  return problems.length === 0;
}

/** Temporal's count of the runs of each journey: a repeated start must not create a second run. */
async function countedRuns(client: Client, runs: readonly LoadRun[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { name } of loadJourneys) {
    const wanted = runs.filter(({ journey }) => journey.name === name).length;
    const count = () => client.workflow.count(`WorkflowType = '${name}'`).then((it) => it.count);
    // Visibility lists a run a moment later.
    await eventually(count, (it) => it === wanted, { limitMs: 60_000 }).catch(async () =>
      faults.push(`Temporal has ${await count()} runs of ${name}, the callers started ${wanted}`),
    );
  }
  return faults;
}
