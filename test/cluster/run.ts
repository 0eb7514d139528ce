import { cpus } from 'node:os';
import { join } from 'node:path';
import { type Cluster, startCluster } from './cluster.js';
import { measureCost } from './cost.js';
import { type Ledger, startLedger } from './ledger.js';
import { readOptions } from './options.js';
import { underKills } from './under-kills.js';

const options = readOptions(process.argv.slice(2));
const began = performance.now();
const say = (text: string) => console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}`);

let cluster: Cluster | undefined;
let ledger: Ledger | undefined;
let isRight = false;
let stopping: Promise<void> | undefined;
const stop = () => {
  stopping ??= (async () => {
    await cluster?.stop(!isRight);
    await ledger?.close();
  })();
  return stopping;
};
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stop().finally(() => process.exit(130)));
try {
  cluster = await startCluster(options, say);
  ledger = await startLedger(join(cluster.folder, 'ledger.jsonl'));
  if (options.cost) {
    await measureCost(cluster, ledger, options, say);
    isRight = true;
  } else isRight = await underKills(cluster, ledger, options, say);
  console.log(`\n${cluster.versions}; Node ${process.version}, ${cpus().length} cores, seed ${options.seed}`);
  if (options.keep) await kept(cluster);
} catch (error) {
  console.error(error);
} finally {
  await stop();
}
process.exit(isRight ? 0 : 1);

/** Prints all addresses, and waits for Ctrl-C. */
async function kept({ frontends, gateways, database, namespace, folder, members }: Cluster): Promise<void> {
  console.log(`
Gateways    ${gateways.join(' ')}
Temporal    ${frontends.join(' ')}, namespace ${namespace}
PostgreSQL  127.0.0.1:${database.port}, user ${database.user}, password in ${folder}/password
Logs        ${folder}/logs
Processes   ${members.map(({ name, pid }) => `${name} ${pid}`).join(', ')}

Ctrl-C ends it.`);
  await new Promise(() => {});
}
