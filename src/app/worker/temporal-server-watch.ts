import { promises } from 'node:fs';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Config } from '../../config/config-types.js';
import { type Connected, connect, type ServerCall } from '../../temporal/connection.js';
import { processMetrics } from '../telemetry/metrics.js';
/** The availability of the Temporal server and its database, checked periodically. */
export interface ServerWatch {
  /** The reason why nothing can be served; undefined while the server works. */
  fault(): string | undefined;
  /** Reports a call that was made anyway. */
  recordCall(call: ServerCall): void;
  stop(): void;
}

export interface WatchOptions {
  readonly intervalMs?: number;
  /** The folder of the embedded server's database, whose disk may be full. */
  readonly folder?: string | undefined;
}

const everyMs = 2_000;

const patienceMs = 3_000;

/** Free disk space in bytes below which the database is assumed to be unable to write. */
const leastFree = 4_194_304;

/** The time for which a failed write counts; then others may try again. */
const writeFaultMs = 10_000;

/** Calls that write, and the statuses by which a server reports that its database cannot. */
const writes = /^(StartWorkflowExecution|ExecuteMultiOperation|Signal|SignalWithStart|CreateSchedule|UpdateSchedule)/;

const failedStatuses: readonly string[] = ['UNAVAILABLE', 'INTERNAL', 'UNKNOWN', 'DATA_LOSS'];

/**
 * Logs when and why the server becomes unavailable, and when it is back, because the worker's own polling waits silently. The probe reads
 * the database, because a server without its database still responds to other calls; a read-only database is detected by the writes of real
 * requests.
 */
export function watchServer(
  client: Client,
  log: Pick<Logger, 'warn' | 'info'>,
  { intervalMs = everyMs, folder }: WatchOptions = {},
): ServerWatch {
  const { namespace } = client.options;
  let lost: string | undefined;
  let failedWrite: { readonly reason: string; readonly at: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const look = async (): Promise<void> => {
    const reason =
      (await diskFault(folder)) ??
      (await client
        .withDeadline(Date.now() + patienceMs, () => client.workflowService.describeNamespace({ namespace }))
        .then(
          () => undefined,
          (error: Error) => error.message,
        ));
    if (stopped) return;
    if (reason !== undefined && lost === undefined)
      log.warn({ reason }, 'The Temporal server does not respond; work resumes when it does');
    if (reason === undefined && lost !== undefined) log.info('The Temporal server responds again');
    lost = reason;
    timer = setTimeout(look, intervalMs).unref();
  };
  timer = setTimeout(look, 0).unref();
  return {
    fault: () => {
      const isRecent = failedWrite !== undefined && Date.now() - failedWrite.at < writeFaultMs;
      return lost ?? (isRecent ? failedWrite?.reason : undefined);
    },
    recordCall: ({ operation, status, details }) => {
      if (!writes.test(operation)) return;
      if (status === 'OK') failedWrite = undefined;
      else if (failedStatuses.includes(status))
        failedWrite = { reason: `${operation} failed: ${details}`, at: Date.now() };
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** The reason why a database in this folder cannot be written; undefined if it can, or if nothing is known about its disk. */
async function diskFault(folder: string | undefined): Promise<string | undefined> {
  const disk = folder === undefined ? undefined : await promises.statfs(folder).catch(() => undefined);
  return disk && disk.bavail * disk.bsize < leastFree ? `The disk of ${folder} is full` : undefined;
}

/** Connects a client whose calls are counted and watched. */
export async function connectWatched(
  config: Config,
  log: Logger,
  address: string | undefined,
  folder?: string,
): Promise<Connected & { readonly watch: ServerWatch }> {
  const metrics = processMetrics();
  let watch: ServerWatch | undefined;
  const connected = await connect(config, {
    ...(address !== undefined && { address }),
    onCall: (call) => {
      metrics.called(call);
      watch?.recordCall(call);
    },
  });
  watch = watchServer(connected.client, log, { folder });
  return { ...connected, watch };
}
