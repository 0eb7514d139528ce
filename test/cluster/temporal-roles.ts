import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { stringify } from 'yaml';
import { msToTs } from '../../src/temporal/sdk-internals.js';
import { isListening } from '../../src/temporal/server/tcp-ports.js';
import type { Binaries } from './binaries.js';
import { Member, type Role } from './member.js';
import type { Database } from './postgresql.js';

/** Cannot be changed later. Temporal recommends 512 for a growing cluster; each shard costs polls and memory. */
export const shards = 64;

/** A Temporal role: Temporal's name for it, and the ports of one process. */
interface RolePorts {
  readonly name: string;
  readonly service: 'frontend' | 'history' | 'matching' | 'worker';
  readonly grpcPort: number;
  readonly membershipPort: number;
}

const databases = { temporal: 'temporal', temporal_visibility: 'visibility' };

/** Creates or updates the schemas as in Temporal's operator guide. */
export async function createSchemas(binaries: Binaries, { port, user, password }: Database): Promise<void> {
  const shared = ['--plugin', 'postgres12', '--ep', '127.0.0.1', '-p', String(port), '-u', user, '--pw', password];
  const tool = (database: string, ...args: string[]) =>
    promisify(execFile)(binaries.sqlTool, [...shared, '--db', database, ...args]);
  for (const [database, schema] of Object.entries(databases)) {
    await tool(database, 'create');
    await tool(database, 'setup-schema', '-v', '0.0');
    await tool(database, 'update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
}

/** The roles of the smallest cluster that tolerates the failure of each process: two frontends, two histories, one matching, one worker. */
export function temporalRoles(binaries: Binaries, folder: string, database: Database, ports: number[]): Member[] {
  const all = (['frontend', 'frontend', 'history', 'history', 'matching', 'worker'] as const).map(
    (service, i, services): RolePorts => ({
      name: `${service === 'worker' ? 'system-worker' : service}-${services.slice(0, i).filter((it) => it === service).length + 1}`,
      service,
      grpcPort: ports[2 * i]!,
      membershipPort: ports[2 * i + 1]!,
    }),
  );
  return all.map((role) => {
    const config = join(folder, 'temporal', role.name);
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, 'dynamic.yaml'), stringify(dynamicConfig));
    writeFileSync(join(config, 'cluster.yaml'), stringify(configuration(role, all, database, config)));
    const names: Record<RolePorts['service'], Role> = {
      frontend: 'frontend',
      history: 'history',
      matching: 'matching',
      worker: 'system worker',
    };
    return new Member({
      name: role.name,
      role: names[role.service],
      command: binaries.temporal,
      args: [
        '--root',
        config,
        '--config',
        '.',
        '--env',
        'cluster',
        '--allow-no-auth',
        'start',
        '--service',
        role.service,
      ],
      log: join(folder, 'logs', `${role.name}.log`),
      // The worker role does not serve requests; it is ready when it has joined the ring.
      ready: () => isListening(`127.0.0.1:${role.service === 'worker' ? role.membershipPort : role.grpcPort}`),
    });
  });
}

/** The same settings as in docker-compose.yml. */
const dynamicConfig = { 'system.enableActivityEagerExecution': [{ value: true }] };

function configuration(role: RolePorts, all: readonly RolePorts[], database: Database, config: string): object {
  const store = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${database.port}`,
      connectProtocol: 'tcp',
      user: database.user,
      password: database.password,
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  });
  const frontendPort = all[0]!.grpcPort;
  // A process must know every service, but not the ports of others, which ring members announce to each other.
  const services = Object.fromEntries(
    [...all, role].map(({ service, grpcPort, membershipPort }) => [
      service,
      { rpc: { grpcPort, membershipPort, bindOnLocalHost: true } },
    ]),
  );
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: shards,
      datastores: { default: store('temporal', 20), visibility: store('temporal_visibility', 10) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services,
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${frontendPort}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    archival: {
      history: { state: 'disabled', enableRead: false },
      visibility: { state: 'disabled', enableRead: false },
    },
    publicClient: { hostPort: `127.0.0.1:${frontendPort}` },
    dynamicConfigClient: { filepath: join(config, 'dynamic.yaml'), pollInterval: '60s' },
  };
}

/** Creates the namespace, like `temporal operator namespace create`, and waits until the frontend has it. Our workers add the search attributes. */
export async function createNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 60_000 });
  const day = 86_400_000;
  await connection.withDeadline(Date.now() + 60_000, async () => {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(90 * day),
    });
  });
  const deadline = Date.now() + 60_000;
  for (;;) {
    const known = await connection.operatorService.listSearchAttributes({ namespace }).then(
      () => true,
      (error: Error) => {
        if (Date.now() > deadline) throw error;
        return false;
      },
    );
    if (known) break;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await connection.close();
}
