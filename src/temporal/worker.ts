import { type InjectedSinks, type NativeConnection, Worker } from '@temporalio/worker';
import type { SpanSinks } from '../../workflows/tracing.js';
import type { Config } from '../config/config.js';
import type { EndedSpan } from '../engine/trace.js';
import { bundlePath, dispatchBundlePath, ensureBundle } from './bundle.js';
import { clientConverter, workerEncryption } from './encryption/converter.js';
import { FairWorker } from './fair-thread.js';

/**
 * For this long the server keeps a run's next task for the worker that knows the run; then any other may have it. With the SDK's ten
 * seconds, a run's next event came ten seconds late after its worker had died. With a shorter time, a worker that is merely behind loses
 * tasks, each of which costs a replay.
 */
const stickyMs = 3_000;

export interface WorkerParts {
  config: Config;
  connection: NativeConnection;
  activities: object;
  /** Called when the bundle has to be built first, which takes seconds. */
  onBundling?: () => void;
  /** Hears of every span of its runs; without it they are not traced. */
  spanEnded?: (span: EndedSpan) => void;
}

/** A worker for journeys. `run()` it; `shutdown()` lets it finish what it is doing. */
export async function createWorker(parts: WorkerParts): Promise<Worker> {
  const { config, connection, activities, onBundling, spanEnded } = parts;
  const timer = setTimeout(() => onBundling?.(), 300);
  await ensureBundle();
  clearTimeout(timer);
  const { worker, temporal } = config;
  return await FairWorker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue: temporal.taskQueue,
    ...workerEncryption(config, bundlePath, { traces: spanEnded !== undefined }),
    ...(spanEnded && { sinks: spanSinks(spanEnded) }),
    activities,
    maxConcurrentWorkflowTaskExecutions: worker.maxConcurrentWorkflowTasks,
    maxConcurrentActivityTaskExecutions: worker.maxConcurrentActivities,
    maxConcurrentLocalActivityExecutions: worker.maxConcurrentLocalActivities,
    maxCachedWorkflows: worker.maxCachedWorkflows,
    shutdownGraceTime: worker.shutdownGraceMs,
    stickyQueueScheduleToStartTimeout: stickyMs,
  });
}

/** A worker that only does activities, for what must be done in a gateway's own process. */
export async function createGatewayWorker(
  { config, connection, activities }: Omit<WorkerParts, 'onBundling'>,
  taskQueue: string,
): Promise<Worker> {
  return await Worker.create({
    connection,
    namespace: config.temporal.namespace,
    taskQueue,
    dataConverter: clientConverter(config),
    activities,
    maxConcurrentActivityTaskExecutions: config.worker.maxConcurrentActivities,
    maxConcurrentActivityTaskPolls: 2,
    shutdownGraceTime: config.worker.shutdownGraceMs,
  });
}

/** What the runs of a worker tell it, and not again when one is replayed. */
export function spanSinks(ended: (span: EndedSpan) => void): InjectedSinks<SpanSinks> {
  return { spans: { ended: { fn: (_, span) => ended(span), callDuringReplay: false } } };
}

/** A worker of one orchestrator's queue. */
export async function createDispatchWorker(parts: Omit<WorkerParts, 'onBundling'>, taskQueue: string): Promise<Worker> {
  await ensureBundle();
  const { worker, temporal } = parts.config;
  return await FairWorker.create({
    connection: parts.connection,
    namespace: temporal.namespace,
    taskQueue,
    ...workerEncryption(parts.config, dispatchBundlePath),
    activities: parts.activities,
    maxConcurrentWorkflowTaskExecutions: worker.maxConcurrentWorkflowTasks,
    maxConcurrentActivityTaskExecutions: worker.maxConcurrentActivities,
    maxConcurrentLocalActivityExecutions: worker.maxConcurrentLocalActivities,
    maxCachedWorkflows: worker.maxCachedWorkflows,
    // There may be many orchestrators, most of them idle; the SDK's ten of each would all wait at the server.
    maxConcurrentWorkflowTaskPolls: 4,
    maxConcurrentActivityTaskPolls: 2,
    shutdownGraceTime: worker.shutdownGraceMs,
    stickyQueueScheduleToStartTimeout: stickyMs,
  });
}
