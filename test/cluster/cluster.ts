import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { assertPortFree } from '../../src/temporal/server/tcp-ports.js';
import { findBinaries } from './binaries.js';
import type { Member } from './member.js';
import { gateways, type OurSettings, workers } from './our-processes.js';
import { type Database, startPostgresql } from './postgresql.js';
import { createNamespace, createSchemas, temporalRoles } from './temporal-roles.js';

/** A running cluster. */
export interface Cluster {
  readonly folder: string;
  readonly versions: string;
  readonly namespace: string;
  readonly database: Database;
  /** All processes in start order. */
  readonly members: readonly Member[];
  readonly frontends: readonly string[];
  /** Base URLs of the gateways. */
  readonly gateways: readonly string[];
  /** Starts our processes with these documents: file name → text. */
  startOurs(documents: ReadonlyMap<string, string>): Promise<void>;
  client(): Promise<Client>;
  /** Stops every process by its pid; removes the folder unless `keepFolder` is set. */
  stop(keepFolder: boolean): Promise<void>;
}

const namespace = 'journeys';

/** Starts PostgreSQL and Temporal's roles; our processes follow when their documents exist. */
export async function startCluster(
  counts: { gateways: number; workers: number },
  say: (text: string) => void,
): Promise<Cluster> {
  const binaries = findBinaries();
  const folder = mkdtempSync(join(tmpdir(), 'journeyman-cluster-'));
  // PostgreSQL's user needs access to its data directory in here.
  chmodSync(folder, 0o755);
  for (const name of ['logs', 'specs', 'ours']) mkdirSync(join(folder, name));
  const members: Member[] = [];
  const connections: Connection[] = [];
  const stop = async (keepFolder: boolean) => {
    for (const connection of connections) await connection.close();
    const ours = members.filter(({ spec }) => spec.role === 'gateway' || spec.role === 'worker');
    await Promise.all(ours.map((member) => member.stop()));
    for (const member of members.filter((it) => !ours.includes(it)).reverse()) await member.stop();
    if (keepFolder) say(`data and logs are in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  };
  const started = async (member: Member) => {
    members.push(member);
    await member.start();
    say(`${member.name} is ready (pid ${member.pid})`);
  };
  try {
    const ports = await stablePorts(13 + counts.gateways + counts.workers);
    const database = await startPostgresql(binaries, folder, ports[0]!);
    members.push(database.member);
    say(`${binaries.versions}; the database is at 127.0.0.1:${database.port}, data and logs in ${folder}`);
    await createSchemas(binaries, database);
    const roles = temporalRoles(binaries, folder, database, ports.slice(1, 13));
    await Promise.all(roles.map(started));
    const frontends = ports
      .slice(1, 5)
      .filter((_, i) => i % 2 === 0)
      .map((port) => `127.0.0.1:${port}`);
    await createNamespace(frontends[0]!, namespace);
    const settings: OurSettings = { folder, specs: join(folder, 'specs'), namespace, frontends };
    const gatewayPorts = ports.slice(13, 13 + counts.gateways);
    return {
      folder,
      versions: binaries.versions,
      namespace,
      database,
      members,
      frontends,
      gateways: gatewayPorts.map((port) => `http://127.0.0.1:${port}`),
      startOurs: async (documents) => {
        for (const [name, text] of documents) writeFileSync(join(settings.specs, name), text);
        const ours = [...workers(settings, ports.slice(13 + counts.gateways)), ...gateways(settings, gatewayPorts)];
        // All at once, so that each finds the search attributes missing.
        await Promise.all(ours.map(started));
      },
      client: async () => {
        const connection = await Connection.connect({ address: frontends[0]! });
        connections.push(connection);
        return new Client({ connection, namespace });
      },
      stop,
    };
  } catch (error) {
    await stop(true);
    throw error;
  }
}

/** Free ports outside the range of outgoing connections, so that a killed process finds its port still free. */
async function stablePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let port = 20_000 + Math.floor(Math.random() * 10_000); ports.length < count && port < 32_000; port++)
    await assertPortFree('127.0.0.1', port, 'a port of the cluster').then(
      () => ports.push(port),
      () => {},
    );
  if (ports.length < count) throw new Error(`Fewer than ${count} ports are free between 20000 and 32000`);
  return ports;
}
