import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuse } from '../../base/problems/problem.js';
import { isAlive } from './binary-cache.js';
import { databaseFile } from './server-arguments.js';
import { killQuietly } from './supervise-process.js';

const ownFolder = 0o700;
const ownFile = 0o600;

/**
 * Creates the embedded server's folder. Only this user can read its database and log, which contain the data of runs. An existing folder keeps
 * its permissions, unless it has the default name.
 */
export function prepareDataDir(dataDir: string): void {
  try {
    const isOurs = mkdirSync(dataDir, { recursive: true, mode: ownFolder }) !== undefined;
    accessSync(dataDir, constants.W_OK);
    if (isOurs || basename(dataDir) === '.journeyman') chmodSync(dataDir, ownFolder);
    // New files are private to this user: see `supervise`. Existing ones may be readable by others.
    const database = databaseFile(dataDir);
    for (const file of [database, `${database}-wal`, `${database}-shm`, logFile(dataDir)]) {
      if (existsSync(file)) chmodSync(file, ownFile);
    }
  } catch (error) {
    refuse('DATA_DIR_UNUSABLE', `${dataDir} cannot be used: ${(error as Error).message}`, {
      hint: 'Set server.dataDir (or JOURNEYMAN_SERVER_DATA_DIR) to a folder that this user may write to.',
    });
  }
}

/** Log file of the embedded server. */
export function logFile(dataDir: string): string {
  return join(dataDir, 'server.log');
}

/** A process with its start time, because ids are reused. */
interface ProcessIdentity {
  readonly pid: number;
  readonly began: string;
}

/** Content of `server.json`: the owner of the data directory. */
interface Claim {
  readonly owner: ProcessIdentity;
  readonly server?: ProcessIdentity & { readonly address: string };
}

/** The data directory, claimed by this process. */
export interface DataDirClaim {
  /** Records the server, so that the next start can stop it. */
  note(pid: number, address: string): void;
  release(): void;
}

/**
 * Claims the data directory: two servers on one database would destroy it. Throws DATA_DIR_IN_USE if the owner is alive. A dead owner may have
 * left its server behind (only if the supervisor was killed too): that server is stopped, because a server started by another process would
 * not end with ours.
 */
export async function claimDataDir(dataDir: string): Promise<DataDirClaim> {
  const file = join(dataDir, 'server.json');
  const mine: Claim = { owner: identify(process.pid) as ProcessIdentity };
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      writeFileSync(file, JSON.stringify(mine), { flag: 'wx' });
      return hold(file, mine);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      await clear(file, dataDir);
    }
  }
  return inUse(dataDir, undefined);
}

function hold(file: string, mine: Claim): DataDirClaim {
  return {
    note(pid, address) {
      const server = identify(pid);
      const temporary = `${file}.${process.pid}`;
      writeFileSync(
        temporary,
        JSON.stringify(server === undefined ? mine : { ...mine, server: { ...server, address } }),
      );
      renameSync(temporary, file);
    },
    release() {
      if (read(file)?.owner.pid === process.pid) rmSync(file, { force: true });
    },
  };
}

/** The address of the server that a process runs on this data directory, if there is one. */
export function runningServer(dataDir: string): string | undefined {
  const server = read(join(dataDir, 'server.json'))?.server;
  return server && isSame(server) ? server.address : undefined;
}

async function clear(file: string, dataDir: string): Promise<void> {
  const claim = read(file);
  if (claim !== undefined) {
    if (isSame(claim.owner)) inUse(dataDir, claim);
    if (claim.server !== undefined && isSame(claim.server)) await end(claim.server.pid);
    if (JSON.stringify(read(file)) !== JSON.stringify(claim)) return;
  }
  rmSync(file, { force: true });
}

function inUse(dataDir: string, claim: Claim | undefined): never {
  const who = claim === undefined ? 'another process' : `process ${claim.owner.pid}`;
  const where = claim?.server === undefined ? '' : `; its Temporal server is at ${claim.server.address}`;
  refuse('DATA_DIR_IN_USE', `${dataDir} is in use by ${who}${where}`, {
    hint: 'Stop it, use it (journeyman worker, journeyman gateway), or set server.dataDir to another folder.',
  });
}

async function end(pid: number): Promise<void> {
  killQuietly(pid, 'SIGTERM');
  for (let waited = 0; waited < 10_000 && isAlive(pid); waited += 50) await sleep(50);
  killQuietly(pid);
}

function read(file: string): Claim | undefined {
  try {
    const claim = JSON.parse(readFileSync(file, 'utf8')) as Claim;
    return typeof claim.owner?.pid === 'number' ? claim : undefined;
  } catch {
    return undefined;
  }
}

function isSame(process: ProcessIdentity): boolean {
  return identify(process.pid)?.began === process.began;
}

/** A running process, from /proc if available, else from ps. */
function identify(pid: number): ProcessIdentity | undefined {
  if (!isAlive(pid)) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : { pid, began: fields[19] as string };
  } catch {
    return { pid, began: startTime(pid) };
  }
}

function startTime(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}
