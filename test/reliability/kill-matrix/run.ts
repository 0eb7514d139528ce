import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { stateTypes } from '../../../src/language/states/registry.js';
import { taskBehaviours } from '../../../src/language/tasks/registry.js';
import { mulberry } from '../../fuzz/loader/mutate.js';
import { hasKafka } from '../../support/services.js';
import { processes } from '../stand.js';
import { cases, moments } from './cases.js';
import { startEnvironment } from './environment.js';
import { missingCases } from './missing-cases.js';
import { playRound, type RoundPlan } from './round.js';

const help = `npm run kill-matrix -- [options]

Kills worker, gateway and server with kill -9 before, during and after the step of every state type and task kind, and of operations on runs.
A ledger at the other end records every call: nothing may be lost, and nothing repeated without its key.

  --only <kind>/<process>/<moment>   one cell; * stands for all: --only map/worker/during, --only '*/server/*'
  --rounds <n>                       kills per process and moment, each with one run per kind (default 3)
  --seed <n>                         chooses the instants of the kills (default: the clock)
  --list                             print kinds, processes and moments
  --help`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '*/*/*' },
    rounds: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(help);
  process.exit(0);
}
const missing = missingCases([...stateTypes.keys(), ...taskBehaviours.keys()]);
if (missing.length > 0) {
  console.error(`No case for ${missing.join(', ')}: add one to test/reliability/kill-matrix/cases.ts.`);
  process.exit(1);
}
if (values.list) {
  console.log(
    `kinds      ${cases.map(({ name }) => name).join(', ')}\nprocesses  ${processes.join(', ')}\nmoments    ${moments.join(', ')}`,
  );
  process.exit(0);
}

const [kind, process_, moment] = values.only.split('/');
const chosen = <T>(all: readonly T[], name: string | undefined, of: (it: T) => string) =>
  all.filter((it) => name === '*' || name === undefined || name === of(it));
const named = chosen(cases, kind, ({ name }) => name);
const played = named.filter((it) => hasKafka || !it.kafka);
const plans = chosen(processes, process_, String).flatMap((it) =>
  chosen(moments, moment, String).map((at) => ({ process: it, moment: at })),
);
if (played.length === 0 || plans.length === 0) {
  console.error(`--only ${values.only} names no cell.\n\n${help}`);
  process.exit(1);
}

Runtime.install({ logger: new DefaultLogger('ERROR') });
const began = performance.now();
const seconds = () => `${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s`;
const totals = { kills: 0, runs: 0, calls: 0, repeated: 0 };
const problems: string[] = [];
console.log(
  `seed ${values.seed}: ${played.length} kinds × ${plans.length} of process and moment × ${values.rounds} rounds`,
);
for (const it of named) if (!played.includes(it)) console.log(`NOT PLAYED: ${it.name} (no Kafka: npm run services)`);
const environment = await startEnvironment(played);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => environment.stop().finally(() => process.exit(130)));
try {
  for (let round = 1; round <= Number(values.rounds); round++)
    for (const plan of plans) {
      const cell = processes.indexOf(plan.process) * moments.length + moments.indexOf(plan.moment);
      const random = mulberry(Number(values.seed) * 1_000 + round * 10 + cell);
      await play({ ...plan, cases: played, name: `r${round}-${plan.process}-${plan.moment}`, random });
    }
} finally {
  await environment.stop();
}
for (const problem of problems) console.log(`BROKEN ${problem}`);
console.log(
  `\nseed ${values.seed}, Node ${process.version}: ${totals.kills} kills, ${totals.runs} runs, ${totals.calls} calls in the ledger, ` +
    `${totals.repeated} of them repeated with their key, ${problems.length} problems; ${seconds().trim()}`,
);
process.exitCode = problems.length > 0 ? 1 : 0;

async function play(plan: RoundPlan): Promise<void> {
  const report = await playRound(environment, plan).catch((error: Error) => {
    // The runs of a failed round must not delay the next one.
    environment.ledger.releaseAll();
    return { runs: plan.cases.length, calls: 0, repeated: 0, problems: [`${plan.name}: ${error.message}`] };
  });
  totals.kills += 1;
  totals.runs += report.runs;
  totals.calls += report.calls;
  totals.repeated += report.repeated;
  problems.push(...report.problems);
  console.log(
    `${seconds()}  ${plan.name}: ${report.runs} runs, ${report.calls} calls, ${report.repeated} repeated, ${report.problems.length} problems`,
  );
  for (const problem of report.problems) console.log(`        ${problem}`);
}
