import proto from '@temporalio/proto';
import { names, replayedNext } from '../../../workflows/journey/workflow-contract.js';
import type { SdkWorkflow, SdkWorkflowCreator } from '../sdk-internals.js';

/** A workflow thread of this process, and the workers that use it. */
export interface SharedThread {
  /** The path or the code of the bundle that it has loaded. */
  readonly source: string;
  /** Task queues of its workers. */
  readonly taskQueues: Set<string>;
  readonly creator: Promise<SdkWorkflowCreator>;
  readonly turns: FairQueue;
}

/** The threads of this process: one, unless its workers differ in their bundles. */
const threads = new Set<SharedThread>();

/**
 * Finds or starts a thread for a worker. A thread identifies runs by run id, and two workers of one queue may have the same run in their
 * caches, so each of them needs a thread of its own.
 */
export function joinThread(source: string, taskQueue: string, create: () => Promise<SdkWorkflowCreator>): SharedThread {
  let thread = [...threads].find((it) => it.source === source && !it.taskQueues.has(taskQueue));
  thread ??= { source, taskQueues: new Set(), creator: create(), turns: new FairQueue() };
  thread.taskQueues.add(taskQueue);
  threads.add(thread);
  return thread;
}

/** Returns whether the worker was the thread's last. */
export function leaveThread(thread: SharedThread, taskQueue: string): boolean {
  thread.taskQueues.delete(taskQueue);
  return thread.taskQueues.size === 0 && threads.delete(thread);
}

/** Half-life of recorded use. */
const halfLifeMs = 10_000;
/** Tasks that have waited this long get every second turn, regardless of use, because a workflow task must complete within ten seconds. */
const overdueMs = 2_000;

/**
 * The SDK stops a turn after five seconds by the clock, and Node then aborts the whole process. A starved machine can reach that. Our own
 * limit counts work, and stops a turn after some tenths of a second; this one only guards against a fault in it. The main thread keeps it:
 * the SDK's own needs another thread, which Node starts and ends for each of the four calls into the sandbox that a task makes.
 */
const turnTimeoutMs = 60_000;

/** Ends the process: its workflow thread does not respond. */
function endProcess(): void {
  throw new Error(`A workflow task has occupied the workflow thread for ${turnTimeoutMs / 1000} seconds.`);
}

/**
 * A queue for the one thread that runs all workflows of a process. The next task is the one whose run has recently used the thread least. So a
 * short task overtakes long computations: it waits for the current one, and perhaps for one that is overdue.
 */
export class FairQueue {
  /** In order of arrival. */
  private readonly waiting: Waiting[] = [];
  private busy = false;
  private wasOverdue = false;

  constructor(
    private readonly now: () => number = () => performance.now(),
    /** Called if a turn does not end. */
    private readonly stuck: () => void = endProcess,
  ) {}

  /** Runs `work` in its turn and charges the time to `used`. `since` is the start of the task that it is part of. */
  async take<T>(used: RecentThreadUse, work: () => Promise<T>, since = this.now()): Promise<T> {
    if (this.busy) await new Promise<void>((resolve) => this.waiting.push({ used, since, resolve }));
    this.busy = true;
    const began = this.now();
    let last: NodeJS.Immediate | undefined;
    const guard = setTimeout(() => {
      // A process that was frozen first receives what its thread has answered.
      last = setImmediate(this.stuck);
    }, turnTimeoutMs);
    try {
      return await work();
    } finally {
      clearTimeout(guard);
      clearImmediate(last);
      const now = this.now();
      used.add(now - began, now);
      this.busy = false;
      this.next(now)?.resolve();
    }
  }

  private next(now: number): Waiting | undefined {
    if (this.waiting.length === 0) return undefined;
    const overdue = this.wasOverdue ? -1 : this.oldest(now - overdueMs);
    this.wasOverdue = overdue >= 0;
    // Reserves the thread now: a task that arrives before the chosen one wakes up must not get it.
    this.busy = true;
    return this.waiting.splice(overdue >= 0 ? overdue : this.leastUsed(now), 1)[0];
  }

  /** Index of the task that has waited longest, since `before` or earlier; -1 if there is none. */
  private oldest(before: number): number {
    let found = -1;
    let earliest = before;
    for (const [i, { since }] of this.waiting.entries()) if (since < earliest) [found, earliest] = [i, since];
    return found;
  }

