import { setTimeout } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { names, type TrailView } from '../../workflows/input.js';
import type { HistoryKind, HistoryLine, RunHistory } from '../service/run-history.js';
import { asProblem } from './failures.js';
import { HistoryLines, iso } from './history-lines.js';

type Event = temporal.api.history.v1.IHistoryEvent;

/** One execution of a run. */
interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

const pageSize = 500;
/** How long a worker may take to replay an execution that it does not remember. */
const replayMs = 10_000;
/** A server answers a question for news after twenty seconds, if there are none. */
const pollMs = 60_000;
/** For so long, whoever follows a run waits for a server that is away, asking every second. */
const awayMs = 300_000;
const askAgainMs = 1_000;

/** What became of a run: what Temporal recorded of each of its executions, and the states that these entered; the newest `limit` lines. */
export async function runHistory(client: Client, id: string, runId: string, limit: number): Promise<RunHistory> {
  let lines: HistoryLine[] = [];
  let partial = false;
  let next: string | undefined = runId;
  while (next !== undefined && lines.length < limit) {
    const execution: Execution = { workflowId: id, runId: next };
    const recorded: Recorded = await readExecution(client, execution);
    const trail = await trailOf(client, execution);
    if (!trail) partial = true;
    lines = [...merged(recorded.lines, trail ? enteredLines(next, trail) : []), ...lines];
    next = recorded.before;
  }
  const more = next !== undefined || lines.length > limit;
  return { journeyId: id, lines: lines.slice(-limit), more, partial };
}

interface Recorded {
  readonly lines: HistoryLine[];
  /** The execution before this one, if there is one. */
  readonly before: string | undefined;
}

async function readExecution(client: Client, execution: Execution): Promise<Recorded> {
  const reader = new HistoryLines(client);
  const lines: HistoryLine[] = [];
  let before: string | undefined;
  for await (const page of pages(client, execution)) {
    for (const event of page) {
      before ??= event.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
      const line = await reader.of(event);
      if (line) lines.push(line);
    }
  }
  return { lines, before };
}

/** The events of one execution, oldest first, by pages; with `follow` also those that are still to come, until it closes. */
async function* pages(client: Client, execution: Execution, follow = false): AsyncGenerator<Event[]> {
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const ask = () =>
      client.workflowService.getWorkflowExecutionHistory({
        namespace: client.options.namespace,
        execution,
        maximumPageSize: pageSize,
        waitNewEvent: follow,
        ...(nextPageToken && { nextPageToken }),
      });
    const page = await (follow ? untilBack(() => client.withDeadline(Date.now() + pollMs, ask)) : ask()).catch(
      (error) => Promise.reject(asProblem(error)),
    );
    yield page.history?.events ?? [];
    nextPageToken = page.nextPageToken;
  } while (nextPageToken?.length);
}

/** A server that is restarted does not end what somebody watches. */
async function untilBack<T>(ask: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + awayMs; ; await setTimeout(askAgainMs)) {
    try {
      return await ask();
    } catch (error) {
      if (asProblem(error).problem.code !== 'TEMPORAL_UNAVAILABLE' || Date.now() >= until) throw error;
    }
  }
}

/** The lines of a run as they come, from its current execution on, until it has ended. */
export async function* followRun(client: Client, id: string, runId: string): AsyncGenerator<HistoryLine> {
  let next: string | undefined = runId;
  while (next !== undefined) {
    const execution: Execution = { workflowId: id, runId: next };
    next = undefined;
    const reader = new HistoryLines(client);
    let seen = 0;
    for await (const page of pages(client, execution, true)) {
      if (page.length === 0) continue;
      const lines: HistoryLine[] = [];
      for (const event of page) {
        next = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? next;
        const line = await reader.of(event);
        if (line) lines.push(line);
      }
      const trail: TrailView = (await trailOf(client, execution)) ?? { entries: [], dropped: 0 };
      const entries: TrailView['entries'] = trail.entries.filter(({ n }) => n >= seen);
      seen = Math.max(seen, ...entries.map(({ n }) => n + 1));
      yield* merged(lines, enteredLines(execution.runId, { ...trail, entries }));
    }
  }
}

/** The states that an execution entered; undefined if no worker says. */
async function trailOf(client: Client, { workflowId, runId }: Execution): Promise<TrailView | undefined> {
  const handle = client.workflow.getHandle(workflowId, runId);
  const asked = client.withDeadline(Date.now() + replayMs, () => handle.query<TrailView>(names.trail));
  return await asked.catch(() => undefined);
}

/** The lines of the states that an execution entered. */
function enteredLines(runId: string, { entries }: TrailView): HistoryLine[] {
  return entries.map(({ n, frame, state, at }) => ({
    at: iso(at),
    kind: 'entered',
    state,
    ...(frame !== '' && { within: frame }),
    text: '',
    visit: visitOf(runId, n),
  }));
}

/** What names one visit of a state of a run, over all its executions. */
export function visitOf(runId: string, n: number): string {
  return `${runId}:${n}`;
}

const incoming: readonly HistoryKind[] = ['started', 'answered', 'failed', 'due', 'submitted', 'signalled'];

/**
 * Both in the order of time. A state is entered before what it asks is sent, and after what came before it: the run's clock is that of its
 * workflow task, so at one instant what Temporal recorded as incoming goes first.
 */
function merged(recorded: readonly HistoryLine[], entered: readonly HistoryLine[]): HistoryLine[] {
  const all = [...recorded, ...entered].map((line, i) => ({ line, i }));
  const rank = ({ kind }: HistoryLine) => (kind === 'entered' ? 1 : incoming.includes(kind) ? 0 : 2);
  all.sort((a, b) => {
    if (a.line.at !== b.line.at) return a.line.at < b.line.at ? -1 : 1;
    return rank(a.line) - rank(b.line) || a.i - b.i;
  });
  return all.map(({ line }) => line);
}
