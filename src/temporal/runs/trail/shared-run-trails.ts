import type { Client } from '@temporalio/client';
import { refuse } from '../../../base/problems/problem.js';
import type { ReadTrail, RunTrail, TrailEntry, VisitContext } from '../../../service/run-trail.js';
import type { TrailBuilder } from './build-trail.js';
import { type DescribedExecution, FollowedRun } from './follow-run-history.js';

/** Trails that nobody reads are kept for the next reader: this many, from histories of this size together, in bytes. */
const mostIdle = { trails: 8, bytes: 32_000_000 };
/** The number of runs that are watched at once, and of readers that wait at once. Further readers are answered at once. */
const mostWatched = 200;
const mostWaiting = 2_000;
/** After a change, further ones are collected for this long: each answer makes its reader ask again, and a burst of events is one answer. */
const collectMs = 500;

/** The trails of runs. Readers of the same run share one. */
export class RunTrails {
  private readonly followed = new Map<string, FollowedRun>();
  private waiting = 0;

  constructor(private readonly client: Client) {}

  /** Reads a page of a trail. */
  async read(execution: DescribedExecution, request: ReadTrail): Promise<RunTrail> {
    const run = await this.reached(execution);
    const token = request.pageToken === undefined ? undefined : pageOf(request.pageToken);
    const after = token ? token.after : cursorOf(request.after);
    if (!token && after !== undefined && request.waitMs) await this.wait(run, after, request.waitMs, request.signal);
    const { trail } = run;
    const { input, phase, gap } = trail;
    const cursor = token?.cursor ?? trail.cursor;
    const from = token?.from ?? 0;
    const found = entriesOf(trail, from, after, request.pageSize + 1);
    const entries = found.slice(0, request.pageSize);
    const next = found.length > entries.length ? found.at(-1) : undefined;
    return {
      journeyId: execution.workflowId,
      journeyName: input?.definition.name ?? '',
      journeyVersion: input?.definition.version ?? '',
      phase,
      complete: gap === undefined,
      ...(gap && { reason: gap }),
      entries,
      ...(next && { nextPageToken: tokenOf({ from: next.n, cursor, ...(after !== undefined && { after }) }) }),
      cursor: String(cursor),
    };
  }

  /** Reads the contexts around a visit. */
  async context(execution: DescribedExecution, n: number): Promise<VisitContext> {
    const { trail } = await this.reached(execution);
    const kept = trail.entries.kept[n];
    if (kept?.entry.kind !== 'visit') return refuse('VISIT_UNKNOWN', `The trail has no visit ${n}.`);
    const { before, after, entry } = kept;
    if (!before) return refuse('CONTEXT_UNKNOWN', trail.gap?.detail);
    return { n, id: entry.id, state: entry.state, before, ...(after && { after }) };
  }

  /** The trail of a run, read up to an event. */
  private async reached(execution: DescribedExecution): Promise<FollowedRun> {
    const { workflowId, runId } = execution;
    let run = this.followed.get(workflowId);
    if (!run?.leadsTo(runId)) run = this.follow(workflowId);
    this.followed.delete(workflowId);
    this.followed.set(workflowId, run);
    if (!(await run.reach(execution))) {
      // The execution is one of a reset, or of another run of the same key.
      run = this.follow(workflowId);
      await run.reach(execution);
    }
    this.forget();
    return run;
  }

  private follow(workflowId: string): FollowedRun {
    const run = new FollowedRun(this.client, workflowId);
    this.followed.set(workflowId, run);
    return run;
  }

  private async wait(run: FollowedRun, after: number, waitMs: number, signal?: AbortSignal): Promise<void> {
    const watched = [...this.followed.values()].filter((it) => !it.isIdle).length;
    if (this.waiting >= mostWaiting || (run.isIdle && watched >= mostWatched)) return;
    this.waiting += 1;
    try {
      const hasChanged = () => entriesOf(run.trail, 0, after, 1).length > 0;
      await run.changed(hasChanged, waitMs, signal);
      if (hasChanged()) await run.changed(() => false, collectMs, signal);
    } finally {
      this.waiting -= 1;
      this.forget();
    }
  }

  /** Forgets the trails that were not read for the longest time. */
  private forget(): void {
    let bytes = 0;
    const idle = [...this.followed].filter(([, run]) => run.isIdle).reverse();
    for (const [i, [id, { trail }]] of idle.entries()) {
      bytes += trail.bytes;
      if (i >= mostIdle.trails || (i > 0 && bytes > mostIdle.bytes)) this.followed.delete(id);
    }
  }
}

/** The entries from a place on that changed after a revision. */
function entriesOf(
  { entries: { kept } }: TrailBuilder,
  from: number,
  after: number | undefined,
  most: number,
): TrailEntry[] {
  const found: TrailEntry[] = [];
  for (let n = from; n < kept.length && found.length < most; n += 1) {
    const { entry, revision } = kept[n]!;
    if (after === undefined || revision > after) found.push(entry);
  }
  return found;
}

/** Where a page begins, and the state of the trail that all pages of a listing name. */
interface Page {
  readonly from: number;
  readonly cursor: number;
  readonly after?: number;
}

function tokenOf({ from, cursor, after }: Page): string {
  return [from, cursor, after ?? ''].join('.');
}

function pageOf(token: string): Page {
  const found = /^(\d{1,9})\.(\d{1,12})\.(\d{0,12})$/.exec(token);
  if (!found) return invalid('pageToken', 'Use the nextPageToken of the previous page.');
  const [, from, cursor, after] = found;
  return { from: Number(from), cursor: Number(cursor), ...(after !== '' && { after: Number(after) }) };
}

function cursorOf(after: string | undefined): number | undefined {
  if (after === undefined) return undefined;
  return /^\d{1,12}$/.test(after) ? Number(after) : invalid('after', 'Use the cursor of an earlier answer.');
}

function invalid(parameter: string, hint: string): never {
  return refuse('QUERY_INVALID', `The query parameter "${parameter}" is not valid.`, { parameter, hint });
}