  private leastUsed(now: number): number {
    let found = 0;
    let least = Number.POSITIVE_INFINITY;
    for (const [i, { used }] of this.waiting.entries()) {
      const ms = used.at(now);
      if (ms < least) [found, least] = [i, ms];
    }
    return found;
  }
}

interface Waiting {
  readonly used: RecentThreadUse;
  readonly since: number;
  readonly resolve: () => void;
}

/** Recent use of the thread by one run; it decays with time. */
export class RecentThreadUse {
  private ms = 0;
  private last = 0;

  add(ms: number, now: number): void {
    this.ms = this.at(now) + ms;
    this.last = now;
  }

  at(now: number): number {
    return this.ms * 2 ** ((this.last - now) / halfLifeMs);
  }
}

/** A workflow that takes turns with the others of its thread. */
export function fairWorkflow({ turns }: SharedThread, create: () => Promise<SdkWorkflow>): SdkWorkflow {
  return new ForgettingWorkflow(new FairWorkflow(turns, create));
}

/** One run. It is created, activated and its log lines are read in one turn. */
class FairWorkflow implements SdkWorkflow {
  private readonly used = new RecentThreadUse();
  private created: SdkWorkflow | undefined;
  private calls: ReturnType<SdkWorkflow['getAndResetSinkCalls']> | undefined;
  /** Start of the task whose history is being replayed. A replay takes many turns, and the task must still be answered in time. */
  private replayingSince: number | undefined;

  constructor(
    private readonly queue: FairQueue,
    private readonly create: () => Promise<SdkWorkflow>,
  ) {}

  activate(activation: Parameters<SdkWorkflow['activate']>[0]): ReturnType<SdkWorkflow['activate']> {
    const since = this.replayingSince ?? performance.now();
    const continues = activation.isReplaying && !activation.jobs?.some(({ queryWorkflow }) => queryWorkflow);
    this.replayingSince = continues ? since : undefined;
    const work = async () => {
      this.created ??= await this.create();
      const completion = this.created.activate(activation);
      this.calls = this.created.getAndResetSinkCalls();
      // `getAndResetSinkCalls` reports the error.
      this.calls.catch(() => undefined);
      return await completion;
    };
    return this.queue.take(this.used, work, since);
  }

  async getAndResetSinkCalls(): ReturnType<SdkWorkflow['getAndResetSinkCalls']> {
    const { calls } = this;
    this.calls = undefined;
    return (await calls) ?? [];
  }

  async dispose(): Promise<void> {
    await this.created?.dispose();
  }
}

type Activation = Parameters<SdkWorkflow['activate']>[0];

/** The SDK's id of a query outside a workflow task. */
const loneQuery = 'legacy_query';

/**
 * A cached run that is replayed before it answers a position query. A run records its positions only during replay, and a worker is not notified
 * when a cached run is terminated. Failing the query makes the SDK evict the run, so that the next query replays its history. Only a
 * query outside a workflow task is failed: it leaves nothing in the history.
 */
class ForgettingWorkflow implements SdkWorkflow {
  /** Whether the run has done more than replay: then it has no positions of its earlier states. */
  private isLive = false;

  constructor(private readonly workflow: SdkWorkflow) {}

  activate(activation: Activation): ReturnType<SdkWorkflow['activate']> {
    const { isReplaying, jobs } = activation;
    this.isLive ||= !isReplaying && jobs?.some(({ queryWorkflow }) => !queryWorkflow) === true;
    return this.isLive && isPositionQuery(activation)
      ? Promise.resolve(evicted(activation))
      : this.workflow.activate(activation);
  }

  getAndResetSinkCalls(): ReturnType<SdkWorkflow['getAndResetSinkCalls']> {
    return this.workflow.getAndResetSinkCalls();
  }

  async dispose(): Promise<void> {
    await this.workflow.dispose();
  }
}

function isPositionQuery({ jobs }: Activation): boolean {
  const query = jobs?.length === 1 ? jobs[0]?.queryWorkflow : undefined;
  return query?.queryType === names.moment && query.queryId === loneQuery;
}

function evicted({ runId }: Activation): Awaited<ReturnType<SdkWorkflow['activate']>> {
  return proto.coresdk.workflow_completion.WorkflowActivationCompletion.create({
    runId: runId ?? '',
    failed: { failure: { message: replayedNext } },
  });
}
