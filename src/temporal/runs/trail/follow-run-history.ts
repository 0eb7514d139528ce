import type { Client } from '@temporalio/client';
import { asProblem, isNotFound } from '../../classify-temporal-errors.js';
import { readEvents } from '../replay/decode-history-events.js';
import { TrailBuilder } from './build-trail.js';

const pageSize = 1_000;
/** A long poll of the server returns after twenty seconds. */
const pollMs = 60_000;
/** Time between two polls while readers only wait for changes: a step of a run is several events, and each would end a poll. */
const restMs = 200;
/** The longest time to read what a run has done so far; a reader gets the rest as changes. */
const reachMs = 30_000;
/** The number of executions of a run that its trail covers; the newest ones. */
const mostExecutions = 50;
/** The size of the earlier executions that it covers, in bytes. */
const mostBytes = 32_000_000;

/** An execution of a run up to an event, as the server describes it. */
export interface DescribedExecution {
  readonly workflowId: string;
  readonly runId: string;
  readonly historyLength: number;
}

/**
 * The trail of a run and the place in its history up to which it was read. All readers share it, and the one poll of the server that waits
 * for the next events; the run itself is never asked.
 */
export class FollowedRun {
  readonly trail: TrailBuilder;
  /** The executions that are still to be read, oldest first. */
  private executions: string[] = [];
  private chained: Promise<void> | undefined;
  private token: Uint8Array | undefined;
  private reading: Promise<void> | undefined;
  private readers = 0;
  private abort = new AbortController();
  /** The last page reached the end of the history. */
  private isCurrent = false;
  /** Readers that wait for an event that has happened. */
  private urgent = 0;
  private endRest: () => void = () => undefined;

  constructor(
    private readonly client: Client,
    private readonly workflowId: string,
  ) {
    this.trail = new TrailBuilder(workflowId);
  }

  /** Whether this is the run with that execution, or the run may still continue with it. */
  leadsTo(runId: string): boolean {
    return this.trail.hasBegun(runId) || this.trail.phase === 'RUNNING';
  }

  /** Reads until the trail contains an execution up to an event. Returns false if that is an execution of another run. */
  async reach({ runId, historyLength }: DescribedExecution): Promise<boolean> {
    this.chained ??= this.chain(runId);
    await this.chained;
    const isThere = () => this.trail.has(runId, historyLength);
    this.urgent += 1;
    if (!isThere()) this.endRest();
    try {
      await this.changed(isThere, reachMs);
    } finally {
      this.urgent -= 1;
    }
    return isThere() || !this.isAtEnd;
  }

  /** Reads until `hasChanged`, the run has ended, the time is over, or the reader has gone. */
  async changed(hasChanged: () => boolean, waitMs: number, signal?: AbortSignal): Promise<void> {
    let isOver = false;
    let end: () => void = () => undefined;
    const over = new Promise<void>((resolve) => {
      end = () => {
        isOver = true;
        resolve();
      };
    });
    const timer = setTimeout(end, waitMs);
    signal?.addEventListener('abort', end, { once: true });
    try {
      await this.read(async () => {
        while (!isOver && !signal?.aborted && !hasChanged() && !this.isAtEnd) await Promise.race([this.next(), over]);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }

  /** Whether nobody reads. */
  get isIdle(): boolean {
    return this.readers === 0;
  }

  private get isAtEnd(): boolean {
    return this.executions.length === 0;
  }

  /** Counts a reader. The poll ends with the last one. */
  private async read(work: () => Promise<void>): Promise<void> {
    this.readers += 1;
    try {
      await work();
    } finally {
      this.readers -= 1;
      if (this.readers === 0) {
        this.abort.abort();
        this.endRest();
        this.abort = new AbortController();
      }
    }
  }

  /** Reads the next page, or waits for it: once for all readers. */
  private async next(): Promise<void> {
    this.reading ??= this.page().finally(() => {
      this.reading = undefined;
    });
    await this.reading;
  }

  private async page(): Promise<void> {
    const [runId] = this.executions;
    const { token } = this;
    const { signal } = this.abort;
    if (this.isCurrent && this.urgent === 0) await this.rest();
    if (signal.aborted) return;
    const asked = this.client.withDeadline(Date.now() + pollMs, () =>
      this.client.withAbortSignal(signal, () =>
        this.client.workflowService.getWorkflowExecutionHistory({
          namespace: this.client.options.namespace,
          execution: { workflowId: this.workflowId, runId: runId! },
          maximumPageSize: pageSize,
          waitNewEvent: true,
          ...(token && { nextPageToken: token }),
        }),
      ),
    );
    const page = await asked.catch((error) => (signal.aborted ? undefined : Promise.reject(asProblem(error))));
    if (!page) return;
    const events = page.history?.events ?? [];
    const read = await readEvents(events, this.client.options.loadedDataConverter);
    await this.trail.add(runId!, read);
    this.token = page.nextPageToken?.length ? page.nextPageToken : undefined;
    this.isCurrent = this.token !== undefined && events.length < pageSize;
    if (this.token) return;
    const last = read.at(-1);
    this.executions.shift();
    if (last?.kind === 'continued' && this.executions.length === 0) this.executions.push(last.next);
  }

  /** Lets events gather before the next poll, unless a reader needs one of them now. */
  private async rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, restMs);
      this.endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Finds the executions of the run up to this one. */
  private async chain(newest: string): Promise<void> {
    const found = [newest];
    let bytes = 0;
    for (;;) {
      const before = await this.previous(found[0]!).catch((error) => {
        this.chained = undefined;
        throw error;
      });
      if (before === undefined) break;
      bytes += before === 'expired' ? 0 : before.bytes;
      if (before === 'expired' || found.length === mostExecutions || bytes > mostBytes) {
        const detail =
          before === 'expired'
            ? 'The first executions of the run are no longer in Temporal’s history.'
            : `The history of the run is long: only its newest ${found.length} executions are included.`;
        this.trail.gap = { code: 'HISTORY_EXPIRED', detail };
        break;
      }
      found.unshift(before.runId);
    }
    this.executions = found;
  }

  /** The execution that an execution continues; `expired` if its history has been deleted. */
  private async previous(runId: string): Promise<undefined | 'expired' | { runId: string; bytes: number }> {
    const { namespace } = this.client.options;
    const execution = { workflowId: this.workflowId, runId };
    const { history } = await this.client.workflowService
      .getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 })
      .catch((error) => Promise.reject(asProblem(error)));
    const before = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
    if (!before) return undefined;
    const handle = this.client.workflow.getHandle(this.workflowId, before);
    return await handle.describe().then(
      ({ historySize }) => ({ runId: before, bytes: historySize ?? 0 }),
      (error) => (isNotFound(error) ? 'expired' : Promise.reject(asProblem(error))),
    );
  }
}
