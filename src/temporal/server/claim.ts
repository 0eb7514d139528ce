import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuse } from '../../problems/problem.js';
import { isAlive } from './cache.js';
import { killQuietly } from './supervise.js';

/** A process and when it began: ids are reused, the pair is not. */
interface ProcessIdentity {
  readonly pid: number;
  readonly began: string;
}

/** What `server.json` in the data directory says about who uses it. */
interface Claim {
  readonly owner: ProcessIdentity;
  readonly server?: ProcessIdentity & { readonly address: string };
}

/** The data directory, held by this process. */
export interface Held {
  /** Notes the server, so that the next start can stop it if this process cannot. */
  note(pid: number, address: string): void;
  release(): void;
}

/**
 * Takes the data directory: two servers on one database would destroy it. If the owner is alive: DATA_DIR_IN_USE. A dead one may have left
 * its server behind (only if the supervisor was killed too): that server is stopped and ours started, because a server we did not start
 * would not end with us.
 */
export async function claimDataDir(dataDir: string): Promise<Held> {
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

function hold(file: string, mine: Claim): Held {
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

/** A process as it is now, from /proc where there is one, else from ps. */
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
