import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isListening } from '../../src/temporal/server/tcp-ports.js';
import type { Binaries } from './binaries.js';
import { Member } from './member.js';

const run = promisify(execFile);

/** Temporal's databases and their user. */
export interface Database {
  readonly member: Member;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** The first value of a query. */
  query(sql: string, database?: string): Promise<string>;
}

/** Creates a data directory and starts PostgreSQL in it with default settings, except for a higher connection limit. */
export async function startPostgresql(binaries: Binaries, folder: string, port: number): Promise<Database> {
  const data = join(folder, 'postgresql');
  const secret = join(folder, 'password');
  const password = randomBytes(16).toString('hex');
  const user = 'temporal';
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(secret, password, { mode: 0o600 });
  if (binaries.user) for (const path of [data, secret]) chownSync(path, binaries.user.uid, binaries.user.gid);
  const initdb = ['-D', data, '-U', user, '--auth=scram-sha-256', `--pwfile=${secret}`, '--encoding=UTF8'];
  await run(join(binaries.postgresql, 'initdb'), initdb, { ...binaries.user, cwd: '/' });
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: data, max_connections: 300 };
  const member = new Member({
    name: 'postgresql',
    role: 'postgresql',
    command: join(binaries.postgresql, 'postgres'),
    args: ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    ...(binaries.user && { user: binaries.user }),
    // A fast shutdown: connections are closed.
    stopSignal: 'SIGINT',
    log: join(folder, 'logs', 'postgresql.log'),
    ready: async () =>
      (await isListening(`127.0.0.1:${port}`)) && (await query('SELECT 1', 'postgres').catch(() => '')) === '1',
  });
  const query = async (sql: string, database = 'temporal') => {
    const args = ['-h', '127.0.0.1', '-p', String(port), '-U', user, '-d', database, '-Atqc', sql];
    const { stdout } = await run(join(binaries.postgresql, 'psql'), args, {
      env: { ...process.env, PGPASSWORD: password },
    });
    return stdout.trim();
  };
  await member.start();
  return { member, port, user, password, query };
}
