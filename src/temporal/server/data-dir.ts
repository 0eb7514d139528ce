import { accessSync, chmodSync, constants, existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { refuse } from '../../problems/problem.js';
import { databaseFile } from './arguments.js';

const ownFolder = 0o700;
const ownFile = 0o600;

/**
 * Makes the embedded server's folder, whose database and log only this user can read: they hold everything that runs were given. A folder
 * that somebody else made for it keeps its permissions, unless it has the name that we give.
 */
export function prepareDataDir(dataDir: string): void {
  try {
    const isOurs = mkdirSync(dataDir, { recursive: true, mode: ownFolder }) !== undefined;
    accessSync(dataDir, constants.W_OK);
    if (isOurs || basename(dataDir) === '.journeyman') chmodSync(dataDir, ownFolder);
    // Files that the server makes are for this user alone: see `supervise`. Existing ones may come from an earlier version.
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

/** What the embedded server prints. */
export function logFile(dataDir: string): string {
  return join(dataDir, 'server.log');
}
