import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { ProblemError, problem } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import { setRetention } from '../inspect-and-set-up-namespace.js';
import { claimDataDir, type DataDirClaim, logFile, prepareDataDir } from './claim-data-dir.js';
import { type FoundServer, findServer } from './find-or-install-server.js';
import { serverArguments } from './server-arguments.js';
import type { InstallProgress } from './server-source-interface.js';
import { type Supervised, supervise } from './supervise-process.js';
import { assertPortFree, freePort, isListening, portProblem } from './tcp-ports.js';

/** A running embedded server. */
export interface RunningServer {
  readonly address: string;
  /** Absent if the Web UI is disabled. */
  readonly uiUrl?: string;
  readonly pid: number;
  readonly version: string;
  readonly logFile: string;
  /** Resolves when the server exits. */
  readonly exited: Promise<number | null>;
  /** Stops the server gracefully, then by force. Idempotent. */
  stop(): Promise<void>;
}

export interface StartServerOptions {
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly env?: NodeJS.ProcessEnv;
  /** The result of an earlier `findServer`. */
  readonly found?: Extract<FoundServer, { kind: 'executable' }>;
  /** Rejects if the rest of the process cannot run; called before anything starts. */
  readonly check?: () => Promise<void>;
}

/** Finds or installs the embedded server and starts it; resolves when its namespace is ready. */
export async function startServer(config: Config, options: StartServerOptions = {}): Promise<RunningServer> {
  const { server } = config;
  const folder = dataFolder(config);
  // Claimed first, because this also stops an orphaned server that occupies our ports.
  const held = server.inMemory ? undefined : await claimDataDir(folder);
  try {
    if (server.port !== 0) await assertPortFree(server.ip, server.port, 'server.port');
    if (server.uiPort !== 0) await assertPortFree(server.ip, server.uiPort, 'server.uiPort');
    await options.check?.();
    const found = options.found ?? (await findServer(options));
    if (found.kind !== 'executable') throw new TypeError('a remote service cannot be started');
    for (let attempt = 1; ; attempt++) {
      const port = server.port === 0 ? await freePort(server.ip) : server.port;
      try {
        return await launch(config, found, folder, port, held);
      } catch (error) {
        const lostRace = error instanceof ProblemError && error.problem.code === 'PORT_IN_USE' && server.port === 0;
        if (!lostRace || attempt === 3) throw error;
      }
    }
  } catch (error) {
    held?.release();
    throw error;
  }
}

function dataFolder({ server }: Config): string {
  if (server.inMemory) return mkdtempSync(join(tmpdir(), 'journeyman-'));
  prepareDataDir(server.dataDir);
  return server.dataDir;
}

type Executable = Extract<FoundServer, { kind: 'executable' }>;

async function launch(
  config: Config,
  found: Executable,
  folder: string,
  port: number,
  held?: DataDirClaim,
): Promise<RunningServer> {
  const { server, temporal } = config;
  const host = server.ip.includes(':') ? `[${server.ip}]` : server.ip;
  const address = `${host}:${port}`;
  const log = logFile(folder);
  const logStart = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  const child = await supervise(found.path, serverArguments(config, port), log);
  held?.note(child.pid, address);
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    await child.stop(10_000);
    held?.release();
    if (server.inMemory) rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilServing(child, address, temporal.namespace, server.retentionDays);
  } catch (error) {
    await child.stop(10_000);
    const said = readFileSync(log, 'utf8').slice(logStart);
    throw startProblem(config, port, said, log, error as Error);
  }
  return {
    address,
    ...(server.uiPort === 0 ? {} : { uiUrl: `http://${host}:${server.uiPort}` }),
    pid: child.pid,
    version: found.version,
    logFile: log,
    exited: child.exited,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

async function untilServing(child: Supervised, address: string, namespace: string, days: number): Promise<void> {
  const patience = new AbortController();
  const ended = child.exited.then((code) => Promise.reject(new Error(`it exited with code ${code}`)));
  try {
    await Promise.race([serve(address, namespace, days, patience.signal), ended]);
  } finally {
    patience.abort();
    ended.catch(() => {});
  }
}

async function serve(address: string, namespace: string, days: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await isListening(address)) && !signal.aborted && Date.now() < deadline) await sleep(20);
  const connection = Connection.lazy({ address });
  try {
    for (;;) {
      try {
        await connection.withDeadline(Date.now() + 2_000, () => setRetention(connection, namespace, days));
        return;
      } catch (error) {
        if (signal.aborted || Date.now() > deadline) throw error;
        await sleep(25);
      }
    }
  } finally {
    await connection.close();
  }
}

function startProblem({ server }: Config, port: number, log: string, file: string, error: Error): ProblemError {
  const taken = /:(\d+)\S*: bind: address already in use|port (\d+) (?:is )?(?:already )?in use/i.exec(log);
  if (taken !== null) {
    const number = Number(taken[1] ?? taken[2]);
    const option = number === server.uiPort ? 'server.uiPort' : 'server.port';
    if (number === port || number === server.uiPort) return portProblem(server.ip, number, option);
  }
  const tail = log.trim().split('\n').slice(-5).join('\n');
  return new ProblemError(
    problem('TEMPORAL_SERVER_FAILED', `The Temporal server did not start: ${error.message}\n${tail}`, {
      hint: `The full log is ${file}.`,
    }),
  );
}
