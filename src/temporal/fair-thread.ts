import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { names, replayedNext } from '../../workflows/input.js';
import type { SdkWorkflow, SdkWorkflowCreator } from './sdk.js';

/** After so long, half of what a run has used counts no more. */
const halfLifeMs = 10_000;
/** Who has waited so long has every second turn, whatever it has used: a workflow task must be answered within ten seconds. */
const patienceMs = 2_000;

/**
 * The SDK stops a turn after five seconds by the clock, and Node then aborts the whole process. A machine that is starved reaches that. Our
 * own bound is counted in work, and comes after some tenths of a second; this one is only for a fault in it.
 */
const turnTimeoutMs = 60_000;

/**
 * Decides whose turn it is in the one thread that runs all workflows of a worker: among those who wait, whoever has used it least of late.
 * So a short task passes by long computations, and waits for the one that is under way and perhaps for one that has waited too long.
 */
export class FairQueue {
  /** In the order in which they came. */
  private readonly waiting: Waiting[] = [];
  private busy = false;
  private wasOverdue = false;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Does `work` when it is its turn. What it took is charged to `used`. `since`: when the task began that it is part of. */
  async take<T>(used: Used, work: () => Promise<T>, since = this.now()): Promise<T> {
    if (this.busy) await new Promise<void>((resolve) => this.waiting.push({ used, since, resolve }));
    this.busy = true;
    const began = this.now();
    try {
      return await work();
    } finally {
      const now = this.now();
      used.add(now - began, now);
      this.busy = false;
      this.next(now)?.resolve();
    }
  }

  private next(now: number): Waiting | undefined {
    if (this.waiting.length === 0) return undefined;
    const overdue = this.wasOverdue ? -1 : this.oldest(now - patienceMs);
    this.wasOverdue = overdue >= 0;
    // The thread is promised here and now: somebody who asks before the chosen one wakes up must not slip in.
    this.busy = true;
    return this.waiting.splice(overdue >= 0 ? overdue : this.leastUsed(now), 1)[0];
  }

  /** The one that has waited longest, since `before` at the latest; -1 when nobody has. */
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
  readonly used: Used;
  readonly since: number;
  readonly resolve: () => void;
}

/** What a run has used of the thread; it is forgotten with time. */
export class Used {
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

/**
 * A worker that gives its workflow thread to one run at a time. The SDK posts every activation at once; the thread then works through all
 * that have arrived before it answers any of them, and is asked thrice for each task: so a run waited for the turns of all others, thrice.
 */
export class FairWorker extends Worker {
  protected static override async createWorkflowCreator(
    ...[bundle, options, ...rest]: Parameters<typeof Worker.createWorkflowCreator>
  ): Promise<SdkWorkflowCreator> {
    const patient = { ...options, isolateExecutionTimeoutMs: turnTimeoutMs };
    const creator = await Worker.createWorkflowCreator(bundle, patient, ...rest);
    const queue = new FairQueue();
    return {
      createWorkflow: async (options) => new FairWorkflow(queue, () => creator.createWorkflow(options)),
      destroy: () => creator.destroy(),
    };
  }
}

type Activation = Parameters<SdkWorkflow['activate']>[0];

/** Whether it is asked for nothing but where it stood, by a query that comes by itself: the failure of such a one leaves nothing in the history. */
function asksForMoments({ jobs }: Activation): boolean {
  return (
    jobs?.length === 1 &&
    jobs[0]?.queryWorkflow?.queryType === names.moment &&
    jobs[0].queryWorkflow.queryId === loneQuery
  );
}

/** The SDK's id for a query that no workflow task carries. */
const loneQuery = 'legacy_query';

/**
 * A run that was terminated is still kept as it lived, because nobody tells its worker. Failing the question makes the SDK forget it: when it is
 * asked again, it is replayed from its history.
 */
function forgets({ runId }: Activation): Awaited<ReturnType<SdkWorkflow['activate']>> {
  return proto.coresdk.workflow_completion.WorkflowActivationCompletion.create({
    runId: runId ?? '',
    failed: { failure: { message: replayedNext } },
  });
}

/** One run. It is made, activated and asked for its log lines in one turn. */
class FairWorkflow implements SdkWorkflow {
  private readonly used = new Used();
  private made: SdkWorkflow | undefined;
  private calls: ReturnType<SdkWorkflow['getAndResetSinkCalls']> | undefined;
  /** When the task began whose history is being replayed. A replay is many turns, and the task must be answered in time all the same. */
  private replayingSince: number | undefined;
  /** Whether it has done more than replay: then it has not kept where it stood before. */
  private hasLived = false;

  constructor(
    private readonly queue: FairQueue,
    private readonly make: () => Promise<SdkWorkflow>,
  ) {}

  activate(activation: Parameters<SdkWorkflow['activate']>[0]): ReturnType<SdkWorkflow['activate']> {
    const since = this.replayingSince ?? performance.now();
    const goesOn = activation.isReplaying && !activation.jobs?.some(({ queryWorkflow }) => queryWorkflow);
    this.replayingSince = goesOn ? since : undefined;
    this.hasLived ||= !activation.isReplaying && activation.jobs?.some(({ queryWorkflow }) => !queryWorkflow) === true;
    if (this.hasLived && asksForMoments(activation)) return Promise.resolve(forgets(activation));
    const work = async () => {
      this.made ??= await this.make();
      const completion = this.made.activate(activation);
      this.calls = this.made.getAndResetSinkCalls();
      // Whoever asks for them hears of it.
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
    await this.made?.dispose();
  }
}
