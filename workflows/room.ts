import { CancellationScope, sleep, workflowInfo } from '@temporalio/workflow';
import { payloadBytes } from '../src/json/size.js';

/** What one workflow task may hand to the server: it all travels in one message, and a server takes up to 4 MiB. */
const bytesPerTask = 3_400_000;
/** Answers of local calls stand in the same message; with more than this in it, the next call is an ordinary one. */
const bytesBeforeLocal = 1_000_000;

/**
 * A server ends a run whose history has 50 MiB or 51,200 events. Above `pressing`, it goes on as a fresh execution as soon as it can; there is none while a
 * caller waits, so above `urgent` callers are answered; calls in flight may fill it up to `fullest`.
 */
const history = { pressing: 8_000_000, urgent: 16_000_000, urgentEvents: 16_000, fullest: 40_000_000 };
/** What a call leaves there at least, beside its answer. */
const bytesPerCall = 2_000;

/** A run that paused this often goes on as a fresh execution: its replay must not take longer than a workflow task may. */
const pausesPerExecution = 50;

/** What the server's timers and a task's way there and back take; a turn that comes later waited for others. */
const promptMs = 50;
/** What a unit of work takes, at most. */
const msPerUnit = 0.06;
/** A run makes way for so much longer than its last turn was late … */
const lateFactor = 20;
/** … but for no more than this, for each turn by which it is ahead. */
const mostMsAhead = 200;
const mostAhead = 20;
/** A turn that came at once says less than one that was late: what was late before is forgotten slowly. */
const memory = 0.7;

/**
 * What a run puts into its current workflow task. A task ends when the run waits for something other than a local call. The clock
 * shows this: within a task it stands still, or moves only with local calls.
 */
export class Room {
  private bytes = 0;
  private beganAt = Date.now();
  private largest: number | undefined;
  private pausing: Promise<void> | undefined;
  private pauses = 0;
  /** How long the run's last turns had to wait, beyond what is usual; at first, its first. */
  private lateMs = lateBy(workflowInfo().runStartTime.getTime());
  /** Resolves when timers may be heard; undefined where nobody ever held them. */
  holding: Promise<void> | undefined;

  /** Something came that only another workflow task can bring. */
  arrived(): void {
    const now = Date.now();
    if (now === this.beganAt) return;
    this.beganAt = now;
    this.bytes = 0;
  }

  /** Everything the run knows is in its history: no local call has been answered in this task, and nothing submitted. */
  get isEmpty(): boolean {
    return this.bytes === 0;
  }

  get allowsLocal(): boolean {
    return this.bytes < bytesBeforeLocal;
  }

  /** Counts what is handed over in any case. */
  add(bytes: number): void {
    this.bytes += bytes;
  }

  /** A call was answered: it has left so many bytes. */
  answered(bytes: number): void {
    this.largest = Math.max(this.largest ?? 0, bytes);
  }

  /** So many calls may be in flight, if each leaves as much as the largest did until now. Before one did, each may leave what a server takes. */
  get callsAtOnce(): number {
    const free = history.fullest - workflowInfo().historySize;
    return Math.max(1, Math.floor(free / ((this.largest ?? payloadBytes) + bytesPerCall)));
  }

  /** The history is so large that a fresh execution must go on. */
  get isPressing(): boolean {
    return workflowInfo().historySize >= history.pressing;
  }

  /** The history is so large that nobody may keep a fresh execution from going on. */
  get isUrgent(): boolean {
    const { historySize, historyLength } = workflowInfo();
    return historySize >= history.urgent || historyLength >= history.urgentEvents;
  }

  /** Makes room for `bytes`: undefined where there is some, else resolves when they may go. */
  take(bytes: number): Promise<void> | undefined {
    if (this.bytes > 0 && this.bytes + bytes > bytesPerTask) return this.later(bytes);
    this.bytes += bytes;
    return undefined;
  }

  private async later(bytes: number): Promise<void> {
    await this.pause();
    await this.take(bytes);
  }

  /** Keeps timers that fire from being heard until they are released. Several may hold at once. */
  hold(): () => void {
    let release!: () => void;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.holding = Promise.all([this.holding, held]).then(() => undefined);
    return release;
  }

  /**
   * Ends the workflow task with a short timer, so that the worker's one thread gets to other runs. All branches of a run pause together.
   * The further a run is ahead of its share, the longer; and much longer where others wait too, which shows in how late its own turns
   * come. The clock is the history's, so a replay pauses alike.
   */
  pause(ahead = 1, units = 0): Promise<void> {
    this.pausing ??= this.makeWay(Math.min(ahead, mostAhead), units);
    return this.pausing;
  }

  /** The run has paused so often that it should go on as a fresh execution. */
  get isWorn(): boolean {
    return this.pauses >= pausesPerExecution;
  }

  private async makeWay(ahead: number, units: number): Promise<void> {
    this.pauses += 1;
    const from = Date.now();
    // With local calls in the task its clock says when they were answered, not when the timer was asked for.
    const isMeasured = this.isEmpty;
    const fair = Math.max(ahead, Math.min(this.lateMs * lateFactor, ahead * mostMsAhead));
    // Those who step back together must not come back together. The SDK's randomness is the same in a replay.
    const ms = Math.ceil(fair * (0.5 + Math.random()));
    await CancellationScope.nonCancellable(() => sleep(ms, { summary: 'lets other runs go on' }));
    this.pausing = undefined;
    this.lateMs = Math.max(this.lateMs * memory, isMeasured ? lateBy(from + ms + units * msPerUnit) : 0);
    this.arrived();
  }
}

function lateBy(due: number): number {
  return Math.max(0, Date.now() - due - promptMs);
}
