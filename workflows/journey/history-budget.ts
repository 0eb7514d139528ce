import type { WorkflowInfo } from '@temporalio/workflow';
import { maxPayloadBytes } from '../../src/base/json/size.js';
import type { WorkflowTaskBudget } from './workflow-task-budget.js';

/** Length and size of a history, and the server's advice about them. */
export type HistorySize = Pick<WorkflowInfo, 'historyLength' | 'historySize' | 'continueAsNewSuggested'>;

/**
 * Sizes of a history in bytes. A server terminates a run whose history has 50 MiB or 51,200 events. Above `large`, the run continues as new
 * even if calls are in flight; above `urgent`, waiting callers are answered so that it can; calls in flight may fill it up to `full`.
 */
const bytes = { large: 8_000_000, urgent: 16_000_000, full: 40_000_000 };
const urgentEvents = 16_000;

/** Bytes of a call in the history, besides its input and answer. */
const bytesPerCall = 2_000;

/** After this many yields a run continues as new, because its replay must not exceed the workflow task timeout. */
const mostYields = 50;

/** The budget of one execution: the length and size of its history. */
export class HistoryBudget {
  private largestCall: number | undefined;

  constructor(
    /** Configured length of a history. */
    private readonly events: number,
    private readonly task: Pick<WorkflowTaskBudget, 'yields'>,
    /** The history as of the current workflow task. */
    private readonly history: () => HistorySize,
  ) {}

  /** Whether the run should continue as new when it can. */
  get isSpent(): boolean {
    const { continueAsNewSuggested, historyLength } = this.history();
    return continueAsNewSuggested || historyLength >= this.events || this.task.yields >= mostYields;
  }

  /** Whether the run must continue as new although calls are in flight. */
  get isLarge(): boolean {
    return this.history().historySize >= bytes.large;
  }

  /** Whether waiting callers must no longer delay continue-as-new. */
  get isUrgent(): boolean {
    const { historySize, historyLength } = this.history();
    return historySize >= bytes.urgent || historyLength >= urgentEvents;
  }

  /** Records the bytes of a call and its answer. */
  addCall(size: number): void {
    this.largestCall = Math.max(this.largestCall ?? 0, size);
  }

  /** Number of calls that may be in flight if each is as large as the largest so far. The first may be as large as a server accepts. */
  get callsAtOnce(): number {
    const free = bytes.full - this.history().historySize;
    return Math.max(1, Math.floor(free / ((this.largestCall ?? maxPayloadBytes) + bytesPerCall)));
  }
}
