import { ApplicationFailure } from '@temporalio/common';
import { type InjectedSinks, type NativeConnection, Worker } from '@temporalio/worker';
import { dispatchWorkflow } from '../../../workflows/dispatch/workflow-contract.js';
import type { SpanSinks } from '../../../workflows/journey/report-spans.js';
import type { Json } from '../../base/json/value.js';
import type { Config } from '../../config/config-types.js';
import type { ExternalAnswer } from '../../engine/definition/external-activity-types.js';
import type { EndedSpan } from '../../engine/trace-context-and-run-spans.js';
import { connectWorker } from '../connection.js';
import { clientConverter, workerEncryption } from '../encryption/data-converter.js';
import type { SdkBundle, SdkWorkflowCreator } from '../sdk-internals.js';
import { fairWorkflow, joinThread, leaveThread } from './fair-workflow-thread.js';
import { versioningOptions } from './worker-version.js';
import { bundlePath, ensureBundle, readBundle } from './workflow-bundle.js';

/**
 * Time for which the server reserves a run's next task for the worker that has it in its cache. With the SDK's ten seconds, the next event
 * of a run is processed ten seconds late after its worker died. With a shorter time, a worker that is merely busy loses tasks, each of which
 * costs a replay.
 */
const stickyMs = 3_000;

/**
 * A worker that shares one workflow thread with the other workers of its process, and lets one run at a time use it. The SDK posts all
 * activations immediately; the thread then processes all of them before it responds to any, and each task needs three round trips. So a run
 * would wait for the turns of all others three times.
 */
export class FairWorker extends Worker {
  protected static override async getOrCreateBundle(
    ...given: Parameters<typeof Worker.getOrCreateBundle>
  ): Promise<SdkBundle | undefined> {
    const { workflowBundle } = given[0];
    return workflowBundle ? await readBundle(workflowBundle) : await Worker.getOrCreateBundle(...given);
  }

  protected static override createWorkflowCreator(
    ...given: Parameters<typeof Worker.createWorkflowCreator>
  ): Promise<SdkWorkflowCreator> {
    return FairWorker.sharedCreator((type) => type !== dispatchWorkflow, given);
  }

  /** The bundle has all workflow types. A worker runs those that `runs` accepts; the workflow task of any other fails and is retried. */
  protected static async sharedCreator(
    runs: (workflowType: string) => boolean,
    [bundle, options, ...rest]: Parameters<typeof Worker.createWorkflowCreator>,
  ): Promise<SdkWorkflowCreator> {
    const { taskQueue, workflowBundle } = options;
    // The thread's workers have different activities. It needs their names only to refuse missing local ones, as a worker does too.
    const activities = new Map([['default', () => Promise.resolve()]]);
    const shared = { ...options, isolateExecutionTimeoutMs: undefined, activities } as unknown as typeof options;
    const source = workflowBundle && 'codePath' in workflowBundle ? workflowBundle.codePath : bundle.code;
    const thread = joinThread(source, taskQueue, () => Worker.createWorkflowCreator(bundle, shared, ...rest));
    const creator = await thread.creator.catch((error: unknown) => {
      leaveThread(thread, taskQueue);
      throw error;
    });
    return {
      createWorkflow: async (workflow) => {
        const { workflowType } = workflow.info;
        if (!runs(workflowType)) throw new Error(`The worker of ${taskQueue} does not run ${workflowType}.`);
        return fairWorkflow(thread, () => creator.createWorkflow(workflow));
      },
      destroy: async () => {
        if (leaveThread(thread, taskQueue)) await creator.destroy();
      },
    };
  }
}

/** A worker of an orchestrator's queue: it runs dispatches and nothing else. */
export class DispatchWorker extends FairWorker {
  protected static override createWorkflowCreator(
    ...given: Parameters<typeof Worker.createWorkflowCreator>
  ): Promise<SdkWorkflowCreator> {
    return FairWorker.sharedCreator((type) => type === dispatchWorkflow, given);
  }
}

export interface WorkerParts {
  config: Config;
  connection: NativeConnection;
  activities: object;
  /** Called when the bundle has to be built first, which takes seconds. */
  onBundling?: () => void;
  /** Called with every span of its runs; without it they are not traced. */
  spanEnded?: ((span: EndedSpan) => void) | undefined;
}

/** Creates a worker for journeys. `shutdown()` lets it finish its tasks. */
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
    ...versioningOptions(config, bundlePath),
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

/**
 * Creates a worker for activities that must run in a gateway's own process. It is not versioned: it runs no workflows, and its queue ends with
 * its process.
 */
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

/** Sinks for the spans of a worker's runs; not called during replay. */
export function spanSinks(ended: (span: EndedSpan) => void): InjectedSinks<SpanSinks> {
  return { spans: { ended: { fn: (_, span) => ended(span), callDuringReplay: false } } };
}

/** Creates a worker for one orchestrator's queue. */
export async function createDispatchWorker(parts: Omit<WorkerParts, 'onBundling'>, taskQueue: string): Promise<Worker> {
  await ensureBundle();
  const { worker, temporal } = parts.config;
  return await DispatchWorker.create({
    connection: parts.connection,
    namespace: temporal.namespace,
    taskQueue,
    ...versioningOptions(parts.config, bundlePath),
    // The same bundle as that of the worker for journeys, whose thread it shares.
    ...workerEncryption(parts.config, bundlePath, { traces: parts.spanEnded !== undefined }),
    activities: parts.activities,
    maxConcurrentWorkflowTaskExecutions: worker.maxConcurrentWorkflowTasks,
    maxConcurrentActivityTaskExecutions: worker.maxConcurrentActivities,
    maxConcurrentLocalActivityExecutions: worker.maxConcurrentLocalActivities,
    maxCachedWorkflows: worker.maxCachedWorkflows,
    // There may be many orchestrators, most of them idle; with the SDK's ten pollers each, all would wait at the server.
    maxConcurrentWorkflowTaskPolls: 4,
    maxConcurrentActivityTaskPolls: 2,
    shutdownGraceTime: worker.shutdownGraceMs,
    stickyQueueScheduleToStartTimeout: stickyMs,
  });
}

/** The types of scripted activities, and their results. */
interface ScriptedActivities {
  readonly types: readonly string[];
  perform(activity: string, args: Json[]): Promise<ExternalAnswer>;
}

/** Starts a worker that stands in for the workers of others: its activities answer as a scenario scripts them. */
export async function startScriptedActivities(
  config: Config,
  address: string,
  taskQueue: string,
  { types, perform }: ScriptedActivities,
): Promise<{ stop(): Promise<void> }> {
  let close = (): void => undefined;
  const closed = new Promise<null>((resolve) => {
    close = () => resolve(null);
  });
  const activity =
    (type: string) =>
    async (...args: Json[]) => {
      // An attempt that never ends must not keep the worker running.
      const answer = await Promise.race([perform(type, args), closed]);
      if (!answer || answer.ok) return answer?.value ?? null;
      const { message, details, nonRetryable = false } = answer.error;
      throw ApplicationFailure.create({
        type: answer.error.type,
        message,
        nonRetryable,
        ...(details !== undefined && { details: Array.isArray(details) ? details : [details] }),
      });
    };
  const connection = await connectWorker(config, { address });
  const activities = Object.fromEntries(types.map((type) => [type, activity(type)]));
  const worker = await createGatewayWorker({ config, connection, activities }, taskQueue);
  const running = worker.run().catch(() => undefined);
  return {
    stop: async () => {
      close();
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
