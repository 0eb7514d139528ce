import { setTimeout as sleep } from 'node:timers/promises';
import { Caller } from './caller.js';
import type { Cluster } from './cluster.js';
import { residentMb } from './cpu.js';
import { steps } from './journeys.js';
import type { Ledger } from './ledger.js';
import { type Role, roles } from './member.js';
import type { Options } from './options.js';
import { tableLines } from './table.js';

/** Numbers of calls in the compared journeys. */
const lengths = [0, 3, 10] as const;
const callers = 6;
const idleSec = 20;

/** CPU of each role in milliseconds, and the writes of the database. */
interface Spent {
  readonly cpu: Record<Role, number>;
  readonly walBytes: number;
  readonly commits: number;
  /** Our requests to Temporal's frontends, including polls. */
  readonly requests: number;
}

/**
 * Measures the cost of a run and of a call to each part of the cluster: CPU, commits and bytes of the database's log. The idle consumption is
 * measured first and subtracted.
 */
export async function measureCost(
  cluster: Cluster,
  ledger: Ledger,
  options: Options,
  say: (text: string) => void,
): Promise<void> {
  const named = lengths.map((count) => ({ count, name: `calls-${count}` }));
  await cluster.startOurs(
    new Map(named.map(({ count, name }) => [`${name}.journey.json`, JSON.stringify(steps(ledger.url, name, count))])),
  );
  const caller = new Caller(cluster.gateways);
  const startMany = async (name: string, count: number, prefix: string) => {
    let next = 0;
    const lane = async () => {
      for (let n = next++; n < count; n = next++) {
        const { body } = await caller.ask(
          'POST',
          `/journeys/${name}/start`,
          { n: `${prefix}${n}` },
          `${name}-${prefix}${n}`,
        );
        if (body.phase !== 'SUCCEEDED') throw new Error(`${name}: ${JSON.stringify(body)}`);
      }
    };
    await Promise.all(Array.from({ length: callers }, lane));
  };
  for (const { name } of named) await startMany(name, 60, 'warm');
  say(`warm; ${idleSec} s without a run`);
  const idle = await spentDuring(cluster, () => sleep(idleSec * 1_000));
  const perRun: Spent[] = [];
  for (const { name } of named) {
    const spent = await spentDuring(cluster, () => startMany(name, options.runs, 'n'));
    perRun.push(minus(spent, idle, options.runs));
    say(`${options.runs} runs of ${name} in ${spent.seconds.toFixed(0)} s`);
  }
  const [none, , ten] = perRun as [Spent, Spent, Spent];
  const row = (label: string, of: (it: Spent) => number, digits: number) => [
    label,
    ...perRun.map((it) => of(it).toFixed(digits)),
    ((of(ten) - of(none)) / 10).toFixed(digits),
  ];
  const sum = (it: Spent, of: readonly Role[]) => of.reduce((total, role) => total + it.cpu[role], 0);
  const idleRows = roles.map((role) => [`${role}, CPU when idle, ms/s`, (idle.cpu[role] / idle.seconds).toFixed(1)]);
  const memory = cluster.members.map(({ name, pid }) => [
    `${name}, memory, MB`,
    pid ? residentMb(pid).toFixed(0) : '–',
  ]);
  console.log(
    [
      '',
      ...tableLines([
        ['per run of', ...lengths.map((count) => `${count} calls`), 'per call'],
        ...roles.map((role) => row(`${role}, CPU ms`, ({ cpu }) => cpu[role], 2)),
        row('ours, CPU ms', (it) => sum(it, ['gateway', 'worker']), 2),
        row("Temporal's, CPU ms", (it) => sum(it, ['frontend', 'history', 'matching', 'system worker']), 2),
        row('requests to frontends', ({ requests }) => requests, 1),
        row('PostgreSQL, commits', ({ commits }) => commits, 1),
        row('PostgreSQL, log KB', ({ walBytes }) => walBytes / 1024, 1),
      ]),
      '',
      ...tableLines([...idleRows, ...memory]),
    ].join('\n'),
  );
}

async function spentDuring(cluster: Cluster, work: () => Promise<unknown>): Promise<Spent & { seconds: number }> {
  const began = performance.now();
  const before = await spentSoFar(cluster);
  await work();
  // Statistics and visibility arrive a moment later.
  await sleep(3_000);
  const after = await spentSoFar(cluster);
  return { ...minus(after, before, 1), seconds: (performance.now() - began) / 1000 };
}

async function spentSoFar({ members, database }: Cluster): Promise<Spent> {
  const cpu = Object.fromEntries(
    roles.map((role) => [
      role,
      members.filter(({ spec }) => spec.role === role).reduce((total, member) => total + member.cpuMs(), 0),
    ]),
  ) as Record<Role, number>;
  const walBytes = Number(await database.query("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')"));
  const commits = Number(await database.query('SELECT sum(xact_commit) FROM pg_stat_database'));
  const ours = members.flatMap(({ spec }) => spec.metrics ?? []);
  const requests = (await Promise.all(ours.map(requestsOf))).reduce((total, count) => total + count, 0);
  return { cpu, walBytes, commits, requests };
}

/** Requests of a process to Temporal according to its metrics: those of the SDK's worker, polls, and those of our client. */
async function requestsOf(metrics: string): Promise<number> {
  const text = await (await fetch(metrics)).text();
  const counters =
    /^(?:temporal_request_total|temporal_long_request_total|journeyman_temporal_call_seconds_count)\{.*\} (\S+)$/gm;
  return [...text.matchAll(counters)].reduce((total, [, count]) => total + Number(count), 0);
}

/** The difference per run. With `seconds` on both sides, the second is subtracted at a constant rate. */
function minus(all: Spent & { seconds?: number }, base: Spent & { seconds?: number }, runs: number): Spent {
  const factor = all.seconds === undefined || base.seconds === undefined ? 1 : all.seconds / base.seconds;
  const each = (of: (it: Spent) => number) => (of(all) - factor * of(base)) / runs;
  return {
    cpu: Object.fromEntries(roles.map((role) => [role, each(({ cpu }) => cpu[role])])) as Record<Role, number>,
    walBytes: each(({ walBytes }) => walBytes),
    commits: each(({ commits }) => commits),
    requests: each(({ requests }) => requests),
  };
}
