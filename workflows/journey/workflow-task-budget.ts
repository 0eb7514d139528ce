import { CancellationScope, sleep } from '@temporalio/workflow';
import { ownTimers } from './workflow-contract.js';

/** Bytes that one workflow task may send: they are part of one message, and a server accepts up to 4 MiB. */
const bytesPerTask = 3_400_000;
/** Answers of local activities are part of the same message. With more than this in it, the next call is an ordinary activity. */
const bytesBeforeLocal = 1_000_000;
/** Length of a yield. The worker's queue decides which run is next, so it only has to end the workflow task. */
const yieldMs = 20;

/**
 * The budget of the current workflow task: the bytes that it sends to the server. A task ends when the run waits for something other than
 * a local activity. The clock shows this: within a task it is frozen, or advances only with local activities.
 */
export class WorkflowTaskBudget {
  private bytes = 0;
  private beganAt = Date.now();
  private yielding: Promise<void> | undefined;
  private localCalls = 0;
  /** Number of yields in this execution. */
  yields = 0;

  /** Records the arrival of something that starts another workflow task. */
  arrived(): void {
    const now = Date.now();
    if (now === this.beganAt) return;
    this.beganAt = now;
    this.bytes = 0;
  }

  /** Whether the history contains everything that led to this point: in this task no local activity completed and nothing was submitted. */
  get isUnused(): boolean {
    return this.bytes === 0;
  }

  get allowsLocal(): boolean {
    return this.bytes < bytesBeforeLocal;
  }

  /** Whether a local activity is in flight. */
  get hasLocalCall(): boolean {
    return this.localCalls > 0;
  }

  localCallBegins(): void {
    this.localCalls += 1;
  }

  localCallEnded(): void {
    this.localCalls -= 1;
  }

  /** Counts bytes that are sent in any case. */
  add(bytes: number): void {
    this.bytes += bytes;
  }

  /** Reserves bytes. Returns undefined if they fit into this task, else a promise that resolves in the task that has them. */
  reserve(bytes: number): Promise<void> | undefined {
    if (this.bytes > 0 && this.bytes + bytes > bytesPerTask) return this.reserveLater(bytes);
    this.bytes += bytes;
    return undefined;
  }

  private async reserveLater(bytes: number): Promise<void> {
    await this.yield();
    await this.reserve(bytes);
  }

  /** Ends the workflow task with a short timer, so that the worker's only thread can run other runs. All branches yield together. */
  yield(): Promise<void> {
    this.yielding ??= this.sleep();
    return this.yielding;
  }

  private async sleep(): Promise<void> {
    this.yields += 1;
    await CancellationScope.nonCancellable(() => sleep(yieldMs, { summary: ownTimers.yield }));
    this.yielding = undefined;
    this.arrived();
  }
}
